/**
 * `outcome`: the terminal, verified score of a trajectory. Where the verifier could not judge there is no
 * reward at all: it throws, and nothing here turns that into 0.
 */
import { type Verification, WaggleError } from "@waggle/protocol";
import { option, definePart } from "../composition/part-options.ts";
import type { RewardPart } from "../composition/part.ts";
import { rewardPart } from "./reward-part.ts";

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

/** `judge`: what the model of the environment says of how a trajectory ended. */
export function imaginedOutcome(): RewardPart {
  return rewardPart("judge", ({ verification: { parts } }) => ({
    total: parts["verdict"] === true ? 1 : 0,
  }));
}

/** `outcome`: what the verifier says at the end, by default its score. */
export function outcome(kind?: OutcomeKind): RewardPart {
  return definePart({ outcome: option(kind, "score", OUTCOME_KINDS) }, (given) =>
    rewardPart("outcome", ({ verification }) => ({
      total: outcomeReward(verification, given.outcome),
    })),
  );
}
