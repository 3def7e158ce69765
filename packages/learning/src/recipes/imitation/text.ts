/** Plain text first, then demonstrations. */
import { type CreateRecipe, recipe } from "../../composition/definition.ts";
import { rewardStage, tokenStage } from "../../composition/stage.ts";
import * as parts from "../../parts.ts";
import { referencedGroup } from "../../rollouts/several-references.ts";
import { multiReference } from "../../rewards/multi-reference.ts";
import { treePacked } from "../../losses/shared-prefixes.ts";
import { auxiliaryText } from "../../losses/imitation/observation-loss.ts";
import { withoutReferences } from "../../filters/participants.ts";
import { demonstrationStart } from "../stages/demonstration-start.ts";
import { groupReinforcement } from "../stages/group-reinforcement.ts";

/**
 * Agentic CPT: agent data as plain text, then demonstrations, then reinforcement learning.
 *
 * Source: "Scaling Agents via Continual Pre-training" (S294).
 * Differs from it: the text of the first stage comes from demonstrations.
 * Why: there is no other text about these environments.
 */
const agenticCpt: CreateRecipe = recipe({
  name: "agentic-cpt",
  literature: "Agentic CPT",
  differs: ["the text of the first stage comes from demonstrations"],
  mechanism: "nominal",
  schedule: ["cpt-sft-rl"],
  settings: {
    groupSize: 8,
    epsilon: 0.2,
    textSteps: 5,
    startSteps: 5,
    steps: 25,
    learningRate: 3e-3,
  },
  stages: ({ groupSize, epsilon, textSteps, startSteps, steps, learningRate }) => [
    demonstrationStart({
      name: "text",
      steps: textSteps,
      learningRate,
      mistakes: 0.3,
      loss: parts.languageModel(),
    }),
    demonstrationStart({ steps: startSteps, learningRate }),
    groupReinforcement({ groupSize, loss: parts.pgClip(epsilon), steps, learningRate }),
  ],
});

/**
 * CAP-CPT: continued pretraining on documents, then imitation of demonstrations that use them.
 *
 * Source: "Analyzing and Internalizing Complex Policy Documents for LLM Agents" (S079).
 * Differs from it: the document is the environment's system message; its parts are not sorted by category.
 * Why: the system message is the only description of an environment.
 */
const capCpt: CreateRecipe = recipe({
  name: "cap-cpt",
  literature: "CAP-CPT",
  differs: [
    "the document is the environment's system message; its parts are not sorted by category",
  ],
  mechanism: "nominal",
  schedule: ["cpt-sft"],
  settings: { textSteps: 10, steps: 25, learningRate: 3e-3 },
  stages: ({ textSteps, steps, learningRate }) => [
    demonstrationStart({
      name: "text",
      steps: textSteps,
      learningRate,
      loss: parts.languageModel(),
    }),
    demonstrationStart({ steps, learningRate }),
  ],
});

/**
 * Youtu-LLM: plain text in stages, each with a larger share of long agent trajectories.
 *
 * Source: "Youtu-LLM: Unlocking the Native Agentic Potential for Lightweight Large Language Models" (S359).
 * Differs from it: the mixture consists of short and long trajectories.
 * Why: these are the two kinds that one environment has.
 */
const youtuLlm: CreateRecipe = recipe({
  name: "youtu-llm",
  literature: "Youtu-LLM",
  differs: ["the mixture consists of short and long trajectories"],
  mechanism: "nominal",
  schedule: ["cpt"],
  settings: { kept: 12, firstShare: 0.25, lastShare: 0.75, steps: 25, learningRate: 3e-3 },
  stages: ({ kept, firstShare, lastShare, steps, learningRate }) => [
    demonstrationStart({
      name: "first",
      steps,
      learningRate,
      mistakes: 0.3,
      loss: parts.languageModel(),
      filters: [
        parts.diversityMix({ long: firstShare, short: 1 - firstShare }, kept, ({ trajectory }) =>
          trajectory.turns.length > 2 ? "long" : "short",
        ),
      ],
    }),
    demonstrationStart({
      name: "last",
      steps,
      learningRate,
      mistakes: 0.3,
      loss: parts.languageModel(),
      filters: [
        parts.diversityMix({ long: lastShare, short: 1 - lastShare }, kept, ({ trajectory }) =>
          trajectory.turns.length > 2 ? "long" : "short",
        ),
      ],
    }),
  ],
});

/**
 * TransferTransfo: language modeling of the whole dialogue besides the replies.
 *
 * Source: Wolf et al. 2019, "TransferTransfo", arXiv:1901.08149.
 * Differs from it: no choice of the next utterance among distractors.
 * Why: that would need a classification head.
 */
const transferTransfo: CreateRecipe = recipe({
  name: "transfer-transfo",
  literature: "TransferTransfo",
  differs: ["no choice of the next utterance among distractors"],
  mechanism: "partial",
  schedule: ["sft"],
  settings: { weight: 0.5, steps: 25, learningRate: 3e-3 },
  stages: ({ weight, steps, learningRate }) => [
    tokenStage({
      rollout: parts.demos(),
      losses: [parts.crossEntropy(), { loss: auxiliaryText(), weight }],
      steps,
      settings: { tasksPerStep: 32, learningRate },
    }),
  ],
});

/**
 * KAT-Coder: continued pretraining, imitation in fixed shares, reinforcement learning against several references,
 * and finally training on recorded deployment runs, with errors masked and common prefixes read once.
 *
 * Source: "KAT-Coder Technical Report" (S195).
 * Differs from it: the data come from the environment; references are demonstrations that reach the goal in
 * different ways; deployment runs are those of the earlier stages.
 * Why: no repository runs in a page, and demonstrations are the available references.
 */
const katCoder: CreateRecipe = recipe({
  name: "kat-coder",
  literature: "KAT-Coder",
  differs: [
    "the data come from the environment",
    "references are demonstrations that reach the goal in different ways",
    "deployment runs are those of the earlier stages",
  ],
  mechanism: "partial",
  schedule: ["cpt-sft-rl", "deploy-adapt"],
  settings: {
    groupSize: 8,
    epsilon: 0.2,
    kept: 16,
    mistakes: 0.2,
    logged: 4,
    textSteps: 4,
    startSteps: 4,
    steps: 15,
    deploySteps: 5,
    learningRate: 3e-3,
  },
  stages: ({ groupSize, epsilon, kept, mistakes, logged, ...given }) => [
    tokenStage({
      name: "text",
      rollout: parts.demos(mistakes),
      losses: [parts.languageModel()],
      steps: given.textSteps,
      settings: { tasksPerStep: 32, learningRate: given.learningRate },
    }),
    tokenStage({
      name: "start",
      rollout: parts.demos(mistakes),
      filters: [
        parts.diversityMix({ short: 1, long: 1 }, kept, ({ trajectory }) =>
          trajectory.turns.length > 2 ? "long" : "short",
        ),
        parts.stepMask(),
      ],
      losses: [parts.maskedCrossEntropy()],
      steps: given.startSteps,
      settings: { tasksPerStep: 32, learningRate: given.learningRate },
    }),
    rewardStage({
      name: "reinforcement",
      rollout: referencedGroup(groupSize, [0, 2 * mistakes, 2 * mistakes]),
      filters: [withoutReferences(), parts.mixedGroup()],
      reward: multiReference(),
      advantage: parts.groupAdvantage(),
      losses: [treePacked(parts.pgClip(epsilon))],
      steps: given.steps,
      settings: { tasksPerStep: 12, learningRate: given.learningRate },
    }),
    tokenStage({
      name: "deployment",
      rollout: parts.log(logged),
      filters: [parts.stepMask()],
      losses: [treePacked(parts.maskedCrossEntropy())],
      steps: given.deploySteps,
      settings: { tasksPerStep: 16, learningRate: given.learningRate },
    }),
  ],
});

export const TEXT_RECIPES: readonly CreateRecipe[] = [
  agenticCpt,
  capCpt,
  youtuLlm,
  transferTransfo,
  katCoder,
];
