/** `redistribute` by what was learned of progress: outcomes spread over turns by a fitted estimator. */
import type { JudgedTrajectory, JudgedTurn } from "../composition/judged-trajectory.ts";
import type { FilterPart, RewardPart } from "../composition/part.ts";
import type { StatePart } from "../composition/state.ts";
import { redistributedRewards } from "../rewards/redistribute.ts";
import {
  fitProgress,
  type ProgressEstimator,
  progressEstimator,
  stepContributions,
} from "../states/progress-estimator.ts";
import { filterPart } from "./filter-part.ts";

/** Numbers that say what a turn was: what `featuresOf` gives. */
const FEATURES = 6;

/** Contributions of turns, linear in what they were; nothing is known before the first step. */
export const progressEstimate: StatePart<"progress-est"> = {
  slot: "state",
  part: "progress-est",
  initial: () => progressEstimator(FEATURES),
};

/** Runs, fails, repeats, answers in words, cannot be read; and one for every turn. */
function featuresOf({ turns }: JudgedTrajectory): number[][] {
  const made = new Set<string>();
  return turns.map((turn) => {
    const calls = callsOf(turn);
    const isRepeated = calls.length > 0 && calls.every((call) => made.has(call));
    for (const call of calls) made.add(call);
    const failed = turn.toolResults.some(({ ok }) => !ok);
    return [
      calls.length > 0 && !failed && !isRepeated,
      failed,
      isRepeated,
      calls.length === 0,
      turn.parseError !== null,
      true,
    ].map(Number);
  });
}

function callsOf({ toolCalls }: JudgedTurn): string[] {
  return toolCalls.map((call) => JSON.stringify([call.name, call.arguments]));
}

/** The outcome, spread over turns by the estimator; all on the last turn while it knows nothing. */
export function attributedProgress(): RewardPart<"progress-est"> {
  return {
    slot: "reward",
    part: "redistribute",
    needs: ["progress-est"],
    score: ({ trajectories }, { state }) =>
      trajectories.map((trajectory) => {
        const { reward } = trajectory.verification;
        if (trajectory.turns.length === 0) return { reward };
        const estimator = state["progress-est"] as ProgressEstimator;
        const contributions = stepContributions(estimator, featuresOf(trajectory));
        return { reward, turnRewards: redistributedRewards(reward, contributions) };
      }),
  };
}

/** Leaves none out: the estimator is fitted to the outcomes of this step's trajectories, in `passes` steps. */
export function fitsProgress(rate = 0.05, passes = 20): FilterPart<"progress-est"> {
  return filterPart(
    "fits-progress",
    (groups, { state }) => {
      const trajectories = groups.flatMap((group) =>
        group.trajectories.map(({ trajectory }) => trajectory),
      );
      const runs = trajectories.map(featuresOf);
      const outcomes = trajectories.map(({ verification }) => verification.reward);
      let estimator = state["progress-est"] as ProgressEstimator;
      for (let pass = 0; pass < passes && runs.length > 0; pass += 1) {
        estimator = fitProgress(estimator, runs, outcomes, rate);
      }
      return { groups, dropped: new Map(), state: { "progress-est": estimator } };
    },
    { needs: ["progress-est"] },
  );
}
