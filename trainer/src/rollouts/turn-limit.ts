/** The maximum number of tokens per turn. */
import { WaggleError } from "@waggle/protocol";

/** Calls and answers of the built-in environments are short. */
export const DEFAULT_TURN_TOKENS = 96;

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
