/**
 * AgentRM: a search over the turns of each task says what actions are worth, and a reward model learns to
 * rank them. The policy stays as it is.
 *
 * Source: Xia et al. 2025, "AgentRM: Enhancing Agent Generalization with Reward Modeling",
 * arXiv:2502.18407.
 * Differs from it: actions are compared at forks, not given their values; rollouts are worth their outcome
 * and, to a share, what the model says of them by then.
 * Why: at a fork two actions have the same past, so that no scale of values must be learned.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardModelStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const agentRm: CreateRecipe = recipe({
  name: "agent-rm",
  literature: "AgentRM",
  differs: [
    "actions are compared at forks, not given their values",
    "rollouts are worth their outcome and, to a share, what the model says of them by then",
  ],
  schedule: ["one"],
  settings: {
    ...{ attempts: 8, width: 2, exploration: 0.5, trust: 0.1, margin: 0.1 },
    ...{ taskPool: 96, steps: 25, learningRate: 3e-3 },
  },
  stages: ({ attempts, width, exploration, trust, margin, taskPool, steps, learningRate }) => [
    rewardModelStage({
      rollout: parts.tree(attempts, { rule: { kind: "uct", exploration }, width }),
      filters: [parts.forks(margin)],
      reward: parts.weighted<"rm">([
        [parts.outcome(), 1 - trust],
        [parts.rewardModel("logits"), trust],
      ]),
      advantage: parts.monteCarloTree(),
      losses: [parts.rank()],
      state: { rm: parts.rewardModelState, "tree-store": parts.searchTrees },
      steps,
      settings: { tasksPerStep: 12, taskPool, learningRate },
    }),
  ],
});
