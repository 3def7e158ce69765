/** `progress`: how far a trajectory came, from the environment's turn rewards or its own measure. */
import type { JudgedTrajectory } from "../composition/judged-trajectory.ts";
import { option, definePart } from "../composition/part-options.ts";
import type { RewardPart } from "../composition/part.ts";
import { rewardPart } from "./reward-part.ts";

/** `all`: every rewarded turn counts. `prefix`: only those before the first call without a reward. */
type CountedTurns = "all" | "prefix";

const COUNTED_TURNS: readonly CountedTurns[] = ["all", "prefix"];

/** Rounds sums of shares such as 1/3, whose last bits depend on the order of addition. */
const DIGITS = 1e12;

/** `[turns]` rewards of the counted turns; `null` if the environment rewards no turns. */
function paidTurns({ turns }: JudgedTrajectory, counted: CountedTurns): number[] | null {
  if (turns.every(({ reward }) => reward === null)) return null;
  const broken = turns.findIndex(
    ({ reward, toolCalls }) => toolCalls.length > 0 && (reward ?? 0) <= 0,
  );
  const end = counted === "all" || broken < 0 ? turns.length : broken;
  return turns.map(({ reward }, i) => (i < end ? (reward ?? 0) : 0));
}

function measuredProgress({ verification: { reward, parts } }: JudgedTrajectory): number {
  const measured = parts["progress"];
  return typeof measured === "number" && Number.isFinite(measured) ? measured : reward;
}

/**
 * `progress`: the sum of the turn rewards, given per turn or all at the end. Not a verdict: a failed trajectory
 * is rewarded for what it did right. Without turn rewards it is the number `progress` of the verification, or
 * else the verifier's reward.
 *
 * @param counted - `prefix` as in "Reinforced Reasoning for Embodied Planning": steps after the first wrong one
 *   are worth nothing.
 */
export function progress(payment?: "turn" | "trajectory", counted?: CountedTurns): RewardPart {
  return definePart(
    {
      payment: option(payment, "turn", ["turn", "trajectory"]),
      countedTurns: option(counted, "all", COUNTED_TURNS),
    },
    (given) => ({
      ...rewardPart("progress", (trajectory) => {
        const { turns } = trajectory;
        const paid = paidTurns(trajectory, given.countedTurns);
        const sum = paid?.reduce((all, one) => all + one, 0);
        const total =
          sum === undefined ? measuredProgress(trajectory) : Math.round(sum * DIGITS) / DIGITS;
        const isLate = given.payment === "trajectory";
        const turnRewards = isLate
          ? turns.map((_, i) => (i === turns.length - 1 ? total : 0))
          : (paid ?? turns.map(() => 0));
        return { total, turnRewards };
      }),
      reads: ["progress"],
    }),
  );
}
