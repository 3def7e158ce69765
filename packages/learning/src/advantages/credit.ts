/**
 * Distributes numbers of a group, a trajectory or a turn over tokens: the last step of every advantage part.
 */
import type {
  AdvantagePart,
  AdvantageRows,
  RewardedGroup,
  RewardedTrajectory,
  Start,
} from "../composition/part.ts";
import type { StateName } from "../composition/state.ts";
import type { TokenRows } from "../token-rows.ts";

/** A named advantage part. */
export function advantagePart<S extends Start, N extends StateName = never>(
  part: string,
  start: S,
  estimate: AdvantagePart<N, S>["estimate"],
  more: {
    readonly needs?: readonly N[];
    readonly readsEntropies?: true;
    readonly around?: AdvantagePart["around"];
  } = {},
): AdvantagePart<N, S> {
  const { needs = [], readsEntropies, around } = more;
  return {
    slot: "advantage",
    part,
    start,
    needs,
    estimate,
    ...(readsEntropies === undefined ? {} : { readsEntropies }),
    ...(around === undefined ? {} : { around }),
  };
}

/** `[G]` weights of the rollouts in the statistics of their group. */
export function reputationsOf(trajectories: readonly RewardedTrajectory[]): number[] {
  return trajectories.map(({ trajectory }) => trajectory.reputation ?? 1);
}

/** `[samples][T]`: the same advantage for every loss token. */
export function overTrajectory({ lossMask }: RewardedTrajectory, advantage: number): TokenRows {
  return lossMask.map((row) => Float64Array.from(row, (counts) => (counts ? advantage : 0)));
}

/**
 * `[samples][T]`: the advantage of each turn's own reward if feedback is about single turns, and of the total reward
 * otherwise.
 */
export function overCredited(
  rewarded: RewardedTrajectory,
  advantageOf: (reward: number) => number,
): TokenRows {
  const { turns } = rewarded.trajectory;
  if (turns.every(({ credit }) => credit === undefined)) {
    return overTrajectory(rewarded, advantageOf(rewarded.reward.total));
  }
  return overTurns(
    rewarded,
    turns.map(({ credit = null }) => (credit === null ? 0 : advantageOf(credit))),
  );
}

/** `[samples][T]`: `[turns]` advantages, each for the tokens of its turn. */
export function overTurns(
  { trajectory, lossMask }: RewardedTrajectory,
  ofTurns: readonly number[],
): TokenRows {
  const rows = lossMask.map((row) => new Float64Array(row.length));
  for (const [i, { sample, start, end }] of trajectory.turns.entries()) {
    const mask = lossMask[sample];
    const row = rows[sample];
    for (let t = start; t < end; t += 1) {
      if (mask?.[t] === true && row !== undefined) row[t] = ofTurns[i] ?? 0;
    }
  }
  return rows;
}

/** One advantage per trajectory, from the rewards of its group. */
export function byRewards(
  groups: readonly RewardedGroup[],
  advantagesOf: (
    rewards: readonly number[],
    trajectories: readonly RewardedTrajectory[],
  ) => readonly number[],
): { readonly advantages: AdvantageRows } {
  const advantages = new Map<string, TokenRows>();
  for (const { trajectories } of groups) {
    const ofGroup = advantagesOf(
      trajectories.map(({ reward }) => reward.total),
      trajectories,
    );
    for (const [i, rewarded] of trajectories.entries()) {
      advantages.set(rewarded.trajectory.id, overTrajectory(rewarded, ofGroup[i] as number));
    }
  }
  return { advantages };
}

/** `[turns]` advantages per trajectory, computed group by group. */
export function byTurns(
  groups: readonly RewardedGroup[],
  advantagesOf: (trajectories: readonly RewardedTrajectory[]) => readonly (readonly number[])[],
): { readonly advantages: AdvantageRows } {
  const advantages = new Map<string, TokenRows>();
  for (const { trajectories } of groups) {
    const ofGroup = advantagesOf(trajectories);
    for (const [i, rewarded] of trajectories.entries()) {
      advantages.set(rewarded.trajectory.id, overTurns(rewarded, ofGroup[i] as readonly number[]));
    }
  }
  return { advantages };
}

/**
 * `[turns]` rewards of the turns. The part of the reward that no turn got is added to the last one, so the
 * sum is the reward.
 */
export function turnRewards({ trajectory, reward }: RewardedTrajectory): number[] {
  const paid = trajectory.turns.map((turn, i) => reward.turnRewards?.[i] ?? turn.reward ?? 0);
  const last = paid.length - 1;
  if (last >= 0) {
    paid[last] = (paid[last] as number) + reward.total - paid.reduce((sum, r) => sum + r, 0);
  }
  return paid;
}

/** An advantage part that needs groups and no state. */
export type GroupPart = AdvantagePart<never, "group">;

/** All trajectories of all groups. */
export function trajectoriesOf(groups: readonly RewardedGroup[]): RewardedTrajectory[] {
  return groups.flatMap(({ trajectories }) => trajectories);
}
