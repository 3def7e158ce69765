/** Recipes that learn action values from stored trajectories. */
import { type CreateRecipe, recipe } from "../../composition/definition.ts";
import type { JudgedTrajectory } from "../../composition/judged-trajectory.ts";
import type { RewardPart } from "../../composition/part.ts";
import { rewardStage, tokenStage } from "../../composition/stage.ts";
import * as parts from "../../parts.ts";
import { bestProposals } from "../../losses/value/best-proposals.ts";

/**
 * CO-RFT: imitation first, then values over chunks of actions from stored trajectories, and the same on fresh ones.
 *
 * Source: Huang et al. 2025, "CO-RFT: Efficient Fine-Tuning of Vision-Language-Action Models through Chunked
 * Offline Reinforcement Learning", arXiv:2508.02219.
 * Differs from it: a chunk consists of turns, not of motor steps.
 * Why: the environments act by calls.
 */
const coRft: CreateRecipe = recipe({
  name: "co-rft",
  literature: "CO-RFT",
  differs: ["a chunk consists of turns, not of motor steps"],
  mechanism: "whole",
  schedule: ["offline-online"],
  settings: {
    discount: 0.95,
    chunk: 2,
    strength: 2.5,
    stored: 4,
    startSteps: 5,
    steps: 15,
    onlineSteps: 10,
    learningRate: 3e-3,
  },
  stages: ({ discount, chunk, strength, stored, learningRate, ...run }) => {
    const learned = {
      reward: parts.outcome(),
      advantage: parts.temporalDifference({ discount, chunk, next: "logged" }),
      losses: [parts.tdBc({ strength })],
      state: { critic: parts.valueHead },
    } as const;
    return [
      tokenStage({
        name: "imitation",
        rollout: parts.log(stored),
        losses: [parts.crossEntropy()],
        steps: run.startSteps,
        settings: { tasksPerStep: 32, learningRate },
      }),
      rewardStage({
        ...learned,
        name: "offline",
        rollout: parts.log(stored),
        steps: run.steps,
        settings: { tasksPerStep: 32, learningRate },
      }),
      rewardStage({
        ...learned,
        name: "online",
        rollout: parts.single(),
        steps: run.onlineSteps,
        settings: { tasksPerStep: 48, learningRate },
      }),
    ];
  },
});

/** Names of the parameters of the value head. */
const HEAD = /^score\./;

/**
 * Digi-Q: learns action values from stored trajectories with a head on frozen features; then the policy imitates
 * the best of several proposed actions.
 *
 * Source: Bai et al. 2025, "Digi-Q: Learning Q-Value Functions for Training Device-Control Agents",
 * arXiv:2502.15760.
 * Differs from it: the features are the policy's own, not fine-tuned for actionability; stored turns are replayed
 * in the environment so that their text is right.
 * Why: fine-tuning the features would be a second run.
 */
const digiQ: CreateRecipe = recipe({
  name: "digi-q",
  literature: "Digi-Q",
  differs: [
    "the features are the policy's own, not fine-tuned for actionability",
    "stored turns are replayed in the environment so that their text is right",
  ],
  mechanism: "partial",
  schedule: ["stages"],
  settings: {
    discount: 0.95,
    proposals: 4,
    stored: 4,
    criticSteps: 15,
    criticLearningRate: 0.01,
    steps: 15,
    learningRate: 3e-3,
  },
  stages: ({ discount, proposals, stored, ...run }) => [
    rewardStage({
      name: "critic",
      rollout: parts.log(stored),
      reward: parts.outcome(),
      advantage: parts.temporalDifference({ discount, chunk: 1, next: "best" }),
      losses: [
        parts.parameterSubset(
          parts.tdBc({ strength: 0, criticWeight: 1 }),
          (names) => new Set(names.filter((name) => HEAD.test(name))),
        ),
      ],
      state: { critic: parts.valueHead },
      steps: run.criticSteps,
      settings: { tasksPerStep: 32, learningRate: run.criticLearningRate },
    }),
    tokenStage({
      name: "best-of-n",
      rollout: parts.log(1, { count: proposals }),
      losses: [bestProposals()],
      state: { critic: parts.valueHead },
      steps: run.steps,
      settings: { tasksPerStep: 24, learningRate: run.learningRate },
    }),
  ],
});

/** Rank of a turn's result: 2 for a right answer, 1 for successful calls, 0 for anything else. */
function worthOf({ turns, verification }: JudgedTrajectory, turn: number): number {
  const { parseError, toolCalls, toolResults } = turns[turn] ?? {
    parseError: "none",
    toolCalls: [],
    toolResults: [],
  };
  if (parseError !== null || toolResults.some(({ ok }) => !ok)) return 0;
  if (toolCalls.length > 0) return 1;
  return verification.success ? 2 : 0;
}

/**
 * `preference`: the reward of a proposed action is 1 if its result ranks above the stored action's, 0 if below, and 0.5
 * for a tie. The reward of a stored trajectory is its verified reward.
 */
function actionPreference(): RewardPart {
  return {
    slot: "reward",
    part: "preference",
    needs: [],
    rewards: ({ trajectories }) =>
      trajectories.map((trajectory) => {
        const { branch } = trajectory;
        const stored = trajectories.find(({ id }) => id === branch?.trajectory);
        if (branch === null || stored === undefined) {
          return { total: trajectory.verification.reward };
        }
        const gap = worthOf(trajectory, branch.turn) - worthOf(stored, branch.turn);
        return { total: (1 + Math.sign(gap)) / 2 };
      }),
  };
}

/**
 * OAP: learns values from stored trajectories, and imitates a stored action in each state according to its
 * preference over an action proposed by the policy.
 *
 * Source: Yang et al. 2023, "Boosting Offline Reinforcement Learning with Action Preference Query",
 * arXiv:2306.03362.
 * Differs from it: the preference compares results: right answers before successful calls, and those before failed
 * or unreadable actions.
 * Why: the record contains the results, while a judge of actions would have to be trusted.
 */
const oap: CreateRecipe = recipe({
  name: "oap",
  literature: "OAP",
  differs: [
    "the preference compares results: right answers before successful calls, and those before failed or unreadable actions",
  ],
  mechanism: "partial",
  schedule: ["one"],
  settings: {
    discount: 0.95,
    strength: 2.5,
    relaxed: 0.2,
    tightened: 2,
    stored: 4,
    steps: 25,
    learningRate: 3e-3,
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
            if (proposal === undefined || proposal.reward.total === 0.5) return 1;
            return proposal.reward.total > 0.5 ? relaxed : tightened;
          },
        }),
      ],
      state: { critic: parts.valueHead },
      steps,
      settings: { tasksPerStep: 24, learningRate },
    }),
  ],
});

export const VALUE_RECIPES: readonly CreateRecipe[] = [coRft, digiQ, oap];
