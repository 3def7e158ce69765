/** Learning in the weights, or in cases that are read before a task. */
import { groupReinforcement } from "@waggle/learning";
import { arm, catalogued, type Study } from "./study.ts";

export const weightsOrMemory: Study = {
  name: "weights-or-memory",
  question: "Does a memory learn as much as weights do?",
  sides: [
    { says: "memory suffices", sources: "AgentFly, EvoKernel, Training-Free GRPO" },
    { says: "weights", sources: "papers that fine-tune" },
  ],
  environment: "calculator",
  tokens: 32_000,
  arms: [
    arm(
      "weights",
      ["one"],
      [groupReinforcement({ groupSize: 8, steps: 10, learningRate: 3e-3 }), 1],
    ),
    catalogued("cases, soft Q", "agent-fly", { steps: 60 }),
    catalogued("cases, policy gradient", "agent-fly", { steps: 60, learns: "policy-gradient" }),
  ],
  measures: ["success", "toolCalls"],
  limits: [
    "a nano base has not learned to read: what cases are worth to a model that can is not seen here",
  ],
};
