/** Rollouts that fork, and credit for what the forks share. */
import { type CreateRecipe, recipe } from "../../composition/definition.ts";
import { rewardStage } from "../../composition/stage.ts";
import * as parts from "../../parts.ts";
import { setAfterForks } from "../../advantages/set-credit.ts";

/**
 * ARPO: branches only where a tool result made the policy unsure, and credits what branches share with
 * all that came of it.
 *
 * Source: Dong et al. 2025, "Agentic Reinforced Policy Optimization", arXiv:2507.19849.
 * Differs from it: entropies are those of whole-token distributions recorded at sampling; no reward for
 * the number of tools.
 * Why: what a sampler records is enough to branch by; a bonus would change the objective that arms are
 * compared by.
 */
const arpo: CreateRecipe = recipe({
  name: "arpo",
  literature: "ARPO (branching)",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "no reward for using several tools",
  ],
  mechanism: "whole",
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
 * AEPO: a branching budget that forks less in a row, advantages that grow with uncertainty, and clipped
 * tokens that keep a gradient where the policy was unsure.
 *
 * Source: Dong et al. 2025, "Agentic Entropy-Balanced Policy Optimization", arXiv:2510.14545.
 * Differs from it: the share of whole rollouts is a setting, not measured before each task.
 * Why: measuring the share first would spend tokens that the comparison at equal budget counts.
 */
const aepo: CreateRecipe = recipe({
  name: "aepo",
  literature: "AEPO",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "the share of whole rollouts is a setting",
  ],
  mechanism: "partial",
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
 * Polychromic PPO: forks of visited states are rewarded in sets, by success times diversity; a critic judges
 * what they share.
 *
 * Source: Hamid et al. 2025, "Polychromic Objectives for Reinforcement Learning", arXiv:2509.25424.
 * Differs from it: kinds of a rollout are its calls in order; sets are of four forks and whole rollouts.
 * Why: calls are exact where a likeness of texts is not, and forks cost less than rollouts from the start.
 */
const polychromic: CreateRecipe = recipe({
  name: "polychromic",
  literature: "Polychromic PPO",
  differs: [
    "token-mean over the minibatch",
    "kinds of a rollout are its calls in order",
    "sets are of four forks and whole attempts",
  ],
  mechanism: "whole",
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
