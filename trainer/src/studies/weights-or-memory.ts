/** Learning in the weights, or in cases that are read before a task. */
import { groupReinforcement } from "@waggle/learning";
import { arm, catalogued, type Study } from "./study.ts";

/** More steps than the budget allows. */
const steps = 400;

export const weightsOrMemory: Study = {
  name: "weights-or-memory",
  question: "Does a memory learn as much as the weights?",
  sides: [
    { says: "a memory suffices", sources: "AgentFly, EvoKernel, Training-Free GRPO" },
    { says: "weights", sources: "papers that fine-tune" },
  ],
  environment: "recall",
  tokens: 10_000,
  arms: [
    arm("weights", ["one"], [groupReinforcement({ groupSize: 8, steps, learningRate: 3e-3 }), 1]),
    catalogued("cases, soft Q", "agent-fly", { steps }),
    catalogued("cases, policy gradient", "agent-fly", { steps, learns: "policy-gradient" }),
  ],
  measures: ["success", "toolCalls"],
  limits: ["the base was trained only to read cases, which is the best situation for a memory"],
};
