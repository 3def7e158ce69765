/**
 * Meta-Agent Tuning: one model for several agent systems: their prompts in equal shares.
 *
 * Source: "KwaiAgents: Generalized Information-seeking Agent System with Large Language Models"
 * (S199).
 * Differs from it: a system is a sentence of the system message; prompts are written by hand, not
 * generated and filtered.
 * Why: a sentence is all that tells systems apart in one format, and a nano model writes none.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { tokenStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

const METHODS = ["You plan first.", "You call tools.", "You answer."];

export const metaAgentTuning: CreateRecipe = recipe({
  name: "meta-agent-tuning",
  literature: "Meta-Agent Tuning",
  differs: [
    "a system is a sentence of the system message",
    "prompts are written by hand, not generated and filtered",
  ],
  schedule: ["sft"],
  settings: { kept: 12, mistakes: 0.1, steps: 25, learningRate: 3e-3 },
  stages: ({ kept, mistakes, steps, learningRate }) => [
    tokenStage({
      rollout: parts.teacherDemos({ modes: METHODS }),
      filters: [
        parts.diversityMix(
          Object.fromEntries(METHODS.map((method) => [method, 1])),
          kept,
          ({ trajectory }) => trajectory.mode ?? "",
        ),
      ],
      state: { teacher: parts.demonstrators(mistakes) },
      losses: [parts.crossEntropy()],
      steps,
      settings: { tasksPerStep: 32, learningRate },
    }),
  ],
});
