/**
 * DiaFORGE: dialogues in which what is missing is asked for and the right one of tools that look
 * alike is called.
 *
 * Source: "Disambiguation-Centric Finetuning Makes Enterprise Tool-Calling LLMs More Realistic and
 * Less Risky" (S128).
 * Differs from it: the user is the environment's, which speaks where an environment has one; near-
 * duplicates are twins of a tool under nearly its name.
 * Why: a user by rule says the same again to every policy that is compared.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { tokenStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const diaForge: CreateRecipe = recipe({
  name: "dia-forge",
  literature: "DiaFORGE",
  differs: [
    "the user is the environment's, which speaks where an environment has one",
    "near-duplicates are twins of a tool under nearly its name",
  ],
  schedule: ["sft"],
  settings: { mistakes: 0, steps: 25, learningRate: 3e-3 },
  stages: ({ mistakes, steps, learningRate }) => [
    tokenStage({
      rollout: parts.visitedDemos("near-duplicates", mistakes),
      losses: [parts.crossEntropy()],
      steps,
      settings: { tasksPerStep: 32, learningRate },
    }),
  ],
});
