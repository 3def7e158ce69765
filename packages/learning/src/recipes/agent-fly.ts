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
import { type CreateRecipe, oneOf, recipe } from "../composition/definition.ts";
import { writingStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const agentFly: CreateRecipe = recipe({
  name: "agent-fly",
  literature: "AgentFly",
  differs: [
    "the value of reading a case is linear in shared words, no text encoder",
    "one case is read, not four",
  ],
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
