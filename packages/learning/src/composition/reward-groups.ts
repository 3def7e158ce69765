/**
 * Gives the trajectories of rolled-out groups their rewards and applies the stage's filters in order.
 * Runs no model.
 */
import { WaggleError } from "@waggle/protocol";
import type { JudgedGroup } from "./judged-trajectory.ts";
import { rewardedTrajectory } from "./minibatch.ts";
import { conditionOnOutcomes } from "./outcome-conditioning.ts";
import type { Filtered, PartContext, Reward, RewardedGroup, StateChange } from "./part.ts";
import { settingsAt, type Stage } from "./stage.ts";

/** The groups that remain, the reasons for dropped trajectories, and changes of the state. */
export type Kept = Required<Pick<Filtered, "groups" | "dropped" | "pairs">> & {
  readonly state: StateChange;
};

/**
 * @throws WaggleError `SHAPE_MISMATCH` if a reward part returns a wrong number of rewards, and the errors of the
 *   parts.
 */
export async function rewardGroups(
  stage: Stage,
  groups: readonly JudgedGroup[],
  context: PartContext,
): Promise<Kept> {
  const rewarded = await Promise.all(groups.map((group) => rewardGroup(stage, group, context)));
  const kept = filterGroups(stage, rewarded, context);
  return { ...kept, groups: await conditionOnOutcomes(stage, kept.groups, context) };
}

/** A group with the rewards of the stage at this step. Throws as `rewardGroups` does. */
export async function rewardGroup(
  stage: Stage,
  group: JudgedGroup,
  context: PartContext,
): Promise<RewardedGroup> {
  const rewards = await rewardsOf(stage, group, atStep(stage, context));
  const trajectories = group.trajectories.map((trajectory, i) =>
    rewardedTrajectory(trajectory, rewards[i] as Reward),
  );
  return { task: group.task, trajectories };
}

/**
 * Applies the stage's filters to the groups of one step. If the advantage compares siblings, a trajectory
 * whose siblings were all dropped is dropped too.
 */
export function filterGroups(
  stage: Stage,
  rewarded: readonly RewardedGroup[],
  given: PartContext,
): Kept {
  const context = atStep(stage, given);
  let kept = rewarded;
  const dropped = new Map<string, string>();
  let pairs: NonNullable<Filtered["pairs"]> = [];
  const estimated =
    stage.learns === "rewards" ? undefined : stage.advantage?.estimate(kept, context);
  let state: StateChange = estimated?.state ?? {};
  for (const filter of stage.filters) {
    const filtered = filter.apply(kept, {
      ...context,
      state: { ...context.state, ...state },
      advantages: estimated?.advantages,
    });
    kept = filtered.groups;
    for (const [id, reason] of filtered.dropped) dropped.set(id, reason);
    pairs = filtered.pairs ?? pairs;
    state = { ...state, ...filtered.state };
  }
  const alone = leftAlone(stage, rewarded, kept);
  for (const group of alone) {
    for (const { trajectory } of group.trajectories) dropped.set(trajectory.id, "group-of-one");
  }
  return { groups: kept.filter((group) => !alone.has(group)), dropped, pairs, state };
}

/** The context with the schedule's reward weights at this step. */
function atStep(stage: Stage, context: PartContext): PartContext {
  return { ...context, rewardWeights: settingsAt(stage, context).rewardWeights };
}

/** Ids of trajectories that filters left alone in their group, without a baseline. */
function leftAlone(
  { learns, advantage }: Stage,
  before: readonly RewardedGroup[],
  after: readonly RewardedGroup[],
): ReadonlySet<RewardedGroup> {
  if (learns !== "rewards" || advantage?.start !== "group") return new Set();
  const several = new Set(
    before.flatMap(({ task, trajectories }) => (trajectories.length > 1 ? [task] : [])),
  );
  return new Set(
    after.filter(({ task, trajectories }) => trajectories.length === 1 && several.has(task)),
  );
}

async function rewardsOf(
  stage: Stage,
  group: JudgedGroup,
  context: PartContext,
): Promise<readonly Reward[]> {
  const { reward } = stage;
  if (reward === null) {
    return group.trajectories.map(({ verification }) => ({ total: verification.reward }));
  }
  const rewards = await reward.rewards(group, context);
  if (rewards.length !== group.trajectories.length) {
    throw new WaggleError(
      "SHAPE_MISMATCH",
      `reward ${reward.part} returned ${rewards.length} rewards for a group of ${group.trajectories.length} trajectories; return one for each, or throw REWARD_UNAVAILABLE`,
    );
  }
  return rewards;
}
