/**
 * Does a KL penalty preserve untrained skills beyond the effect of learning less? Policies trained
 * at lower rates also stay closer to the base. Comparing with them at the same KL isolates the
 * effect of the penalty.
 */
import { rewardStage } from "@waggle/learning";
import * as parts from "@waggle/learning/parts";
import { type Arm, arm, type Study } from "./study.ts";

const FULL_RATE = 3e-3;
/** More steps than the budget allows. */
const STEPS = 200;

/**
 * Training on the easiest tasks only, with this KL coefficient and this fraction of the learning
 * rate.
 */
function pulled(coefficient: number, rate = 1): Arm {
  const common = {
    rollout: parts.group(8),
    filters: [parts.mixedGroup()],
    reward: parts.outcome(),
    advantage: parts.groupAdvantage(),
    losses: [parts.pgClip()],
    steps: STEPS,
    settings: { tasksPerStep: 12, learningRate: rate * FULL_RATE, difficulty: 0 },
  } as const;
  const stage =
    coefficient === 0
      ? rewardStage(common)
      : rewardStage({
          ...common,
          kl: { in: "loss", coefficient, estimator: "k2" },
          state: { ref: parts.reference },
        });
  const name = coefficient === 0 ? "no KL" : `KL × ${coefficient}`;
  return arm(rate === 1 ? name : `${name}, rate × ${rate}`, ["one"], [stage, 1]);
}

const free = [pulled(0), pulled(0, 0.5), pulled(0, 0.25)] as const;

export const klTerm: Study = {
  name: "kl-term",
  question: "What does a KL term change on tasks that are trained, and on those that are not?",
  sides: [
    { says: "KL to the base predicts forgetting", sources: "RL's Razor" },
    { says: "the penalty is not the main cause", sources: "the RFT study" },
  ],
  environment: "calculator",
  tokens: 32_000,
  arms: [...free, pulled(0.01), pulled(0.1), pulled(1)],
  measures: ["hardest", "easiest", "success", "kl"],
  atEqualKl: free,
  limits: [
    "only the easiest tasks are trained; the hardest are measured beside them, which shows transfer and not forgetting",
    "if learning the easiest tasks improves the hardest, less forgetting appears as a larger gain",
  ],
};
