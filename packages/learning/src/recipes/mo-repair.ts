/**
 * MORepair: two objectives: what is done, and beside it, weighed by itself, what is said of it.
 *
 * Source: "Multi-Objective Fine-Tuning for Enhanced Program Repair with LLMs" (S241).
 * Differs from it: the patch is a turn that calls, the reason one in words.
 * Why: an environment has calls where the paper has patches.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { tokenStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";
import type { JudgedTurn } from "../composition/judged-trajectory.ts";

const calls = ({ toolCalls }: JudgedTurn): boolean => toolCalls.length > 0;

export const moRepair: CreateRecipe = recipe({
  name: "mo-repair",
  literature: "MORepair",
  differs: ["the patch is a turn that calls, the reason one in words"],
  schedule: ["sft"],
  settings: { weight: 1, steps: 25, learningRate: 3e-3 },
  stages: ({ weight, steps, learningRate }) => [
    tokenStage({
      rollout: parts.demos(),
      losses: [
        parts.spanMask(parts.crossEntropy(), calls),
        { loss: parts.auxiliaryTurns((turn) => !calls(turn)), weight },
      ],
      steps,
      settings: { tasksPerStep: 32, learningRate },
    }),
  ],
});
