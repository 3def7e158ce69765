/**
 * Puts a sentence on the outcome before each trajectory, for losses that imitate conditioned on it. The new
 * trajectory has the same turns and reward, and the tokens, masks and weights of the new text.
 */
import { WaggleError } from "@waggle/protocol";
import { rewardedTrajectory } from "./minibatch.ts";
import type { PartContext, RewardedGroup, RewardedTrajectory } from "./part.ts";
import type { Stage } from "./stage.ts";

/** The groups with conditioned trajectories; the same groups if no loss of the stage has a condition. */
export async function conditionOnOutcomes(
  { name, losses }: Stage,
  groups: readonly RewardedGroup[],
  { ports }: PartContext,
): Promise<readonly RewardedGroup[]> {
  const condition = losses.find(({ loss }) => loss.condition !== undefined)?.loss.condition;
  if (condition === undefined) return groups;
  const { prefaced } = ports;
  if (prefaced === undefined) {
    throw new WaggleError(
      "CAPABILITY_MISSING",
      `stage ${name} puts outcomes into prompts, which rollouts from the edge do not allow; train it in an environment`,
    );
  }
  const conditioned = async (one: RewardedTrajectory): Promise<RewardedTrajectory> =>
    rewardedTrajectory(await prefaced(one.trajectory, condition(one)), one.reward);
  return Promise.all(
    groups.map(async ({ task, trajectories }) => ({
      task,
      trajectories: await Promise.all(trajectories.map(conditioned)),
    })),
  );
}
