/** `process` by rule: rewards of turns are computed from their calls and results; no model judges. */
import { calibratedByOutcome } from "../advantages/step-mix.ts";
import type { JudgedTrajectory } from "../composition/judged-trajectory.ts";
import { option, definePart } from "../composition/part-options.ts";
import type { RewardPart } from "../composition/part.ts";
import { outcome, OUTCOME_KINDS, type OutcomeKind, outcomeReward } from "./outcome.ts";
import { rewardPart } from "./reward-part.ts";

/** `[turns]` 1 if all calls ran and were new, else 0; a turn without calls counts as new. */
function newAndRan({ turns }: JudgedTrajectory): number[] {
  const earlier = new Set<string>();
  return turns.map(({ toolCalls, toolResults }) => {
    const calls = toolCalls.map((call) => JSON.stringify([call.name, call.arguments]));
    const isNew = calls.length === 0 || calls.some((call) => !earlier.has(call));
    for (const call of calls) earlier.add(call);
    return isNew && toolResults.every(({ ok }) => ok) ? 1 : 0;
  });
}

/** Rewards of turns stay within `spread` of the outcome, by default 0.25; the reward itself is the outcome. */
export function ruleProcess(
  turnRewardsOf: (trajectory: JudgedTrajectory) => readonly number[] = newAndRan,
  spread?: number,
): RewardPart {
  return definePart(
    {
      spread: option(spread, 0.25),
      outcome: option<OutcomeKind>(undefined, "score", OUTCOME_KINDS),
    },
    (given) => ({
      ...rewardPart("process", (trajectory) => {
        const reward = outcomeReward(trajectory.verification, given.outcome);
        if (trajectory.turns.length === 0) return { total: reward };
        const turnRewards = calibratedByOutcome(reward, turnRewardsOf(trajectory), given.spread);
        return { total: reward, turnRewards };
      }),
      around: [outcome(given.outcome)],
    }),
  );
}
