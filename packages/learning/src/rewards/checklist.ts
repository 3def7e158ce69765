/**
 * `checklist`: binary criteria per turn, each with a quote as evidence; judged densely, paid sparsely. A
 * criterion without valid evidence fails; one whose condition is false is skipped; an unjudged one makes the
 * reward unavailable.
 *
 * Source: CM2, "Reinforcement Learning with Checklist Rewards"; AgentIF (conditional constraints).
 */
import { option, definePart } from "../composition/part-options.ts";
import { WaggleError } from "@waggle/protocol";
import type { RewardPart } from "../composition/part.ts";
import { rewardPart } from "./reward-part.ts";

/** One criterion of a checklist. */
export type Criterion = {
  readonly name: string;
  /** Turn at which it is judged. */
  readonly turn: number;
  /** Default 1. */
  readonly weight?: number;
  /** Criteria that must be met first; if a parent fails, its children fail. */
  readonly after?: readonly string[];
};

/** The judgment of one criterion. */
export type Verdict = {
  readonly name: string;
  /** `skipped`: its condition is false. `unjudged`: it could not be judged. */
  readonly verdict: "met" | "failed" | "skipped" | "unjudged";
  /** Exact quote from the transcript; required for `met`. */
  readonly evidence?: string;
};

/** Whether the evidence is a non-empty verbatim quote from the transcript. */
export function isEvidence(evidence: string | undefined, transcript: string): boolean {
  return evidence !== undefined && evidence.trim() !== "" && transcript.includes(evidence);
}

/** When criteria are paid: at each turn, or all at the last turn. */
export type ChecklistPayment = "turn" | "trajectory";

/**
 * `[turns]` weighted share of met criteria; the sum is in [0, 1].
 *
 * @throws WaggleError `REWARD_UNAVAILABLE` for an unjudged criterion, `INVALID_ARGUMENT` for a criterion
 *   without a verdict or outside the turns.
 */
export function checklistRewards(
  criteria: readonly Criterion[],
  verdicts: readonly Verdict[],
  transcript: string,
  turns: number,
  payment: ChecklistPayment = "trajectory",
): number[] {
  const byName = new Map(verdicts.map((verdict) => [verdict.name, verdict]));
  const met = new Map<string, boolean>();
  const rewards = Array.from({ length: turns }, () => 0);
  let total = 0;
  for (const { name, turn, weight = 1, after = [] } of criteria) {
    const verdict = byName.get(name);
    if (verdict === undefined || turn < 0 || turn >= turns) {
      throw new WaggleError(
        "INVALID_ARGUMENT",
        `criterion ${name} has turn ${turn}, but the trajectory has turns 0 to ${turns - 1}; give every criterion a verdict and a turn`,
      );
    }
    if (verdict.verdict === "unjudged") {
      throw new WaggleError(
        "REWARD_UNAVAILABLE",
        `criterion ${name} was not judged; judge again or drop the trajectory`,
        { retryable: true },
      );
    }
    if (verdict.verdict === "skipped") continue;
    const holds =
      verdict.verdict === "met" &&
      isEvidence(verdict.evidence, transcript) &&
      after.every((parent) => met.get(parent) ?? false);
    met.set(name, holds);
    total += weight;
    const paidAt = payment === "turn" ? turn : turns - 1;
    if (holds) rewards[paidAt] = rewards[paidAt]! + weight;
  }
  return total === 0 ? rewards : rewards.map((reward) => reward / total);
}

/** `checklist`: criteria with evidence, as the environment rewards them; `trajectory` pays all at the end. */
export function checklist(payment?: "turn" | "trajectory"): RewardPart {
  return definePart(
    { checklistPayment: option<"turn" | "trajectory">(payment, "turn", ["turn", "trajectory"]) },
    ({ checklistPayment: payment }) =>
      rewardPart("checklist", ({ verification, turns }) => {
        const paid = turns.map(({ reward }) => reward ?? 0);
        const sum = paid.reduce((all, reward) => all + reward, 0);
        const reward = Math.max(sum, verification.reward);
        return payment === "turn" ? { total: reward, turnRewards: paid } : { total: reward };
      }),
  );
}
