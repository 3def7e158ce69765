/** Which algorithm from the literature learns most from one token budget? */
import { groupReinforcement } from "@waggle/learning";
import { arm, catalogued, type Study } from "./study.ts";

export const algorithm: Study = {
  name: "algorithm",
  question: "Which algorithm learns most from the same budget?",
  sides: [
    { says: "PPO; flows; no gradients", sources: "the VLA study, GFlowVLM, ES at scale" },
    {
      says: "groups; preferences; DPO is weak on long horizons",
      sources: "the GRPO family, Agent Q, MOSAIC, the deep-research survey",
    },
  ],
  environment: "calculator",
  tokens: 32_000,
  arms: [
    arm("GRPO", ["one"], [groupReinforcement({ groupSize: 8, steps: 10, learningRate: 3e-3 }), 1]),
    catalogued("PPO with a critic", "rl4vlm", { epochs: 1, learningRate: 3e-3 }),
    catalogued("flow balance", "gflow-vlm"),
    catalogued("preferences of steps", "matrix"),
    catalogued("evolution strategies", "evolution-strategies"),
  ],
  measures: ["success", "toolCalls"],
  limits: [
    "preferences compare single steps, after a start from demonstrations, as in MATRIX",
    "only the number of tokens is equal; the table has the seconds",
  ],
};
