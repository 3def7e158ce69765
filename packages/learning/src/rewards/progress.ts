/** `progress`: how far a trajectory came, by what the environment pays for single turns or says of the whole. */
import type { JudgedTrajectory } from "../composition/judged-trajectory.ts";
import { option, definePart } from "../composition/part-options.ts";
import type { RewardPart } from "../composition/part.ts";
import { rewardPart } from "./reward-part.ts";

/** `all`: every paid turn counts. `prefix`: those before the first turn that called and earned nothing. */
type CountedTurns = "all" | "prefix";

const COUNTED_TURNS: readonly CountedTurns[] = ["all", "prefix"];

/** Sums of shares such as 1/3 differ in their last bits by the order that they were earned in. */
const DIGITS = 1e12;

/** `[turns]` what each turn earned and whose pay counts; `null` where the environment pays no turn. */
function paidTurns({ turns }: JudgedTrajectory, counted: CountedTurns): number[] | null {
  if (turns.every(({ reward }) => reward === null)) return null;
  const broken = turns.findIndex(
    ({ reward, toolCalls }) => toolCalls.length > 0 && (reward ?? 0) <= 0,
  );
  const end = counted === "all" || broken < 0 ? turns.length : broken;
  return turns.map(({ reward }, i) => (i < end ? (reward ?? 0) : 0));
}

function saidProgress({ verification: { reward, parts } }: JudgedTrajectory): number {
  const said = parts["progress"];
  return typeof said === "number" && Number.isFinite(said) ? said : reward;
}

/**
 * The sum of what turns earned, paid to each of them or all of it at the end. It is no verdict: a run that failed
 * is paid for what it did right. Where the environment pays no turn it is the number `progress` of its
 * judgement, and the verifier's reward where there is none.
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
          sum === undefined ? saidProgress(trajectory) : Math.round(sum * DIGITS) / DIGITS;
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
