/** Metrics of a step's trajectories, for reports. */
import { type JudgedTrajectory, sampledTokens, toolCalls } from "@waggle/learning";

/** Mean metrics of the trajectories. */
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

/** False if all rewards of a group of several are equal. */
export function hasSignal(trajectories: readonly JudgedTrajectory[]): boolean {
  const rewards = trajectories.map(({ verification }) => verification.reward);
  return rewards.length < 2 || Math.max(...rewards) - Math.min(...rewards) > 1e-6;
}

/** The mean; 0 of an empty list. */
export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
