/** How to make a policy account for the cost of calls: four variants of one objective. */
import { groupReinforcement } from "@waggle/learning";
import * as parts from "@waggle/learning/parts";
import { arm, catalogued, type Study } from "./study.ts";

const plain = { groupSize: 8, steps: 10, learningRate: 3e-3 };
const callCost = 0.05;

export const toolPenalty: Study = {
  name: "tool-penalty",
  question: "Should the reward include the cost of tool calls?",
  sides: [
    { says: "yes, as a cost or as a bonus for few calls", sources: "A2FM, ASTRA, ToolCUA" },
    {
      says: "no: a scalar suppresses needed calls or has no effect; use a separate channel, or pairs",
      sources: "HDPO, AKBE",
    },
  ],
  environment: "calculator",
  tokens: 32_000,
  arms: [
    arm("no cost", ["one"], [groupReinforcement(plain), 1]),
    arm(
      "scalar",
      ["one"],
      [groupReinforcement({ ...plain, reward: parts.economy({ toolCall: callCost }) }), 1],
    ),
    arm(
      "gated",
      ["one"],
      [
        groupReinforcement({
          ...plain,
          reward: parts.economy(
            { toolCall: callCost },
            { kind: "gated", allowance: 10 * callCost },
          ),
        }),
        1,
      ],
    ),
    catalogued("decoupled", "hdpo", { callCost, steps: plain.steps }),
    catalogued("paired", "akbe", { steps: plain.steps }),
  ],
  measures: ["success", "toolCalls"],
  limits: [],
};
