/**
 * `mode-strata`: each group holds a least number of rollouts of every mode (answer at once, think,
 * use tools), so that each mode is compared and none dies out unseen.
 *
 * Source: A2FM (adaptive policy optimization), ALAMA.
 */
import { WaggleError } from "@waggle/protocol";

/**
 * `[size]` modes: `least` forced of each, in order, and `null` (the policy chooses) for the rest.
 *
 * @throws WaggleError `INVALID_ARGUMENT` where the group is too small for the strata.
 */
export function strataOfModes(
  modes: readonly string[],
  size: number,
  least: number,
): (string | null)[] {
  if (modes.length * least > size) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `a group must hold ${least} rollouts of each of ${modes.length} modes, got size ${size}; raise the size or lower the least`,
    );
  }
  const forced = modes.flatMap((mode) => Array.from({ length: least }, () => mode));
  return [...forced, ...Array.from({ length: size - forced.length }, () => null)];
}
