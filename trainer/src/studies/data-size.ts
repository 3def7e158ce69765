/** How many different demonstrations does imitation need at a fixed token budget? */
import { demonstrationStart } from "@waggle/learning";
import { type Arm, arm, type Study } from "./study.ts";

/** Repeats this many tasks, from the easier half of the difficulty levels. */
function sized(name: string, taskPool?: number): Arm {
  const tasks = { difficulty: 0.5, ...(taskPool === undefined ? {} : { taskPool }) };
  const stage = demonstrationStart({ steps: 200, learningRate: 3e-3, tasks });
  return arm(name, ["sft"], [stage, 1]);
}

export const dataSize: Study = {
  name: "data-size",
  question: "Are a few demonstrations enough, also for harder tasks?",
  sides: [
    { says: "a few dozen suffice", sources: "LIMI (78), Memory-R1 (152), PersonaMem-v2" },
    {
      says: "tens of thousands; success on other tasks grows slowly",
      sources: "AgentBank, Synatra, ADP, AndroidControl",
    },
  ],
  environment: "calculator",
  tokens: 32_000,
  arms: [
    sized("all different"),
    sized("16 tasks", 16),
    sized("64 tasks", 64),
    sized("256 tasks", 256),
  ],
  measures: ["success", "easiest", "hardest"],
  limits: ["the other tasks are those of the harder levels"],
};
