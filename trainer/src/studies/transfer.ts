/** Performance on hard tasks while only easy ones are trained: measures transfer, not forgetting. */
import { demonstrationStart, groupReinforcement, rewardStage } from "@waggle/learning";
import * as parts from "@waggle/learning/parts";
import { arm, type Study } from "./study.ts";

const learningRate = 3e-3;
const difficulty = 0;
/** More steps than the budget allows. */
const steps = 200;

const rehearsing = rewardStage({
  rollout: parts.single(),
  filters: [parts.rehearsed(24)],
  reward: parts.outcome(),
  advantage: parts.movingBaselineAdvantage(),
  losses: [parts.truncatedImportance(parts.pgClip())],
  state: {
    baseline: parts.baseline({ decay: 0.98, prior: 0.5 }),
    "rest-buffer": parts.leftovers(),
  },
  steps,
  settings: { tasksPerStep: 96, learningRate, difficulty },
});

export const transfer: Study = {
  name: "transfer",
  question: "Do easy tasks teach hard ones better by reinforcement or by imitation?",
  sides: [
    { says: "reinforcement keeps more of other skills", sources: "RL's Razor, the RFT study" },
    { says: "it loses unused skills, and its language drifts", sources: "RL as forgetting, SIL" },
  ],
  environment: "calculator",
  tokens: 32_000,
  arms: [
    arm(
      "reinforcement",
      ["one"],
      [groupReinforcement({ groupSize: 8, steps, learningRate, difficulty }), 1],
    ),
    arm(
      "imitation",
      ["sft"],
      [demonstrationStart({ steps, learningRate, tasks: { difficulty } }), 1],
    ),
    arm("reinforcement with rehearsal", ["one"], [rehearsing, 1]),
  ],
  measures: ["hardest", "easiest", "success", "kl"],
  limits: [
    "it does not measure forgetting: no skill is learned first and lost later, and the hardest tasks rise in every arm",
    "earlier releases called this study forgetting; that claim is withdrawn",
  ],
};
