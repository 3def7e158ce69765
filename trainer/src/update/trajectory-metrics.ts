/** Metrics of a step's trajectories, for reports. */
import { meanOrZero } from "@waggle/evaluation";
import { type JudgedTrajectory, sampledTokens, toolCalls } from "@waggle/learning";

/** Mean metrics of the trajectories. */
export function trajectoryMetrics(trajectories: readonly JudgedTrajectory[]): {
  readonly [name: string]: number;
} {
  return {
    successRate: meanOrZero(trajectories.map(({ verification }) => (verification.success ? 1 : 0))),
    rewardMean: meanOrZero(trajectories.map(({ verification }) => verification.reward)),
    toolCallsMean: meanOrZero(trajectories.map(toolCalls)),
    sampledTokensMean: meanOrZero(trajectories.map(sampledTokens)),
  };
}
