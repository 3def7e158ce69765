/** Memories of earlier trajectories that improve without changing the model. */
import { type CreateRecipe, oneOf, recipe } from "../../composition/definition.ts";
import { toolCalls } from "../../composition/judged-trajectory.ts";
import { writingStage } from "../../composition/stage.ts";
import * as parts from "../../parts.ts";

/**
 * AgentFly: stores past rollouts as cases and reads one before each task; soft Q-learning learns which one. The
 * model is frozen.
 *
 * Source: Zhou et al. 2025, "AgentFly" (Memento), arXiv:2508.16153.
 * Differs from it: the value of a case is linear in shared words, without a text encoder; one case is read, not
 * four.
 * Why: a linear value can be learned from a few hundred rollouts, also in a page, and the context of a nano model
 * holds one case.
 */
const agentFly: CreateRecipe = recipe({
  name: "agent-fly",
  literature: "AgentFly",
  differs: [
    "the value of a case is linear in shared words, without a text encoder",
    "one case is read, not four",
  ],
  mechanism: "partial",
  needs: ["cases"],
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
 * EvoKernel: one memory of past rollouts serves two stages, a working draft and its refinement, and each case has a
 * separate value in each stage.
 *
 * Source: "Towards Cold-Start Drafting and Continual Refining: A Value-Driven Memory Approach with Application to
 * NPU Kernel Synthesis" (EvoKernel).
 * Differs from it: refinement reduces the number of calls of a success, while the paper reduces latency.
 * Why: latency is not meaningful here, but calls have a cost.
 */
const evoKernel: CreateRecipe = recipe({
  name: "evo-kernel",
  literature: "EvoKernel",
  differs: ["refinement reduces the number of calls of a success, while the paper reduces latency"],
  mechanism: "partial",
  needs: ["cases"],
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
 * Training-Free GRPO: the advantage of a group is a comparison in text, and the update edits a library of lessons
 * before the task. No parameter changes.
 *
 * Source: Cai et al. 2025, "Training-Free Group Relative Policy Optimization", arXiv:2510.08191.
 * Differs from it: one request to the writer per group, while the paper first summarizes each rollout.
 * Why: a writer that many pages share can serve one request per group.
 */
const trainingFreeGrpo: CreateRecipe = recipe({
  name: "training-free-grpo",
  literature: "Training-Free GRPO",
  differs: ["one request to the writer per group, while the paper first summarizes each rollout"],
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
