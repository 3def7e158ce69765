/** Recipes whose rollouts fork, with credit for the shared turns. */
import { type CreateRecipe, recipe } from "../../composition/definition.ts";
import { rewardStage } from "../../composition/stage.ts";
import * as parts from "../../parts.ts";
import { setAfterForks } from "../../advantages/set-credit.ts";

/**
 * ARPO: branches only where a tool result made the policy uncertain, and credits the shared prefix with all of its
 * branches.
 *
 * Source: Dong et al. 2025, "Agentic Reinforced Policy Optimization", arXiv:2507.19849.
 * Differs from it: no reward for using several tools.
 * Why: the sampler's records are enough for branching, and a bonus would change the objective of the comparison.
 */
const arpo: CreateRecipe = recipe({
  name: "arpo",
  literature: "ARPO (branching)",
  differs: [
    "the loss is a token mean over the minibatch",
    "groups with equal rewards are rolled out again",
    "no reward for using several tools",
  ],
  mechanism: "whole",
  needs: ["long-path"],
  schedule: ["one"],
  settings: { groupSize: 8, whole: 4, epsilon: 0.2, steps: 25, learningRate: 3e-3 },
  stages: ({ groupSize, whole, epsilon, steps, learningRate }) => [
    rewardStage({
      rollout: parts.branchEntropy(groupSize, whole),
      filters: [parts.mixedGroup()],
      reward: parts.outcome(),
      advantage: parts.branchAttributed(),
      losses: [parts.pgClip(epsilon)],
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});

/**
 * AEPO: a branching budget with fewer consecutive forks, advantages that grow with uncertainty, and clipped tokens
 * that keep a gradient where the policy was uncertain.
 *
 * Source: Dong et al. 2025, "Agentic Entropy-Balanced Policy Optimization", arXiv:2510.14545.
 * Differs from it: the share of whole rollouts is a setting.
 * Why: measuring the share first would spend tokens of the equal budget.
 */
const aepo: CreateRecipe = recipe({
  name: "aepo",
  literature: "AEPO",
  differs: [
    "the loss is a token mean over the minibatch",
    "groups with equal rewards are rolled out again",
    "the share of whole rollouts is a setting",
  ],
  mechanism: "partial",
  needs: ["long-path"],
  schedule: ["one"],
  settings: {
    groupSize: 8,
    whole: 4,
    alpha: 0.2,
    entropyThreshold: 0.5,
    steps: 25,
    learningRate: 3e-3,
  },
  stages: ({ groupSize, whole, alpha, entropyThreshold, steps, learningRate }) => [
    rewardStage({
      rollout: parts.branchEntropy(groupSize, whole),
      filters: [parts.mixedGroup()],
      reward: parts.outcome(),
      advantage: parts.entropyWeighted(parts.groupAdvantage(), { form: "scaled", alpha }),
      losses: [parts.stopGradientClip(entropyThreshold)],
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});

/**
 * Polychromic PPO: rewards forks of visited states in sets, by success times diversity; a critic judges the shared
 * part.
 *
 * Source: Hamid et al. 2025, "Polychromic Objectives for Reinforcement Learning", arXiv:2509.25424.
 * Differs from it: the kind of a rollout is its sequence of calls; sets contain four forks and whole rollouts.
 * Why: calls compare exactly, unlike texts, and forks cost less than rollouts from the start.
 */
const polychromic: CreateRecipe = recipe({
  name: "polychromic",
  literature: "Polychromic PPO",
  differs: [
    "the loss is a token mean over the minibatch",
    "the kind of a rollout is its sequence of calls",
    "sets contain four forks and whole rollouts",
  ],
  mechanism: "whole",
  needs: ["long-path"],
  schedule: ["one"],
  settings: { groupSize: 8, epsilon: 0.2, steps: 25, learningRate: 3e-3, setSize: 4, lambda: 1 },
  stages: ({ groupSize, epsilon, steps, learningRate, setSize, lambda }) => [
    rewardStage({
      rollout: parts.branchVine(groupSize),
      filters: [],
      reward: parts.outcome(),
      advantage: setAfterForks(setSize, { lambda }),
      losses: [parts.pgClip(epsilon), { loss: parts.critic(), weight: parts.CRITIC_WEIGHT }],
      state: { critic: parts.valueHead },
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});

export const BRANCHING_RECIPES: readonly CreateRecipe[] = [arpo, aepo, polychromic];
