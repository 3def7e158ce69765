/**
 * Corrections: what visitors write after a wrong answer, answers that they edit, and answers that the site's staff write. No
 * verifier.
 */
import { type CreateRecipe, recipe } from "../../composition/definition.ts";
import type { RewardPart } from "../../composition/part.ts";
import { rewardStage, type Stage } from "../../composition/stage.ts";
import { corrected } from "../../filters/selection.ts";
import { hindsight, rewardAndHindsight } from "../../advantages/hindsight.ts";
import { ownReward } from "../../advantages/own-reward.ts";
import { advantageWeightedCrossEntropy } from "../../losses/imitation/supervised-loss.ts";
import * as parts from "../../parts.ts";

const OPENCLAW_RL = "OpenClaw-RL: Train Any Agent Simply by Talking";

/**
 * Imitation of edits: an answer that a visitor edited, or that the site's staff wrote, is a demonstration of what the policy
 * should have said.
 *
 * Source: Gao et al. 2024, "Aligning LLM Agents by Learning Latent Preference from User Edits", arXiv:2404.15269, for edits
 * as a signal; plain cross-entropy in place of a prompt that is inferred from them.
 * Differs from it: parameters learn from the edits, not a prompt.
 * Why: a small policy follows no described preference.
 */
const correctionsImitate: CreateRecipe = recipe({
  name: "corrections-imitate",
  literature: {
    recipe: "Imitation of edits",
    paper: "Aligning LLM Agents by Learning Latent Preference from User Edits",
    system: null,
    table: "feedback",
    parts: {
      rollout: ["single"],
      reward: ["feedback"],
      advantage: ["own-reward"],
      loss: ["ce"],
      schedule: ["one"],
    },
    difference: "Cross-entropy on answers that visitors edited or staff wrote.",
  },
  differs: ["parameters learn from the edits, not a prompt"],
  mechanism: "nominal",
  needs: ["opinions"],
  schedule: ["one"],
  settings: { attempts: 64, steps: 30, learningRate: 3e-3 },
  stages: ({ attempts, steps, learningRate }) => [
    rewardStage({
      rollout: parts.single(),
      reward: parts.feedback({ edit: 1, staff: 1 }),
      advantage: ownReward(),
      losses: [advantageWeightedCrossEntropy()],
      steps,
      settings: { tasksPerStep: attempts, learningRate },
    }),
  ],
});

/** What both recipes of OpenClaw-RL leave out. */
const WITHOUT_JUDGE = [
  "the hint is the visitor's own text after the request, no judge writes it",
  "no KL term",
];

/**
 * OpenClaw-RL, distillation alone: tokens that the policy finds likelier once it has read the visitor's correction are
 * raised, and others lowered.
 *
 * Source: Wang et al. 2026, "OpenClaw-RL: Train Any Agent Simply by Talking", arXiv:2603.10165, section 4.
 * Differs from it: the hint is the visitor's own text after the request, no judge writes it; no KL term.
 * Why: a page has no judge, and the trainer's option `--kl-coefficient` adds a KL term to any recipe.
 */
const openclawDistill: CreateRecipe = recipe({
  name: "openclaw-distill",
  literature: {
    recipe: "OpenClaw-RL (OPD)",
    paper: OPENCLAW_RL,
    system: null,
    table: "feedback",
    parts: {
      rollout: ["single"],
      filter: ["corrected"],
      reward: ["feedback"],
      advantage: ["opd"],
      loss: ["clip-high", "tis"],
      schedule: ["one"],
    },
    difference:
      "Advantages for tokens, from the policy with the visitor's correction in its prompt.",
  },
  differs: WITHOUT_JUDGE,
  mechanism: "partial",
  needs: ["opinions"],
  schedule: ["one"],
  settings: { attempts: 64, steps: 30, learningRate: 3e-3 },
  stages: ({ attempts, steps, learningRate }) => [
    rewardStage({
      rollout: parts.single(),
      reward: parts.feedback({ message: 1 }),
      filters: [corrected()],
      advantage: hindsight(),
      losses: [parts.truncatedImportance(parts.clipHigh())],
      steps,
      settings: { tasksPerStep: attempts, learningRate },
    }),
  ],
});

/** The paper and the parts of recipes that add rewards to distillation. */
const SUM_ROW = {
  paper: OPENCLAW_RL,
  system: null,
  table: "feedback",
  parts: {
    rollout: ["single"],
    reward: ["feedback"],
    advantage: ["rl-opd"],
    loss: ["clip-high", "tis"],
    schedule: ["one"],
  },
} as const;

/** Settings of such a recipe. */
const SUM_SETTINGS = {
  attempts: 64,
  rewardWeight: 1,
  hindsightWeight: 1,
  thumbWeight: 1,
  messageWeight: 1,
  steps: 30,
  learningRate: 3e-3,
};

/** A = w_rl · r + w_opd · Δ, where `reward` gives r. */
function rewardsAndDistillation(
  reward: RewardPart,
  settings: { readonly [name in keyof typeof SUM_SETTINGS]: number },
): Stage {
  const { attempts, rewardWeight, hindsightWeight, steps, learningRate } = settings;
  return rewardStage({
    rollout: parts.single(),
    reward,
    advantage: rewardAndHindsight(rewardWeight, hindsightWeight),
    losses: [parts.truncatedImportance(parts.clipHigh())],
    steps,
    settings: { tasksPerStep: attempts, learningRate },
  });
}

/**
 * OpenClaw-RL: the sum of a reward and of distillation, A = w_rl · r + w_opd · Δ. r is −1 to 1, and Δ is 0 without a
 * correction.
 *
 * Source: Wang et al. 2026, "OpenClaw-RL: Train Any Agent Simply by Talking", arXiv:2603.10165, section 4.
 * Differs from it: r is the weighted mean of thumbs, outcomes and next messages; the hint is the visitor's own text after
 * the request, no judge writes it; no KL term.
 * Why: a page has no judge, and the trainer's option `--kl-coefficient` adds a KL term to any recipe.
 */
const openclawRl: CreateRecipe = recipe({
  name: "openclaw-rl",
  literature: {
    ...SUM_ROW,
    recipe: "OpenClaw-RL",
    difference: "Reward of the next message plus distillation from the policy that has read it.",
  },
  differs: ["r is the weighted mean of thumbs, outcomes and next messages", ...WITHOUT_JUDGE],
  mechanism: "whole",
  needs: ["opinions"],
  schedule: ["one"],
  settings: SUM_SETTINGS,
  stages: (settings) => {
    const { thumbWeight: thumb, messageWeight: message } = settings;
    return [rewardsAndDistillation(parts.feedback({ thumb, outcome: 1, message }), settings)];
  },
});

/**
 * Everything that people say: the sum of OpenClaw-RL, and answers that a visitor edited or staff wrote have the reward 1.
 *
 * Source: Wang et al. 2026, "OpenClaw-RL: Train Any Agent Simply by Talking", arXiv:2603.10165, section 4; edits as a signal
 * as in Gao et al. 2024, arXiv:2404.15269.
 * Differs from them: undone actions, edits and answers of staff count too; the hint is the visitor's own text after the
 * request, no judge writes it; no KL term.
 * Why: a request with one of them alone teaches too, so more requests teach.
 */
const allSignals: CreateRecipe = recipe({
  name: "all-signals",
  literature: {
    ...SUM_ROW,
    recipe: "OpenClaw-RL with edits and undone actions",
    difference: "Edits, answers of staff and undone actions too.",
  },
  differs: ["undone actions, edits and answers of staff count too", ...WITHOUT_JUDGE],
  mechanism: "whole",
  needs: ["opinions"],
  schedule: ["one"],
  settings: { ...SUM_SETTINGS, undoWeight: 1 },
  stages: (settings) => {
    const { thumbWeight: thumb, messageWeight: message, undoWeight: undo } = settings;
    const reward = parts.feedback({ thumb, outcome: 1, message, undo, edit: 1, staff: 1 });
    return [rewardsAndDistillation(reward, settings)];
  },
});

export const CORRECTION_RECIPES: readonly CreateRecipe[] = [
  correctionsImitate,
  openclawDistill,
  openclawRl,
  allSignals,
];
