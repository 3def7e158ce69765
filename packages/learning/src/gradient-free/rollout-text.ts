/** Rollouts as text for a writer or a case: the trainer's rendering, or else calls and results. */
import type { JudgedTrajectory } from "../composition/judged-trajectory.ts";
import type { PartContext, RewardedTrajectory, TrajectoryText } from "../composition/part.ts";
import { callsAndResults } from "../rewards/calls-and-results.ts";
import type { ReadRollout } from "./prompt-writing.ts";

export function textOf(trajectory: JudgedTrajectory, { ports }: PartContext): TrajectoryText {
  return ports.describe?.(trajectory) ?? callsAndResults(trajectory);
}

export function readRollout(
  { trajectory, reward }: RewardedTrajectory,
  context: PartContext,
): ReadRollout {
  return {
    ...textOf(trajectory, context),
    reward: reward.total,
    prompt: trajectory.read?.ids["prompts"]?.[0] ?? null,
  };
}
