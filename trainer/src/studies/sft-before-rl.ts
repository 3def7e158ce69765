/** Does a start from demonstrations help reinforcement learning if both share one budget? */
import { demonstrationStart, groupReinforcement } from "@waggle/learning";
import { type Arm, arm, type Study } from "./study.ts";

const learningRate = 3e-3;
/** More steps than the budget allows. */
const steps = 200;

/** Imitation with this share of the budget, reinforcement learning with the rest. */
function started(share: number): Arm {
  const imitation = demonstrationStart({ steps, learningRate });
  const reinforcement = groupReinforcement({ groupSize: 8, steps, learningRate });
  const name = `${100 * share} % imitation`;
  if (share === 0) return arm(name, ["one"], [reinforcement, 1]);
  if (share === 1) return arm(name, ["sft"], [imitation, 1]);
  return arm(name, ["sft-rl"], [imitation, share], [reinforcement, 1 - share]);
}

export const sftBeforeRl: Study = {
  name: "sft-before-rl",
  question: "Is imitation before reinforcement learning worth its cost?",
  sides: [
    {
      says: "a cold start is needed, or raises the final success",
      sources: "DeepEyesV2, GraphWalker, Open-AgentRL, AceReason",
    },
    {
      says: "reinforcement learning alone suffices; imitation fails outside its data",
      sources: "AgentGym-RL, Environment Tuning, ARTIST",
    },
  ],
  environment: "calculator",
  tokens: 32_000,
  arms: [started(0), started(0.25), started(0.5), started(1)],
  measures: ["success", "toolCalls"],
  limits: [
    "the base was already trained on demonstrations of this environment, with a third of the decisions wrong",
  ],
};
