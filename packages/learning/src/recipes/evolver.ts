/**
 * Evolver: hypothesis, one change, evaluation by a judge, and the better of the two is kept.
 *
 * Source: "A Multi-AI Agent System for Autonomous Optimization of Agentic AI Solutions via Iterative
 * Refinement and LLM-Driven Feedback Loops".
 * Differs from it: one writer stands for the paper's refining, modifying and documenting agents.
 * Why: who writes is a port, behind which one model or a team may stand.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { writingStage } from "../composition/stage.ts";
import { hypothesis } from "../gradient-free/prompt-writing.ts";
import * as parts from "../parts/index.ts";
import { callsAndResults } from "./calls-and-results.ts";

export const evolver: CreateRecipe = recipe({
  name: "evolver",
  literature: "Evolver",
  differs: ["one writer stands for the paper's team of refining agents"],
  schedule: ["rounds"],
  settings: { keep: 1, leastUses: 16, tasks: 16, steps: 2, rounds: 6 },
  stages: ({ keep, leastUses, tasks, steps }) => [
    writingStage({
      rollout: parts.single(),
      reward: parts.judge(callsAndResults),
      how: parts.promptEdits({ request: hypothesis, keep, leastUses }),
      state: { judge: parts.judgement, prompts: parts.prompts([""]) },
      steps,
      settings: { tasksPerStep: tasks },
    }),
  ],
});
