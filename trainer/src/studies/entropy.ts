/** Should training keep entropy high, keep it within bounds, or leave it alone? */
import { groupReinforcement, rewardStage } from "@waggle/learning";
import * as parts from "@waggle/learning/parts";
import { type Arm, arm, type Study } from "./study.ts";

/**
 * More steps than the budget allows: the number of tokens per step depends on how many groups have
 * a signal.
 */
const STEPS = 200;

/** Adjusts the sampling temperature to the measured entropy, towards a target in nats per token. */
function towards(target: number): Arm {
  const stage = rewardStage({
    rollout: parts.group(8),
    filters: [
      parts.measuredEntropy({ target, gain: 0.5, least: 0.25, most: 2 }),
      parts.mixedGroup(),
    ],
    reward: parts.outcome(),
    advantage: parts.groupAdvantage(),
    losses: [parts.pgClip()],
    state: { temperature: parts.temperature() },
    schedule: [parts.temperatureTarget()],
    steps: STEPS,
    settings: { tasksPerStep: 12, learningRate: 3e-3 },
  });
  return arm(`towards ${target}`, ["one"], [stage, 1]);
}

export const entropy: Study = {
  name: "entropy",
  question: "Should entropy stay high during training?",
  sides: [
    { says: "keep it high", sources: "Open-AgentRL, AEPO, Polychromic PPO" },
    { says: "bound it on both sides, or use a low target", sources: "SPEAR, AceReason (0.3)" },
  ],
  environment: "calculator",
  tokens: 32_000,
  arms: [
    arm(
      "left alone",
      ["one"],
      [groupReinforcement({ groupSize: 8, steps: STEPS, learningRate: 3e-3 }), 1],
    ),
    towards(0.05),
    towards(0.15),
    towards(0.3),
    towards(0.6),
  ],
  measures: ["success", "toolCalls"],
  limits: [
    "arms change only the temperature of rollouts; held-out tasks are sampled at temperature 1",
  ],
};
