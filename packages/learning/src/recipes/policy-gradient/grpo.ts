/** GRPO and its near relatives: one group of trajectories for each task, compared with each other. */
import { type CreateRecipe, recipe } from "../../composition/definition.ts";
import { rewardStage } from "../../composition/stage.ts";
import * as parts from "../../parts.ts";
import { demonstrationStart } from "../stages/demonstration-start.ts";
import { groupReinforcement } from "../stages/group-reinforcement.ts";

/**
 * GRPO with outcome rewards and without the KL term: the reference point of the literature's table.
 *
 * Source: Shao et al. 2024, "DeepSeekMath", arXiv:2402.03300, equation 3.
 * Differs from it: the loss is a token mean over the minibatch; no KL to a reference; the standard deviation is the
 * population's.
 * Why: a token mean gives long trajectories their full weight; a KL term costs a forward pass and changed nothing
 * at equal budget (docs/evidence/studies/kl-term.md); and in groups of equal size the conventions of the deviation
 * differ by a constant.
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
    "the loss is a token mean over the minibatch",
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
 * The default for assigned tasks from asynchronous, untrusted samplers: the group mean as the baseline without a
 * standard deviation, clip-higher, token mean, truncated token-level importance weights, and no groups with equal
 * rewards.
 *
 * Sources: Dr. GRPO arXiv:2503.20783; DAPO arXiv:2503.14476; truncated weights between sampler and trainer, Yao et
 * al. 2025; decoupled proximal policy arXiv:2110.00641, arXiv:2505.24298.
 * Differs from Dr. GRPO: the loss is a token mean over the minibatch instead of a constant length.
 * Why: a token mean gives long trajectories their full weight, and needs no length limit, which visitors'
 * trajectories do not share.
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
  differs: ["the loss is a token mean over the minibatch instead of a constant length"],
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
 * ARTIST: tool output is only context, with one terminal reward and no step labels. The reference point of other
 * recipes.
 *
 * Source: Singh et al. 2025, "Agentic Reasoning and Tool Integration for LLMs via Reinforcement Learning",
 * arXiv:2505.01441.
 * Differs from it: the loss is a token mean over the minibatch; groups with equal rewards are rolled out again.
 * Why: a token mean gives long trajectories their full weight, and groups of a nano model often have equal rewards.
 */
const artist: CreateRecipe = recipe({
  name: "artist",
  literature: "ARTIST",
  differs: [
    "the loss is a token mean over the minibatch",
    "groups with equal rewards are rolled out again",
  ],
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
 * SFT then GRPO for length: reinforcement learning shortens the answers learned from demonstrations and does not
 * raise accuracy.
 *
 * Source: "A Practical Two-Stage Recipe for Mathematical LLMs: Maximizing Accuracy with SFT and Efficiency with
 * Reinforcement Learning" (S006).
 * Differs from it: the loss is a token mean over the minibatch; groups with equal rewards are rolled out again.
 * Why: a token mean gives long trajectories their full weight, and groups of a nano model often have equal rewards.
 */
const sftGrpoLength: CreateRecipe = recipe({
  name: "sft-grpo-length",
  literature: "SFT then GRPO for length",
  differs: [
    "the loss is a token mean over the minibatch",
    "groups with equal rewards are rolled out again",
  ],
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
