/** Memories of earlier trajectories that improve without changing the model. */
import { type CreateRecipe, oneOf, recipe } from "../../composition/definition.ts";
import { toolCalls } from "../../composition/judged-trajectory.ts";
import { writingStage } from "../../composition/stage.ts";
import * as parts from "../../parts.ts";

/**
 * AgentFly: past rollouts are kept as cases, one is read before each task, and which one is read is learned by
 * soft Q-learning. The model stays as it is.
 *
 * Source: Zhou et al. 2025, "AgentFly" (Memento), arXiv:2508.16153.
 * Differs from it: the value of reading a case is linear in the words that two situations share, where the
 * paper trains a text encoder; one case is read, not four.
 * Why: a linear value is learned from some hundred rollouts in the page as well, and the nano context holds
 * one case.
 */
const agentFly: CreateRecipe = recipe({
  name: "agent-fly",
  literature: "AgentFly",
  differs: [
    "the value of reading a case is linear in shared words, no text encoder",
    "one case is read, not four",
  ],
  mechanism: "partial",
  schedule: ["one"],
  settings: {
    temperature: 0.05,
    capacity: 256,
    rate: 0.1,
    learns: oneOf("soft-q", "policy-gradient"),
    tasks: 16,
    steps: 20,
  },
  stages: ({ temperature, capacity, rate, learns, tasks, steps }) => [
    writingStage({
      rollout: parts.single(),
      reward: parts.outcome(),
      credit: parts.caseValue(),
      how: parts.memoryWrite({ capacity, rate, learns }),
      state: { cases: parts.cases({ temperature }) },
      steps,
      settings: { tasksPerStep: tasks },
    }),
  ],
});

/** The outcome, shared among the calls that it took. */
const perCall = () =>
  parts.rewardPart("outcome", (trajectory) => ({
    total: trajectory.verification.reward / (1 + toolCalls(trajectory)),
  }));

/**
 * EvoKernel: one memory of past rollouts serves two stages, a draft that must work and its refinement, and
 * every case has a value of its own in each.
 *
 * Source: "Towards Cold-Start Drafting and Continual Refining: A Value-Driven Memory Approach with
 * Application to NPU Kernel Synthesis" (EvoKernel).
 * Differs from it: what is refined is the number of calls of a success, where the paper refines latency.
 * Why: nothing here has a latency worth refining; calls are what cost.
 */
const evoKernel: CreateRecipe = recipe({
  name: "evo-kernel",
  literature: "EvoKernel",
  differs: ["what is refined is the number of calls of a success, where the paper refines latency"],
  mechanism: "partial",
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

/**
 * Training-Free GRPO: the advantage of a group is a comparison in words, and what is updated is a library of
 * lessons that stands before the task. No parameter moves.
 *
 * Source: Cai et al. 2025, "Training-Free Group Relative Policy Optimization", arXiv:2510.08191.
 * Differs from it: one call of the writer a group, where the paper summarizes each rollout first.
 * Why: one call a group is what a writer that pages share can be asked.
 */
const trainingFreeGrpo: CreateRecipe = recipe({
  name: "training-free-grpo",
  literature: "Training-Free GRPO",
  differs: ["one call of the writer a group, where the paper summarizes each rollout first"],
  mechanism: "whole",
  schedule: ["rounds"],
  settings: { groupSize: 5, tasks: 4, lessons: 16, steps: 4, rounds: 3 },
  stages: ({ groupSize, tasks, lessons, steps }) => [
    writingStage({
      rollout: parts.group(groupSize),
      filters: [parts.mixedGroup()],
      reward: parts.outcome(),
      credit: parts.semantic(),
      how: parts.lessonEdits(),
      state: {
        experience: parts.experience("whole", { limits: { entries: lessons, characters: 300 } }),
      },
      steps,
      // Each round meets the same tasks again.
      settings: { tasksPerStep: tasks, taskPool: tasks * steps },
    }),
  ],
});

export const CASE_RECIPES: readonly CreateRecipe[] = [agentFly, evoKernel, trainingFreeGrpo];
