/** GRPO and its near relatives: one group of trajectories for each task, compared with each other. */
import { type CreateRecipe, recipe } from "../../composition/definition.ts";
import { rewardStage } from "../../composition/stage.ts";
import * as parts from "../../parts.ts";
import { demonstrationStart } from "../stages/demonstration-start.ts";
import { groupReinforcement } from "../stages/group-reinforcement.ts";

/**
 * GRPO with outcome rewards and without the KL term: the point that the literature's rows differ from.
 *
 * Source: Shao et al. 2024, "DeepSeekMath", arXiv:2402.03300, equation 3.
 * Differs from it: token-mean over the minibatch instead of a mean over each trajectory first; no
 * reference KL; the standard deviation is the population's.
 * Why: a token mean keeps long trajectories from weighing less, a pull to the reference costs a forward pass and
 * changed nothing at equal budget (docs/evidence/studies/kl-term.md), and in groups of one size the
 * conventions of the deviation differ by a constant.
 */
const grpo: CreateRecipe = recipe({
  name: "grpo",
  literature: {
    recipe: "GRPO",
    paper: "DeepSeekMath: Pushing the Limits of Mathematical Reasoning in Open Language Models",
    system: null,
    table: "policy-gradient",
    parts: {
      rollout: ["group"],
      reward: ["outcome"],
      advantage: ["group"],
      loss: ["pg-clip"],
      schedule: ["one"],
    },
    difference: "Nothing: it is plain GRPO.",
  },
  differs: [
    "token-mean over the minibatch",
    "no KL to a reference",
    "the standard deviation is the population's",
  ],
  mechanism: "whole",
  schedule: ["one"],
  settings: { groupSize: 8, tasks: 16, epsilon: 0.2, steps: 25, learningRate: 3e-3 },
  stages: ({ groupSize, tasks, epsilon, steps, learningRate }) => [
    rewardStage({
      rollout: parts.group(groupSize),
      reward: parts.outcome(),
      advantage: parts.groupAdvantage(),
      losses: [parts.pgClip(epsilon)],
      steps,
      settings: { tasksPerStep: tasks, learningRate },
    }),
  ],
});

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
const drGrpoTis: CreateRecipe = recipe({
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
  mechanism: "whole",
  schedule: ["one"],
  settings: {
    groupSize: 8,
    tasks: 16,
    lower: 0.2,
    upper: 0.28,
    weightCap: 2,
    steps: 25,
    learningRate: 3e-3,
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

/**
 * ARTIST: tool output is context only, one terminal reward, no step labels. The reference point that
 * other recipes differ from.
 *
 * Source: Singh et al. 2025, "Agentic Reasoning and Tool Integration for LLMs via Reinforcement
 * Learning", arXiv:2505.01441.
 * Differs from it: token-mean over the minibatch; groups without a signal are rolled out again.
 * Why: a token mean keeps long trajectories from weighing less, and a nano model's groups are often all right or
 * all wrong.
 */
const artist: CreateRecipe = recipe({
  name: "artist",
  literature: "ARTIST",
  differs: ["token-mean over the minibatch", "groups without a signal are rolled out again"],
  mechanism: "whole",
  schedule: ["one"],
  settings: { groupSize: 8, epsilon: 0.2, steps: 25, learningRate: 3e-3 },
  stages: ({ groupSize, epsilon, steps, learningRate }) => [
    rewardStage({
      rollout: parts.group(groupSize),
      filters: [parts.mixedGroup()],
      reward: parts.outcome(),
      advantage: parts.groupAdvantage(),
      losses: [parts.spanMask(parts.pgClip(epsilon))],
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});

/**
 * SFT then GRPO for length: the reward shortens what was learned from demonstrations, it does not lift
 * accuracy.
 *
 * Source: "A Practical Two-Stage Recipe for Mathematical LLMs: Maximizing Accuracy with SFT and
 * Efficiency with Reinforcement Learning" (S006).
 * Differs from it: token-mean over the minibatch; groups without a signal are rolled out again.
 * Why: a token mean keeps long trajectories from weighing less, and a nano model's groups are often all right or
 * all wrong.
 */
const sftGrpoLength: CreateRecipe = recipe({
  name: "sft-grpo-length",
  literature: "SFT then GRPO for length",
  differs: ["token-mean over the minibatch", "groups without a signal are rolled out again"],
  mechanism: "whole",
  schedule: ["sft-rl"],
  settings: {
    groupSize: 8,
    epsilon: 0.2,
    startSteps: 2,
    steps: 25,
    learningRate: 3e-3,
    limit: 128,
    buffer: 112,
  },
  stages: ({ groupSize, epsilon, startSteps, steps, learningRate, limit, buffer }) => [
    demonstrationStart({ steps: startSteps, learningRate }),
    groupReinforcement({
      groupSize,
      reward: parts.weighted([
        [parts.outcome(), { default: 1 }],
        [parts.overlong(limit, buffer), { default: 1 }],
      ]),
      loss: parts.pgClip(epsilon),
      steps,
      learningRate,
    }),
  ],
});

export const GRPO_RECIPES: readonly CreateRecipe[] = [grpo, drGrpoTis, artist, sftGrpoLength];
