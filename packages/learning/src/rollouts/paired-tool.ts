/**
 * `paired-tool`: two groups of each task, with and without tools, from the same start. What the pair
 * shows is read by `toolBenefit`.
 *
 * Source: AKBE (on-policy intrinsic knowledge boundary).
 */
import { mixedSeed, type PlannedRollout } from "./group-plan.ts";
import { requireInside } from "../statistics.ts";

export type PairedRollout = PlannedRollout & { readonly hasTools: boolean };

/** `size` rollouts of each task in each arm; the arms share their seeds, so only the tools differ. */
export function pairedGroups(
  tasks: readonly string[],
  size: number,
  seed: number,
): PairedRollout[] {
  requireInside("size", size, 1, Number.MAX_SAFE_INTEGER);
  return tasks.flatMap((task, at) =>
    [true, false].flatMap((hasTools) =>
      Array.from({ length: size }, (_, member) => ({
        task,
        group: `${task}#${at}${hasTools ? "+tools" : "-tools"}`,
        member,
        seed: mixedSeed(seed, at * size + member),
        hasTools,
      })),
    ),
  );
}
