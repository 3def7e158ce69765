/**
 * OAP: values from stored runs, and whether an action that the policy proposes is preferred to the stored
 * one says, state by state, how strongly the stored one is imitated.
 *
 * Source: Yang et al. 2023, "Boosting Offline Reinforcement Learning with Action Preference Query",
 * arXiv:2306.03362.
 * Differs from it: who is asked sees what both actions came to: right answers before calls that ran,
 * those before what failed or could not be read.
 * Why: what actions came to is in the record, where a judge of actions would have to be believed.
 */
import type { JudgedTrajectory } from "../composition/judged-trajectory.ts";
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import type { RewardPart } from "../composition/part.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

/** What an action came to, better ones higher. */
function worthOf({ turns, verification }: JudgedTrajectory, turn: number): number {
  const { parseError, toolCalls, toolResults } = turns[turn] ?? {
    ...{ parseError: "none", toolCalls: [], toolResults: [] },
  };
  if (parseError !== null || toolResults.some(({ ok }) => !ok)) return 0;
  if (toolCalls.length > 0) return 1;
  return verification.success ? 2 : 0;
}

/**
 * `preference`: of a stored trajectory its outcome, of a proposal whether it is preferred to what was done:
 * 1 or 0, and 0.5 where neither is.
 */
function actionPreference(): RewardPart {
  return {
    slot: "reward",
    part: "preference",
    needs: [],
    score: ({ trajectories }) =>
      trajectories.map((trajectory) => {
        const { branch } = trajectory;
        const stored = trajectories.find(({ id }) => id === branch?.trajectory);
        if (branch === null || stored === undefined) {
          return { reward: trajectory.verification.reward };
        }
        const gap = worthOf(trajectory, branch.turn) - worthOf(stored, branch.turn);
        return { reward: (1 + Math.sign(gap)) / 2 };
      }),
  };
}

export const oap: CreateRecipe = recipe({
  name: "oap",
  literature: "OAP",
  differs: [
    "who is asked sees what both actions came to: right answers before calls that ran, those before what failed or could not be read",
  ],
  schedule: ["one"],
  settings: {
    ...{ discount: 0.95, strength: 2.5, relaxed: 0.2, tightened: 2 },
    ...{ stored: 4, steps: 25, learningRate: 3e-3 },
  },
  stages: ({ discount, strength, relaxed, tightened, stored, steps, learningRate }) => [
    rewardStage({
      rollout: parts.log(stored, { count: 1, answered: true }),
      reward: actionPreference(),
      advantage: parts.temporalDifference({ discount, chunk: 1, next: "logged" }),
      losses: [
        parts.tdBc({
          strength,
          constraintOf: (_, __, [proposal]) => {
            if (proposal === undefined || proposal.score.reward === 0.5) return 1;
            return proposal.score.reward > 0.5 ? relaxed : tightened;
          },
        }),
      ],
      state: { critic: parts.valueHead },
      steps,
      settings: { tasksPerStep: 24, learningRate },
    }),
  ],
});
