/** Does a pull to the start keep what is not visited, beyond what learning less would keep? */
import { rewardStage } from "@waggle/learning";
import * as parts from "@waggle/learning/parts";
import { type Arm, arm, type Study } from "./study.ts";

/** Trained on the easiest tasks alone, with this much of a pull. */
function pulled(coefficient: number): Arm {
  const common = {
    rollout: parts.group(8),
    filters: [parts.mixedGroup()],
    reward: parts.outcome(),
    advantage: parts.groupAdvantage(),
    losses: [parts.pgClip()],
    steps: 10,
    settings: { tasksPerStep: 12, learningRate: 3e-3, difficulty: 0 },
  } as const;
  const stage =
    coefficient === 0
      ? rewardStage(common)
      : rewardStage({
          ...common,
          kl: { in: "loss", coefficient, estimator: "k2" },
          state: { ref: parts.reference },
        });
  return arm(coefficient === 0 ? "no KL" : `KL × ${coefficient}`, ["one"], [stage, 1]);
}

export const klTerm: Study = {
  name: "kl-term",
  question: "Is the KL term what keeps reinforcement from forgetting?",
  sides: [
    { says: "KL to the base predicts forgetting", sources: "RL's Razor" },
    { says: "the penalty is not the main reason", sources: "the RFT study" },
  ],
  environment: "calculator",
  tokens: 32_000,
  arms: [pulled(0), pulled(0.01), pulled(0.1)],
  measures: ["hardest", "easiest", "success"],
  limits: ["only the easiest tasks are trained; what is forgotten is read off the hardest"],
};
