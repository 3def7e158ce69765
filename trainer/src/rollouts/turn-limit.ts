/** Checks the maximum number of tokens per turn. Environments and rollouts have the default. */
import { WaggleError } from "@waggle/protocol";

/**
 * @throws WaggleError `INVALID_ARGUMENT` for a limit that leaves no room for a prompt; an absent
 *   limit is not checked.
 */
export function requireTurnTokens(turnTokens: number | undefined, contextLength: number): void {
  if (turnTokens === undefined || turnTokens < contextLength) return;
  throw new WaggleError(
    "INVALID_ARGUMENT",
    `--turn-tokens ${turnTokens} leaves no room for a prompt in the model's context of ${contextLength} tokens; choose a smaller number`,
  );
}
