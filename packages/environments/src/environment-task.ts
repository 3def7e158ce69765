/** Draws task instances: checks the environment's name, seeds the stream and splits by content. */
import {
  type TaskReference,
  WaggleError,
  mulberry32,
  hashText,
  type RandomSource,
} from "@waggle/protocol";

/** One in this many instances is held out. */
const HELD_OUT_SHARE = 4;

/**
 * Draws until the instance belongs to the reference's split. An instance's key determines its split, so
 * no held-out instance is ever a training instance. Deterministic.
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
      `the task belongs to environment "${reference.environment.slice(0, 64)}", not "${environment}"`,
    );
  }
  const { seed, split } = reference;
  const random = mulberry32(hashText(`${environment}/${split}/${seed}`));
  for (;;) {
    const instance = draw(random);
    if (isOfSplit(reference, keyOf(instance))) return instance;
  }
}

/** Whether an instance with this key belongs to the reference's split. */
export function isOfSplit({ environment, split }: TaskReference, key: string): boolean {
  const isHeldOut = hashText(`${environment}/${key}`) % HELD_OUT_SHARE === 0;
  return isHeldOut === (split === "heldOut");
}
