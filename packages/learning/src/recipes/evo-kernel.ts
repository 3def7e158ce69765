/**
 * EvoKernel: one memory of past rollouts serves two stages, a draft that must work and its refinement, and
 * every case has a value of its own in each.
 *
 * Source: "Towards Cold-Start Drafting and Continual Refining: A Value-Driven Memory Approach with
 * Application to NPU Kernel Synthesis" (EvoKernel).
 * Differs from it: what is refined is the number of calls of a success, where the paper refines latency.
 * Why: nothing here has a latency worth refining; calls are what cost.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { writingStage } from "../composition/stage.ts";
import { toolCalls } from "../composition/judged-trajectory.ts";
import * as parts from "../parts/index.ts";

/** The outcome, shared among the calls that it took. */
const perCall = () =>
  parts.rewardPart("outcome", (trajectory) => ({
    reward: trajectory.verification.reward / (1 + toolCalls(trajectory)),
  }));

export const evoKernel: CreateRecipe = recipe({
  name: "evo-kernel",
  literature: "EvoKernel",
  differs: ["what is refined is the number of calls of a success, where the paper refines latency"],
  schedule: ["stages"],
  settings: { temperature: 0.05, capacity: 256, rate: 0.1, tasks: 16, steps: 10 },
  stages: ({ temperature, capacity, rate, tasks, steps }) =>
    (["draft", "refine"] as const).map((stage) =>
      writingStage({
        name: stage,
        rollout: parts.single(),
        reward: stage === "draft" ? parts.outcome() : perCall(),
        credit: parts.caseValue(),
        how: parts.memoryWrite({ capacity, rate, stage }),
        state: { cases: parts.cases({ temperature, stage }) },
        steps,
        settings: { tasksPerStep: tasks },
      }),
    ),
});
