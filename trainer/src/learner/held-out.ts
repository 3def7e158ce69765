/** Held-out tasks of a family with the policy as it is. The same tasks and draws every time. */
import { FULL_SUPPORT } from "@waggle/protocol";
import { inLanes } from "../lanes.ts";
import { derivedSeed } from "../random.ts";
import type { CollectParts } from "./collect.ts";
import { familyAttempt } from "./family-attempt.ts";

export type HeldOut = {
  readonly successes: readonly boolean[];
  readonly toolCallsMean: number;
  readonly sampledTokensMean: number;
};

export async function evaluateHeldOut(
  { policy, format, family, reader, signal }: CollectParts,
  count: number,
): Promise<HeldOut> {
  const episodes = await inLanes(count, (i) => {
    const task = family.reference(derivedSeed(0xe7a1, i), "heldOut", i % family.levels);
    const sampling = { sampling: FULL_SUPPORT, seed: derivedSeed(0x5eed, i) };
    const options = { ...sampling, guide: reader?.(i).guide };
    return familyAttempt(policy, format, family, task, options, signal);
  });
  const meanOf = (of: (episode: (typeof episodes)[number]) => number): number =>
    episodes.reduce((sum, episode) => sum + of(episode), 0) / Math.max(1, episodes.length);
  return {
    successes: episodes.map(({ verification }) => verification.success),
    toolCallsMean: meanOf(({ trajectory }) =>
      trajectory.turns.reduce((sum, turn) => sum + turn.toolCalls.length, 0),
    ),
    sampledTokensMean: meanOf(({ trajectory }) =>
      trajectory.segments.reduce(
        (sum, segment) => sum + (segment.kind === "sampled" ? segment.tokenIds.length : 0),
        0,
      ),
    ),
  };
}
