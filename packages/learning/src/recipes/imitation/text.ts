/** Plain text first, then demonstrations. */
import { type CreateRecipe, recipe } from "../../composition/definition.ts";
import { rewardStage, tokenStage } from "../../composition/stage.ts";
import * as parts from "../../parts.ts";
import { referencedGroup } from "../../rollouts/several-references.ts";
import { multiReference } from "../../rewards/multi-reference.ts";
import { treePacked } from "../../losses/imitation/tree-packing.ts";
import { auxiliaryText } from "../../losses/imitation/observation-loss.ts";
import { withoutReferences } from "../../filters/participants.ts";
import { demonstrationStart } from "../stages/demonstration-start.ts";
import { groupReinforcement } from "../stages/group-reinforcement.ts";

/**
 * Agentic CPT: agent data as plain text first, then demonstrations, then reinforcement.
 *
 * Source: "Scaling Agents via Continual Pre-training" (S294).
 * Differs from it: the text of the first stage is that of demonstrated runs.
 * Why: no other text speaks of these environments.
 */
const agenticCpt: CreateRecipe = recipe({
  name: "agentic-cpt",
  literature: "Agentic CPT",
  differs: ["the text of the first stage is that of demonstrated runs"],
  mechanism: "partial",
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
 * CAP-CPT: documents enter the weights as plain text, then demonstrations of their use are imitated.
 *
 * Source: "Analyzing and Internalizing Complex Policy Documents for LLM Agents" (S079).
 * Differs from it: the document is the system message of the environment; its parts are not sorted by
 * category.
 * Why: the system message is all that an environment says of itself.
 */
const capCpt: CreateRecipe = recipe({
  name: "cap-cpt",
  literature: "CAP-CPT",
  differs: [
    "the document is the system message of the environment; its parts are not sorted by category",
  ],
  mechanism: "partial",
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
 * Youtu-LLM: plain text in stages, each with a larger share of long agent runs.
 *
 * Source: "Youtu-LLM: Unlocking the Native Agentic Potential for Lightweight Large Language Models"
 * (S359).
 * Differs from it: the mixture is one of short and long runs.
 * Why: what one environment has are short and long runs.
 */
const youtuLlm: CreateRecipe = recipe({
  name: "youtu-llm",
  literature: "Youtu-LLM",
  differs: ["the mixture is one of short and long runs"],
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
 * TransferTransfo: the whole dialogue as a language model beside the replies.
 *
 * Source: Wolf et al. 2019, "TransferTransfo", arXiv:1901.08149.
 * Differs from it: no choice of the next utterance among distractors.
 * Why: that needs a classification head.
 */
const transferTransfo: CreateRecipe = recipe({
  name: "transfer-transfo",
  literature: "TransferTransfo",
  differs: ["no choice of the next utterance among distractors: that needs a classification head"],
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
 * KAT-Coder: continued pre-training, imitation in set shares, reinforcement against several references,
 * and at last recorded runs of the deployment, their errors masked and what they share read once.
 *
 * Source: "KAT-Coder Technical Report" (S195).
 * Differs from it: the data are the environment's; references are demonstrations that reached the end in
 * ways of their own; the deployment's runs are those of the stages before.
 * Why: no repository runs in a page; demonstrations are the references that there are.
 */
const katCoder: CreateRecipe = recipe({
  name: "kat-coder",
  literature: "KAT-Coder",
  differs: [
    "the data are the environment's",
    "references are demonstrations that reached the end in ways of their own",
    "the deployment's runs are those of the stages before",
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
