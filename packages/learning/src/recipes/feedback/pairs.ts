/**
 * Preference pairs from what visitors and staff wrote in place of an answer, and from answers before and after "Try again". No
 * verifier and no judge.
 */
import { type CreateRecipe, recipe } from "../../composition/definition.ts";
import { pairStage } from "../../composition/stage.ts";
import * as parts from "../../parts.ts";

/** The parts and the paper that both recipes share. */
const DPO_ROW = {
  paper: "Direct Preference Optimization: Your Language Model is Secretly a Reward Model",
  system: null,
  table: "feedback",
  parts: {
    rollout: ["single"],
    filter: ["pair-gap"],
    reward: ["feedback"],
    loss: ["dpo"],
    schedule: ["one"],
  },
} as const;

/**
 * DPO on corrections: an answer that a visitor edited, or that the site's staff wrote, is preferred to the answer that the
 * policy gave.
 *
 * Source: Rafailov et al. 2023, "Direct Preference Optimization: Your Language Model is Secretly a Reward Model",
 * arXiv:2305.18290; pairs of a user's rewrite and the original as in RLHI, arXiv:2509.25137.
 * Differs from it: one side of a pair was written by a person, and the other sampled by the policy.
 * Why: that is what a correction is.
 */
const correctionsDpo: CreateRecipe = recipe({
  name: "corrections-dpo",
  literature: {
    ...DPO_ROW,
    recipe: "DPO on corrections",
    difference: "Answers that visitors edited or staff wrote, each preferred to the answer given.",
  },
  differs: ["one side of a pair was written by a person, and the other sampled by the policy"],
  mechanism: "whole",
  needs: ["opinions"],
  schedule: ["one"],
  settings: { attempts: 64, beta: 0.1, steps: 30, learningRate: 3e-3 },
  stages: ({ attempts, beta, steps, learningRate }) => [
    pairStage({
      rollout: parts.single(),
      filters: [parts.pairGap()],
      reward: parts.feedback({ edit: 1, staff: 1 }),
      losses: [parts.dpo(beta)],
      state: { ref: parts.reference },
      steps,
      settings: { tasksPerStep: attempts, learningRate },
    }),
  ],
});

/**
 * DPO on retries: the answer that a visitor kept is preferred to the one before it, after which the visitor clicked "Try again".
 *
 * Source: Rafailov et al. 2023, "Direct Preference Optimization: Your Language Model is Secretly a Reward Model",
 * arXiv:2305.18290.
 * Differs from it: the visitor did not compare two answers, but rejected the first and said nothing against the second.
 * Why: that is what a retry says.
 */
const retriesDpo: CreateRecipe = recipe({
  name: "retries-dpo",
  literature: {
    ...DPO_ROW,
    recipe: "DPO on retries",
    difference: "Answers after which the visitor tried again, each below the answer that was kept.",
  },
  differs: ["the visitor rejected one answer and said nothing against the other"],
  mechanism: "whole",
  needs: ["opinions"],
  schedule: ["one"],
  settings: { attempts: 64, beta: 0.1, steps: 30, learningRate: 3e-3 },
  stages: ({ attempts, beta, steps, learningRate }) => [
    pairStage({
      rollout: parts.single(),
      filters: [parts.pairGap()],
      reward: parts.feedback({ retry: 1 }),
      losses: [parts.dpo(beta)],
      state: { ref: parts.reference },
      steps,
      settings: { tasksPerStep: attempts, learningRate },
    }),
  ],
});

export const FEEDBACK_PAIR_RECIPES: readonly CreateRecipe[] = [correctionsDpo, retriesDpo];
