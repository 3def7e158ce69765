/** What a step's trajectories came to, as numbers for a report. */
import { type JudgedTrajectory, sampledTokens, toolCalls } from "@waggle/learning";

export function trajectoryMetrics(trajectories: readonly JudgedTrajectory[]): {
  readonly [name: string]: number;
} {
  return {
    successRate: mean(trajectories.map(({ verification }) => (verification.success ? 1 : 0))),
    rewardMean: mean(trajectories.map(({ verification }) => verification.reward)),
    toolCallsMean: mean(trajectories.map(toolCalls)),
    sampledTokensMean: mean(trajectories.map(sampledTokens)),
  };
}

/** False where a group of several scored alike. */
export function hasSignal(trajectories: readonly JudgedTrajectory[]): boolean {
  const rewards = trajectories.map(({ verification }) => verification.reward);
  return rewards.length < 2 || Math.max(...rewards) - Math.min(...rewards) > 1e-6;
}

/** 0 of nothing. */
export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
