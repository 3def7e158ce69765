/** Actor-critic recipes: a value head is the baseline, for each token or for each turn. */
import { type CreateRecipe, recipe } from "../../composition/definition.ts";
import { rewardStage } from "../../composition/stage.ts";
import * as parts from "../../parts.ts";
import { demonstrationStart } from "../stages/demonstration-start.ts";

/**
 * RL4VLM: an end-to-end actor-critic on single trajectories, with actions parsed from text.
 *
 * Source: Zhai et al. 2024, "Fine-Tuning Large Vision-Language Models as Decision-Making Agents via Reinforcement
 * Learning", arXiv:2405.10292.
 * Differs from it: no images; thought and action tokens have equal weight; time counts tokens, not environment
 * steps, so λ is 1; the critic's gradient stops at its head.
 * Why: the models read only text and mark no thoughts, and a critic's gradient in the shared adapter made the
 * policy unlearn.
 */
const rl4vlm: CreateRecipe = recipe({
  name: "rl4vlm",
  literature: "RL4VLM",
  differs: [
    "no images",
    "thought and action tokens have equal weight",
    "time counts tokens, not environment steps, so λ is 1",
    "the critic's gradient stops at its head",
  ],
  mechanism: "nominal",
  schedule: ["one"],
  // Two steps are taken on each batch, each half as long as where there is one.
  settings: { epsilon: 0.2, lambda: 1, epochs: 2, steps: 25, learningRate: 1.5e-3 },
  stages: ({ epsilon, lambda, epochs, steps, learningRate }) => [
    rewardStage({
      rollout: parts.single(),
      reward: parts.outcome(),
      advantage: parts.gae({ lambda }),
      losses: [parts.pgClip(epsilon), { loss: parts.critic(), weight: parts.CRITIC_WEIGHT }],
      state: { critic: parts.valueHead },
      steps,
      settings: { tasksPerStep: 96, epochs, learningRate },
    }),
  ],
});

/**
 * VL-DAC: one critic value per turn, and one ratio per token for the policy.
 *
 * Source: "Enhancing Vision-Language Model Training with Reinforcement Learning in Synthetic Worlds for Real-World
 * Success" (S140), arXiv:2508.04280.
 * Differs from it: no KL to a reference and no initial steps of the critic alone.
 * Why: a KL term costs a forward pass, and a critic that starts at 0 needs no separate steps.
 */
const vlDac: CreateRecipe = recipe({
  name: "vl-dac",
  literature: "VL-DAC",
  differs: [
    "the loss is a token mean over the minibatch",
    "no KL to a reference and no initial steps of the critic alone",
  ],
  mechanism: "whole",
  needs: ["turn-rewards"],
  schedule: ["one"],
  settings: { epsilon: 0.2, lambda: 0.95, steps: 25, learningRate: 3e-3 },
  stages: ({ epsilon, lambda, steps, learningRate }) => [
    rewardStage({
      rollout: parts.single(),
      reward: parts.outcome(),
      advantage: parts.gaeStep({ lambda }),
      losses: [parts.pgClip(epsilon), { loss: parts.critic("turns"), weight: parts.CRITIC_WEIGHT }],
      state: { critic: parts.valueHead },
      steps,
      settings: { tasksPerStep: 96, learningRate },
    }),
  ],
});

/**
 * ERA: dense rewards along the way and turn-level credit, after a start from demonstrations.
 *
 * Source: "ERA: Transforming VLMs into Embodied Agents via Embodied Prior Learning and Online Reinforcement
 * Learning" (S144).
 * Differs from it: no summaries in the context; the critic's gradient stops at its head.
 * Why: trajectories fit the context, and a critic's gradient in the shared adapter made the policy unlearn.
 */
const era: CreateRecipe = recipe({
  name: "era",
  literature: "ERA",
  differs: [
    "the loss is a token mean over the minibatch",
    "no summaries in the context",
    "the critic's gradient stops at its head",
  ],
  mechanism: "partial",
  needs: ["turn-rewards"],
  schedule: ["sft-rl"],
  settings: { epsilon: 0.2, lambda: 0.95, startSteps: 2, steps: 25, learningRate: 3e-3 },
  stages: ({ epsilon, lambda, startSteps, steps, learningRate }) => [
    demonstrationStart({ steps: startSteps, learningRate }),
    rewardStage({
      rollout: parts.single(),
      reward: parts.weighted([
        [parts.outcome(), { default: 0.5 }],
        [parts.progress(), { default: 0.5 }],
      ]),
      advantage: parts.gaeStep({ lambda }),
      losses: [parts.pgClip(epsilon), { loss: parts.critic("turns"), weight: parts.CRITIC_WEIGHT }],
      state: { critic: parts.valueHead },
      steps,
      settings: { tasksPerStep: 96, learningRate },
    }),
  ],
});

/**
 * Dynamic planning: an actor-critic after a start from demonstrations, in which each turn has a cost, so that the
 * policy takes another one only if it helps.
 *
 * Source: "Learning When to Plan: Efficiently Allocating Test-Time Compute for LLM Agents" (S209).
 * Differs from it: turns replace plans.
 * Why: a nano model cannot write plans, but it can look before it acts.
 */
const dynamicPlanning: CreateRecipe = recipe({
  name: "dynamic-planning",
  literature: "Dynamic planning",
  differs: ["the loss is a token mean over the minibatch", "turns replace plans"],
  mechanism: "nominal",
  needs: ["several-calls"],
  schedule: ["sft-rl"],
  settings: {
    turnCost: 0.05,
    epsilon: 0.2,
    lambda: 1,
    startSteps: 2,
    steps: 25,
    learningRate: 3e-3,
  },
  stages: ({ turnCost, epsilon, lambda, startSteps, steps, learningRate }) => [
    demonstrationStart({ steps: startSteps, learningRate }),
    rewardStage({
      rollout: parts.single(),
      reward: parts.weighted([
        [parts.outcome(), { default: 0.5 }],
        [parts.economy({ turn: turnCost }), { default: 0.5 }],
      ]),
      advantage: parts.gae({ lambda }),
      losses: [parts.pgClip(epsilon), { loss: parts.critic(), weight: parts.CRITIC_WEIGHT }],
      state: { critic: parts.valueHead },
      steps,
      settings: { tasksPerStep: 96, learningRate },
    }),
  ],
});

export const CRITIC_RECIPES: readonly CreateRecipe[] = [rl4vlm, vlDac, era, dynamicPlanning];
