/** Is uncertainty to be kept up, kept in bounds, or let go? */
import { rewardStage } from "@waggle/learning";
import * as parts from "@waggle/learning/parts";
import { type Arm, arm, type Study } from "./study.ts";

/** Uncertainty paid (or charged) with this coefficient. */
function paid(name: string, coefficient: number): Arm {
  const stage = rewardStage({
    rollout: parts.group(8),
    filters: [parts.mixedGroup()],
    reward: parts.outcome(),
    advantage: parts.groupAdvantage(),
    losses:
      coefficient === 0 ? [parts.pgClip()] : [parts.pgClip(), parts.entropyBonus(coefficient)],
    steps: 10,
    settings: { tasksPerStep: 12, learningRate: 3e-3 },
  });
  return arm(name, ["one"], [stage, 1]);
}

export const entropy: Study = {
  name: "entropy",
  question: "Should entropy be kept high while learning?",
  sides: [
    { says: "keep it up", sources: "Open-AgentRL, AEPO, Polychromic PPO" },
    { says: "bounded on both sides, or a low target", sources: "SPEAR, AceReason (0.3)" },
  ],
  environment: "calculator",
  tokens: 32_000,
  arms: [
    paid("left alone", 0),
    paid("charged 0.01", -0.01),
    paid("paid 0.01", 0.01),
    paid("paid 0.05", 0.05),
  ],
  measures: ["success", "toolCalls"],
  limits: ["a coefficient is swept, not a target"],
};
