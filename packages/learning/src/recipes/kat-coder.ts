/**
 * KAT-Coder: continued pre-training, imitation in set shares, reinforcement against several references,
 * and at last recorded runs of the deployment, their errors masked and what they share read once.
 *
 * Source: "KAT-Coder Technical Report" (S195).
 * Differs from it: the data are the environment's; references are demonstrations that reached the end in
 * ways of their own; the deployment's runs are those of the stages before.
 * Why: no repository runs in a page; demonstrations are the references that there are.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage, tokenStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const katCoder: CreateRecipe = recipe({
  name: "kat-coder",
  literature: "KAT-Coder",
  differs: [
    "the data are the environment's",
    "references are demonstrations that reached the end in ways of their own",
    "the deployment's runs are those of the stages before",
  ],
  schedule: ["cpt-sft-rl", "deploy-adapt"],
  settings: {
    ...{ groupSize: 8, epsilon: 0.2, kept: 16, mistakes: 0.2, logged: 4 },
    ...{ textSteps: 4, startSteps: 4, steps: 15, deploySteps: 5, learningRate: 3e-3 },
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
      rollout: parts.referencedGroup(groupSize, [0, 2 * mistakes, 2 * mistakes]),
      filters: [parts.withoutReferences(), parts.mixedGroup()],
      reward: parts.multiReference(),
      advantage: parts.groupAdvantage(),
      losses: [parts.treePacked(parts.pgClip(epsilon))],
      steps: given.steps,
      settings: { tasksPerStep: 12, learningRate: given.learningRate },
    }),
    tokenStage({
      name: "deployment",
      rollout: parts.log(logged),
      filters: [parts.stepMask()],
      losses: [parts.treePacked(parts.maskedCrossEntropy())],
      steps: given.deploySteps,
      settings: { tasksPerStep: 16, learningRate: given.learningRate },
    }),
  ],
});
