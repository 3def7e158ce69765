/** Thumbs, outcomes, next messages and undone actions, normalized over the batch in place of a moving baseline; no verifier. */
import { type CreateRecipe, recipe } from "../../composition/definition.ts";
import { rewardStage } from "../../composition/stage.ts";
import * as parts from "../../parts.ts";

/**
 * REINFORCE++ on thumbs, outcomes, next messages and undone actions: advantages have mean 0 and standard deviation 1 over the
 * step's tokens. So a request that exists once needs no group.
 *
 * Source: Hu et al. 2025, "REINFORCE++", arXiv:2501.03262.
 * Differs from it: the reward is the weighted mean of the signals that are there, and tokens of turns without feedback are
 * left out; no KL in the reward.
 * Why: visitors give the rewards, and the trainer's option `--kl-coefficient` adds a KL term to any recipe.
 */
const signalsReinforcePlusPlus: CreateRecipe = recipe({
  name: "signals-reinforce-plus-plus",
  literature: {
    recipe: "REINFORCE++ on thumbs, outcomes and next messages",
    paper: "REINFORCE++",
    system: null,
    table: "feedback",
    parts: {
      rollout: ["single"],
      reward: ["feedback"],
      advantage: ["reinforce++"],
      loss: ["pg-clip", "tis"],
      schedule: ["one"],
    },
    difference:
      "Thumbs, outcomes of declared metrics and next messages in place of a verifier, without a KL in the reward.",
  },
  differs: [
    "the reward is the weighted mean of signals",
    "tokens of turns without feedback are left out",
    "no KL in the reward",
  ],
  mechanism: "whole",
  needs: ["opinions"],
  schedule: ["one"],
  settings: {
    attempts: 64,
    epsilon: 0.2,
    thumbWeight: 1,
    messageWeight: 0.5,
    undoWeight: 1,
    steps: 30,
    learningRate: 3e-3,
  },
  stages: ({ attempts, epsilon, thumbWeight, messageWeight, undoWeight, steps, learningRate }) => [
    rewardStage({
      rollout: parts.single(),
      reward: parts.feedback({
        thumb: thumbWeight,
        outcome: 1,
        message: messageWeight,
        undo: undoWeight,
      }),
      advantage: parts.reinforcePlusPlus(),
      losses: [parts.truncatedImportance(parts.pgClip(epsilon))],
      steps,
      settings: { tasksPerStep: attempts, learningRate },
    }),
  ],
});

export const NORMALIZED_RECIPES: readonly CreateRecipe[] = [signalsReinforcePlusPlus];
