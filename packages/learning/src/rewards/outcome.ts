/**
 * `outcome`: the verified reward at the end of a trajectory. If the verifier cannot judge, it throws and there
 * is no reward; that is never turned into 0.
 */
import { type Verification, WaggleError } from "@waggle/protocol";
import { option, definePart } from "../composition/part-options.ts";
import type { RewardPart } from "../composition/part.ts";
import { rewardPart } from "./reward-part.ts";

/** `score`: the verifier's number in [0, 1]. `success`: 1 or 0. */
export type OutcomeKind = "score" | "success";

/** All kinds; the first is the default. */
export const OUTCOME_KINDS: readonly OutcomeKind[] = ["score", "success"];

/** @throws WaggleError `NON_FINITE_REWARD` if the verifier's reward is not finite. */
export function outcomeReward(verification: Verification, kind: OutcomeKind = "score"): number {
  if (kind === "success") return verification.success ? 1 : 0;
  if (!Number.isFinite(verification.reward)) {
    throw new WaggleError(
      "NON_FINITE_REWARD",
      `the verifier returned a reward of ${verification.reward}; return a finite number, or throw REWARD_UNAVAILABLE if it cannot judge`,
    );
  }
  return verification.reward;
}

/** `judge`: the environment model's verdict on the end of a trajectory. */
export function imaginedOutcome(): RewardPart {
  return rewardPart("judge", ({ verification: { parts } }) => ({
    total: parts["verdict"] === true ? 1 : 0,
  }));
}

/** `outcome`: the verifier's result at the end, by default its reward. */
export function outcome(kind?: OutcomeKind): RewardPart {
  return definePart({ outcome: option(kind, "score", OUTCOME_KINDS) }, (given) =>
    rewardPart("outcome", ({ verification }) => ({
      total: outcomeReward(verification, given.outcome),
    })),
  );
}
