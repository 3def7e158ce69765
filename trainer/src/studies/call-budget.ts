/** Does training with few deliberate calls or with a long horizon work better? */
import { groupReinforcement } from "@waggle/learning";
import * as parts from "@waggle/learning/parts";
import { type Arm, arm, type Study } from "./study.ts";

const plain = { groupSize: 8, steps: 10, learningRate: 3e-3 };

function limited(turns: number): Arm {
  const schedule = [parts.horizonCurriculum(turns, turns, 1)];
  return arm(`${turns} turns`, ["one"], [groupReinforcement({ ...plain, schedule }), 1]);
}

export const callBudget: Study = {
  name: "call-budget",
  question: "Does a longer horizon during training help?",
  sides: [
    { says: "few deliberate calls", sources: "Open-AgentRL, RoRecomp" },
    { says: "many turns, or a growing horizon", sources: "ASearcher, ScalingInter-RL" },
  ],
  environment: "calculator",
  tokens: 32_000,
  arms: [
    limited(4),
    limited(6),
    limited(10),
    arm(
      "widening",
      ["one"],
      [groupReinforcement({ ...plain, schedule: [parts.horizonCurriculum(3, 10)] }), 1],
    ),
  ],
  measures: ["success", "toolCalls"],
  limits: ["held-out tasks always have the environment's own horizon"],
};
