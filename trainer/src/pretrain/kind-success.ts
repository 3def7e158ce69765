/** How often a base solves held-out tasks, and those of each kind. */
import type { EnvironmentSpec } from "@waggle/environments";
import { type SuccessRate, successRate } from "@waggle/evaluation";
import type { TaskReference } from "@waggle/protocol";

/** How often the base solves held-out tasks. */
export type BaseSuccess = { readonly greedy: SuccessRate; readonly sampled: SuccessRate };

/** Success by kind. */
export type KindSuccess = { readonly [kind: string]: BaseSuccess };

/**
 * The success of each kind, the kind with the most tasks first.
 * @param outcomes - one for each task, in their order
 * @returns `null` if all tasks are of one kind
 */
export function kindSuccess(
  spec: EnvironmentSpec,
  tasks: readonly TaskReference[],
  outcomes: Readonly<Record<keyof BaseSuccess, readonly boolean[]>>,
): KindSuccess | null {
  const places = Map.groupBy(
    tasks.keys(),
    (place) => spec.task(tasks[place] as TaskReference).kind,
  );
  if (places.size < 2) return null;
  const rate = (stage: keyof BaseSuccess, of: readonly number[]) =>
    successRate(of.map((place) => outcomes[stage][place] === true));
  const kinds = [...places].toSorted(([, a], [, b]) => b.length - a.length);
  return Object.fromEntries(
    kinds.map(([kind, of]) => [kind, { greedy: rate("greedy", of), sampled: rate("sampled", of) }]),
  );
}
