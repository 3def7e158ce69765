/**
 * The default for assigned tasks from asynchronous, untrusted samplers: group mean as the baseline
 * without a standard deviation, clip higher, token-mean, token-level truncated importance weights,
 * groups without a signal left out.
 *
 * Sources: Dr. GRPO arXiv:2503.20783; DAPO arXiv:2503.14476; truncated weights between sampler and
 * trainer, Yao et al. 2025; decoupled proximal policy arXiv:2110.00641, arXiv:2505.24298.
 * Differs from Dr. GRPO: token-mean over the minibatch instead of a constant length.
 * Why: a token mean keeps long trajectories from weighing less, and needs no length that visitors' trajectories do
 * not have.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const drGrpoTis: CreateRecipe = recipe({
  name: "dr-grpo-tis",
  literature: {
    recipe: "Dr. GRPO with truncated importance sampling",
    paper: "Understanding R1-Zero-Like Training: A Critical Perspective",
    system: null,
    table: "policy-gradient",
    parts: {
      rollout: ["async", "group"],
      filter: ["mixed-group"],
      reward: ["outcome"],
      advantage: ["group"],
      loss: ["clip-high", "tis"],
      schedule: ["one"],
    },
    difference:
      "No division by the deviation, a wider upper bound, weights for what an older policy sampled.",
  },
  differs: ["token-mean over the minibatch instead of a constant length"],
  schedule: ["one"],
  settings: {
    ...{ groupSize: 8, tasks: 16, lower: 0.2, upper: 0.28, weightCap: 2 },
    ...{ steps: 25, learningRate: 3e-3 },
  },
  stages: ({ groupSize, tasks, lower, upper, weightCap, steps, learningRate }) => [
    rewardStage({
      rollout: parts.asynchronous(parts.group(groupSize)),
      filters: [parts.mixedGroup()],
      reward: parts.outcome(),
      advantage: parts.groupAdvantage({ scale: "none" }),
      losses: [parts.truncatedImportance(parts.clipHigh(lower, upper), weightCap)],
      steps,
      settings: { tasksPerStep: tasks, learningRate },
    }),
  ],
});
