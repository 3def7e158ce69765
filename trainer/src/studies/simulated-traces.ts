/** Rollouts with the real tools, or with a model that simulates them. */
import { rewardStage } from "@waggle/learning";
import * as parts from "@waggle/learning/parts";
import { arm, type Study } from "./study.ts";

const learning = { steps: 10, settings: { tasksPerStep: 12, learningRate: 3e-3 } } as const;

const real = rewardStage({
  rollout: parts.group(8),
  filters: [parts.mixedGroup()],
  reward: parts.outcome(),
  advantage: parts.groupAdvantage(),
  losses: [parts.pgClip()],
  ...learning,
});

/**
 * Tools simulated by an adapter over the same base; success is judged by the environment or by the
 * model too.
 */
function simulated(judges: boolean): ReturnType<typeof rewardStage> {
  return rewardStage({
    rollout: parts.simulatedTools({ size: 8, judges }),
    filters: [parts.mixedGroup()],
    reward: judges ? parts.imaginedOutcome() : parts.outcome(),
    advantage: parts.groupAdvantage(),
    losses: [parts.pgClip()],
    state: { "world-model": parts.worldModel },
    ...learning,
  });
}

export const simulatedTraces: Study = {
  name: "simulated-traces",
  question: "Do simulated tools teach as well as real ones?",
  sides: [
    { says: "real ones, end to end", sources: "Open-AgentRL; MOTO warns of exploited models" },
    { says: "simulated ones suffice", sources: "Simia, SSRL, AgentScaler" },
  ],
  environment: "calculator",
  tokens: 32_000,
  arms: [
    arm("real tools", ["one"], [real, 1]),
    arm("simulated tools", ["one"], [simulated(false), 1]),
    arm("simulated tools and verdict", ["one"], [simulated(true), 1]),
  ],
  measures: ["success", "toolCalls"],
  limits: ["the simulator is an adapter over the same nano base, trained on logged calls"],
};
