/**
 * `checklist` judged by rules: an environment with turn rewards states which criteria the calls met. A
 * criterion counts only if its evidence, the call, is in the record. No model judges.
 */
import { option, definePart } from "../composition/part-options.ts";
import type { JudgedTrajectory } from "../composition/judged-trajectory.ts";
import type { RewardPart } from "../composition/part.ts";
import type { StatePart } from "../composition/state.ts";
import {
  type ChecklistPayment,
  checklistRewards,
  type Criterion,
  type Verdict,
} from "./checklist.ts";

/** A judge made of the environment's own rules; nothing needs to be opened for it. */
export const ruleJudge: StatePart<"judge"> = {
  slot: "state",
  part: "judge",
  initial: () => "environment",
};

/** Weights below this count as 0. */
const LEAST_WEIGHT = 1e-9;

/**
 * Rewarded turns are met criteria, weighted by their reward; the remainder to 1 is one unmet criterion. If no
 * turn is rewarded, success is the only criterion.
 *
 * @param payment - default at the end: judged densely, paid sparsely.
 */
export function criteriaByRule(payment?: ChecklistPayment): RewardPart<"judge"> {
  return definePart(
    { criteriaByRulePayment: option(payment, "trajectory") },
    ({ criteriaByRulePayment: payment }) => ({
      slot: "reward",
      part: "checklist",
      needs: ["judge"],
      rewards: ({ trajectories }) =>
        trajectories.map((trajectory) => {
          if (trajectory.turns.length === 0) return { total: 0 };
          const { criteria, verdicts } = judgedByRule(trajectory);
          const turnRewards = checklistRewards(
            criteria,
            verdicts,
            trajectory.turns.map(callsOf).join("\n"),
            trajectory.turns.length,
            payment,
          );
          const met = verdicts.filter(({ verdict }) => verdict === "met").length;
          return {
            total: turnRewards.reduce((sum, reward) => sum + reward, 0),
            turnRewards,
            components: { met },
          };
        }),
    }),
  );
}

function judgedByRule({ turns, verification }: JudgedTrajectory): {
  readonly criteria: readonly Criterion[];
  readonly verdicts: readonly Verdict[];
} {
  const last = turns.length - 1;
  const isPaid = turns.some(({ reward }) => reward !== null);
  const criteria: Criterion[] = [];
  const verdicts: Verdict[] = [];
  const add = (turn: number, weight: number, isMet: boolean, evidence: string): void => {
    const name = `criterion ${criteria.length}`;
    criteria.push({ name, turn, weight });
    verdicts.push({ name, ...(isMet ? { verdict: "met", evidence } : { verdict: "failed" }) });
  };
  if (!isPaid) {
    add(last, 1, verification.success, turns.map(callsOf).join("\n"));
    return { criteria, verdicts };
  }
  let left = 1;
  for (const [t, turn] of turns.entries()) {
    const paid = turn.reward ?? 0;
    if (paid <= LEAST_WEIGHT) continue;
    add(t, paid, true, callsOf(turn));
    left -= paid;
  }
  if (left > LEAST_WEIGHT) add(last, left, false, "");
  return { criteria, verdicts };
}

/** The quote of a criterion. */
function callsOf({ toolCalls }: JudgedTrajectory["turns"][number]): string {
  return toolCalls
    .map(({ name, arguments: given }) => `${name} ${JSON.stringify(given)}`)
    .join(" ");
}
