/**
 * `mask-stages`: which spans of a run carry loss changes by stage: first following plans, then making
 * them, then both.
 *
 * Source: PilotRL (global planning-guided progressive RL).
 */
import { WaggleError } from "@waggle/protocol";

/** From this step on, these spans carry loss. */
export type MaskStage<K extends string> = {
  readonly fromStep: number;
  readonly learned: readonly K[];
};

/**
 * `[T]` the mask at a step.
 *
 * @param kinds - `[T]` span each token is in, `null` for none.
 * @param lossMask - `[T]` tokens that may carry loss at all.
 * @throws WaggleError `INVALID_ARGUMENT` where no stage has begun at this step.
 */
export function stageMask<K extends string>(
  stages: readonly MaskStage<K>[],
  step: number,
  kinds: readonly (K | null)[],
  lossMask: readonly boolean[],
): boolean[] {
  const stage = stages.findLast(({ fromStep }) => fromStep <= step);
  if (stage === undefined) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `stages must begin at step 0, got ${stages[0]?.fromStep ?? "none"} for step ${step}; add a first stage`,
    );
  }
  return lossMask.map((kept, t) => {
    const kind = kinds[t] ?? null;
    return kept && kind !== null && stage.learned.includes(kind);
  });
}
