/**
 * Runs with a sentence before them on what came of them, for losses that imitate on that condition. Rewards and
 * what filters said stay; tokens, masks and weights are those of the run said again.
 */
import { WaggleError } from "@waggle/protocol";
import { rewardedTrajectory } from "./minibatch.ts";
import type { PartContext, RewardedGroup, RewardedTrajectory } from "./part.ts";
import type { Stage } from "./stage.ts";

/** The same where no loss of the stage says anything. */
export async function withOutcomesSaid(
  { name, losses }: Stage,
  groups: readonly RewardedGroup[],
  { ports }: PartContext,
): Promise<readonly RewardedGroup[]> {
  const says = losses.find(({ loss }) => loss.says !== undefined)?.loss.says;
  if (says === undefined) return groups;
  const { prefaced } = ports;
  if (prefaced === undefined) {
    throw new WaggleError(
      "CAPABILITY_MISSING",
      `stage ${name} says runs again with what came of them, got nothing that can; train it from an environment, not from an edge`,
    );
  }
  const said = async (run: RewardedTrajectory): Promise<RewardedTrajectory> =>
    rewardedTrajectory(await prefaced(run.trajectory, says(run)), run.reward);
  return Promise.all(
    groups.map(async ({ task, trajectories }) => ({
      task,
      trajectories: await Promise.all(trajectories.map(said)),
    })),
  );
}
