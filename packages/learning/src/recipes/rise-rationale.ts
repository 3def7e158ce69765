/**
 * RISE: rationales are reinforced for how well they give the annotation without quoting it, the best are
 * imitated, and reinforcement goes on.
 *
 * Source: "RISE: Enhancing VLM Image Annotation with Self-Supervised Reasoning" (S289).
 * Differs from it: no images: a rationale is what was looked up on the way; a task is used where some rollouts find the answer and not nearly all without looking.
 * Why: the models read text alone, and rollouts without looking are the only measure of what looking brings.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { tokenStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";
import { groupReinforcement } from "./group-reinforcement.ts";

export const riseRationale: CreateRecipe = recipe({
  name: "rise-rationale",
  literature: "RISE (rationale)",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "no images: a rationale is what was looked up on the way",
    "a task is used where some rollouts find the answer and not nearly all without looking",
  ],
  schedule: ["stages"],
  settings: { groupSize: 8, epsilon: 0.2, steps: 25, learningRate: 3e-3, imitationSteps: 4 },
  stages: ({ groupSize, epsilon, steps, learningRate, imitationSteps }) => [
    groupReinforcement({
      groupSize,
      name: "rationales",
      filters: [parts.answerable()],
      reward: parts.recoveredAnswer(),
      loss: parts.pgClip(epsilon),
      steps,
      learningRate,
    }),
    tokenStage({
      name: "best",
      rollout: parts.group(groupSize),
      filters: [parts.success({ perTask: 1 })],
      losses: [parts.crossEntropy()],
      steps: imitationSteps,
      settings: { tasksPerStep: 12, learningRate },
    }),
    groupReinforcement({
      groupSize,
      name: "again",
      filters: [parts.answerable()],
      reward: parts.recoveredAnswer(),
      loss: parts.pgClip(epsilon),
      steps,
      learningRate,
    }),
  ],
});
