/** Does it help to start with easy tasks or short trajectories? */
import { groupReinforcement } from "@waggle/learning";
import * as parts from "@waggle/learning/parts";
import { arm, type Study } from "./study.ts";

const plain = { groupSize: 8, steps: 10, learningRate: 3e-3 };

export const curriculum: Study = {
  name: "curriculum",
  question: "Does a curriculum beat the same samples in random order?",
  sides: [
    {
      says: "yes, of horizon or of difficulty",
      sources: "ScalingInter-RL, MaskSearch, AdA, Kimi-Dev",
    },
    { says: "no significant benefit", sources: "Planner-R1" },
  ],
  environment: "calculator",
  tokens: 32_000,
  arms: [
    arm("no order", ["one"], [groupReinforcement(plain), 1]),
    arm(
      "easy first",
      ["one"],
      [groupReinforcement({ ...plain, schedule: [parts.difficultyCurriculum(0.5)] }), 1],
    ),
    arm(
      "short first",
      ["one"],
      [groupReinforcement({ ...plain, schedule: [parts.horizonCurriculum(2, 8)] }), 1],
    ),
  ],
  measures: ["success", "hardest"],
  limits: [],
};
