/**
 * `outcome`: the terminal, verified score of a trajectory. Where the verifier could not judge there is no
 * reward at all: it throws, and nothing here turns that into 0.
 */
import type { Verification } from "@waggle/protocol";
import { WaggleError } from "@waggle/protocol";

/** `score`: the verifier's number in [0, 1]. `success`: 1 or 0. */
export type OutcomeKind = "score" | "success";

export const OUTCOME_KINDS: readonly OutcomeKind[] = ["score", "success"];

/** @throws WaggleError `NON_FINITE_REWARD` for a verifier that says no number. */
export function outcomeReward(verification: Verification, kind: OutcomeKind = "score"): number {
  if (kind === "success") return verification.success ? 1 : 0;
  if (!Number.isFinite(verification.reward)) {
    throw new WaggleError(
      "NON_FINITE_REWARD",
      `a verifier must return a finite reward, got ${verification.reward}; throw REWARD_UNAVAILABLE where it cannot judge`,
    );
  }
  return verification.reward;
}
