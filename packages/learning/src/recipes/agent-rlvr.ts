/**
 * Agent-RLVR: failed tasks are rolled out again with guidance, and what came of it is learned; a reward
 * model learns from the same rollouts which of two is better.
 *
 * Source: "Agent-RLVR: Training Software Engineering Agents via Guidance and Environment Rewards",
 * arXiv:2506.11425.
 * Differs from it: guidance is one sentence; GRPO in place of preferences; the reward model is trained,
 * but chooses no rollouts at test time.
 * Why: a nano model writes no plans, and groups need no second copy of the policy.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardModelStage, rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

const GUIDANCE = "That failed. Use a tool, read its result, then answer.";

export const agentRlvr: CreateRecipe = recipe({
  name: "agent-rlvr",
  literature: "Agent-RLVR",
  differs: [
    "guidance is one sentence",
    "GRPO in place of preferences",
    "the reward model is trained, but chooses no rollouts at test time",
  ],
  schedule: ["rounds"],
  settings: { groupSize: 8, epsilon: 0.2, modelSteps: 4, steps: 12, rounds: 2, learningRate: 3e-3 },
  stages: ({ groupSize, epsilon, modelSteps, steps, learningRate }) => [
    rewardModelStage({
      name: "reward-model",
      rollout: parts.retry(GUIDANCE, groupSize),
      filters: [parts.pairGap()],
      reward: parts.outcome(),
      losses: [parts.rank()],
      state: { rm: parts.rewardModelState },
      steps: modelSteps,
      settings: { tasksPerStep: 12, learningRate },
    }),
    rewardStage({
      rollout: parts.retry(GUIDANCE, groupSize),
      filters: [parts.mixedGroup()],
      reward: parts.outcome(),
      advantage: parts.groupAdvantage(),
      losses: [parts.pgClip(epsilon)],
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});
