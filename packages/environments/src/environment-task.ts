/** What environments share in drawing an instance: the right environment, a stream by seed, a split by content. */
import { type TaskReference, WaggleError } from "@waggle/protocol";
import { createRandom, hashText, type RandomSource } from "./random.ts";

/** One in so many instances is held out. */
const HELD_OUT_SHARE = 4;

/**
 * Draws until the instance belongs to the reference's split, which its key decides: no held-out instance
 * is ever a training one. Deterministic.
 *
 * @throws WaggleError `INVALID_ARGUMENT` for a reference of another environment.
 */
export function drawInstance<I>(
  environment: string,
  reference: TaskReference,
  draw: (random: RandomSource) => I,
  keyOf: (instance: I) => string,
): I {
  if (reference.environment !== environment) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `environment must be "${environment}", got "${reference.environment.slice(0, 64)}"; ask the environment that made the task`,
    );
  }
  const { seed, split } = reference;
  const random = createRandom(hashText(`${environment}/${split}/${seed}`));
  for (;;) {
    const instance = draw(random);
    if (isOfSplit(reference, keyOf(instance))) return instance;
  }
}

/** Whether an instance of this key belongs to the reference's split. */
export function isOfSplit({ environment, split }: TaskReference, key: string): boolean {
  const isHeldOut = hashText(`${environment}/${key}`) % HELD_OUT_SHARE === 0;
  return isHeldOut === (split === "heldOut");
}

/** An integer in [0, count). */
export function integerBelow(random: RandomSource, count: number): number {
  return Math.floor(random() * count);
}
