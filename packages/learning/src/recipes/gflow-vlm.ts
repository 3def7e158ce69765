/**
 * GFlowVLM: trajectories are sampled in proportion to their reward instead of as the best one, among those that
 * the base would say.
 *
 * Source: "GFlowVLM: Enhancing Multi-step Reasoning in Vision-Language Models with Generative Flow
 * Networks", arXiv:2503.06514.
 * Differs from it: log Z is estimated from the batch, not learned; trajectory balance; the reward is
 * exp(outcome / β) times the base's probability, as in "Trajectory Balance with Asynchrony", arXiv:2503.18929.
 * Why: the abstract names no loss, a batch needs no head for Z, and texts without a reward are so many more
 * that a flow in proportion to the outcome alone is almost all theirs.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { tokenStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const gflowVlm: CreateRecipe = recipe({
  name: "gflow-vlm",
  literature: "GFlowVLM",
  differs: [
    "log Z is estimated from the batch, not learned",
    "trajectory balance, as the abstract names no loss",
    "the reward is exp(outcome / β) times the base's probability",
  ],
  schedule: ["one"],
  settings: { beta: 0.2, steps: 25, learningRate: 3e-3 },
  stages: ({ beta, steps, learningRate }) => [
    // Trajectory balance needs no advantage: the gap to log R is its own.
    tokenStage({
      rollout: parts.single(),
      reward: parts.outcome(),
      losses: [parts.trajectoryBalancing(beta, "batch")],
      state: { ref: parts.reference },
      steps,
      settings: { tasksPerStep: 96, learningRate },
    }),
  ],
});
