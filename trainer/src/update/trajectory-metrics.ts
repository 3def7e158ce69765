/** Metrics of a step's trajectories, for reports. */
import { meanOrZero } from "@waggle/evaluation";
import { type JudgedTrajectory, sampledTokens, toolCalls } from "@waggle/learning";
import { givenVerdict } from "../check/edited-answer.ts";

/** Mean metrics of the trajectories. */
export function trajectoryMetrics(trajectories: readonly JudgedTrajectory[]): {
  readonly [name: string]: number;
} {
  const verdicts = trajectories.map(({ verification }) => givenVerdict(verification));
  return {
    successRate: meanOrZero(verdicts.map(({ success }) => (success ? 1 : 0))),
    rewardMean: meanOrZero(verdicts.map(({ reward }) => reward)),
    toolCallsMean: meanOrZero(trajectories.map(toolCalls)),
    sampledTokensMean: meanOrZero(trajectories.map(sampledTokens)),
  };
}
