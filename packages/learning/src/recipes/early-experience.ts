/**
 * Early Experience: the policy tries alternatives of its own and learns what the environment answers,
 * before it imitates; no reward.
 *
 * Source: "Agent Learning via Early Experience" (S027).
 * Differs from it: alternatives leave the policy's own runs, not the expert's; no reflections on why
 * the expert did otherwise.
 * Why: the policy's own places are those that it must do better at, and a nano model writes no reflections.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { tokenStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";
import { demonstrationStart } from "./demonstration-start.ts";

export const earlyExperience: CreateRecipe = recipe({
  name: "early-experience",
  literature: "Early Experience",
  differs: [
    "alternatives leave the policy's own runs, not the expert's",
    "no reflections on why the expert did otherwise",
  ],
  schedule: ["sft"],
  settings: { size: 4, whole: 2, worldSteps: 10, steps: 25, learningRate: 3e-3 },
  stages: ({ size, whole, worldSteps, steps, learningRate }) => [
    tokenStage({
      name: "world",
      rollout: parts.branchVine(size, whole),
      losses: [parts.auxiliaryObservations()],
      steps: worldSteps,
      settings: { tasksPerStep: 12, learningRate },
    }),
    demonstrationStart({ steps, learningRate }),
  ],
});
