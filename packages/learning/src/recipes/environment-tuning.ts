/**
 * Environment Tuning: the environment explains errors and pays progress, tasks grow harder; no
 * demonstrations.
 *
 * Source: "Don't Just Fine-tune the Agent, Tune the Environment" (S130).
 * Differs from it: an explanation is what the tools take, written by no model; explanations stay to
 * the end of training; held-out tasks have none.
 * Why: what a tool takes is in its definition, so that nothing can be explained wrongly; held-out tasks
 * measure the policy alone.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const environmentTuning: CreateRecipe = recipe({
  name: "environment-tuning",
  literature: "Environment Tuning",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "an explanation is what the tools take, written by no model",
    "explanations stay to the end of training; held-out tasks have none",
  ],
  schedule: ["one"],
  settings: { groupSize: 8, epsilon: 0.2, steps: 25, learningRate: 3e-3 },
  stages: ({ groupSize, epsilon, steps, learningRate }) => [
    rewardStage({
      rollout: parts.explainedFailures(groupSize),
      filters: [parts.mixedGroup()],
      reward: parts.progress(),
      advantage: parts.groupAdvantage(),
      losses: [parts.pgClip(epsilon)],
      schedule: [parts.difficultyCurriculum()],
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});
