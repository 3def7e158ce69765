/**
 * Named components of a reward, and `tiers` of them. Components are stored separately, so a run can be
 * weighted anew. A component that could not be judged is absent, not 0, and a total that needs it is refused.
 *
 * Source: QUASAR, GeoVista (tiers).
 */
import { WaggleError } from "@waggle/protocol";
import {
  type JudgedGroup,
  type JudgedTrajectory,
  verifiedWorth,
} from "../composition/judged-trajectory.ts";
import { option, fixed, definePart } from "../composition/part-options.ts";
import type { PartContext, RewardPart, Reward } from "../composition/part.ts";
import type { StateName } from "../composition/state.ts";
import { rewardPart } from "./reward-part.ts";

/** Components by name; `null` if a verifier or judge could not judge it. */
export type RewardComponents = { readonly [name: string]: number | null };

/**
 * The value of a component.
 *
 * @throws WaggleError `REWARD_UNAVAILABLE` (retryable) if it could not be judged.
 * @throws WaggleError `INVALID_ARGUMENT` for an unknown name.
 * @throws WaggleError `NON_FINITE_REWARD` if it is not finite.
 */
export function componentOf(components: RewardComponents, name: string): number {
  if (!Object.hasOwn(components, name)) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `no component ${name.slice(0, 64)}; the reward has ${Object.keys(components).join(", ")}`,
    );
  }
  const value = components[name] as number | null;
  if (value === null) {
    throw new WaggleError(
      "REWARD_UNAVAILABLE",
      `component ${name} was not judged; judge again or drop the trajectory`,
      { retryable: true },
    );
  }
  if (!Number.isFinite(value)) {
    throw new WaggleError(
      "NON_FINITE_REWARD",
      `component ${name} must be finite, got ${value}; throw REWARD_UNAVAILABLE if it cannot be judged`,
    );
  }
  return value;
}

/** One tier of a hierarchy. */
export type Tier = {
  readonly reward: number;
  readonly weight: number;
  /** Lowest reward at which the next tier counts. Default 1. */
  readonly passesAt?: number;
};

/** Weighted sum of the tiers up to and including the first that does not pass. */
export function tieredReward(tiers: readonly Tier[]): number {
  let sum = 0;
  for (const { reward, weight, passesAt = 1 } of tiers) {
    sum += weight * reward;
    if (reward < passesAt) break;
  }
  return sum;
}

/** `tiers`: later tiers count only if the earlier ones pass. */
export function tiers(tiersOf: (trajectory: JudgedTrajectory) => readonly Tier[]): RewardPart {
  return rewardPart("tiers", (trajectory) => ({ total: tieredReward(tiersOf(trajectory)) }));
}

/**
 * `gate`: adds `bonus` only if `holds`. Default: if the trajectory's verified reward reaches the threshold.
 */
export function gate<A extends StateName, B extends StateName>(
  base: RewardPart<A>,
  bonus: RewardPart<B>,
  holds?: (trajectory: JudgedTrajectory) => boolean,
): RewardPart<A | B> {
  return definePart(
    { gateFrom: holds === undefined ? option(undefined, 1) : fixed(1) },
    ({ gateFrom }, inner) =>
      joined<A | B>("gate", inner, (rewards, trajectory) => {
        const [first, second] = rewards as readonly [Reward, Reward];
        const isPaid = holds?.(trajectory) ?? verifiedWorth(trajectory) >= gateFrom;
        return isPaid ? summed([first, second], [1, 1]) : first;
      }),
    [base, bonus] as readonly RewardPart<A | B>[],
  );
}

/** A fixed weight, or the default of a setting. */
type RewardWeight = number | { readonly default: number };

/**
 * A weighted sum of rewards. Each part is a component of the reward under its own name. A weight given as a
 * default becomes the setting `<part>Weight`.
 */
export function weighted<N extends StateName>(
  entries: readonly (readonly [part: RewardPart<N>, weight: RewardWeight])[],
): RewardPart<N> {
  const [first] = entries;
  if (first === undefined) {
    throw new WaggleError("INVALID_ARGUMENT", "a weighted reward needs at least one part");
  }
  return definePart(
    Object.fromEntries(
      entries.map(([{ part }, weight]) => [
        weightName(part),
        typeof weight === "number" ? fixed(weight) : option(undefined, weight.default),
      ]),
    ),
    (weights, parts) =>
      joined(first[0].part, parts, (rewards, _, { rewardWeights }) =>
        summed(
          rewards,
          parts.map(({ part }) => Number(weights[weightName(part)]) * (rewardWeights?.[part] ?? 1)),
        ),
      ),
    entries.map(([part]) => part),
  );
}

/** Name of the weight setting: `info-gain` has `infoGainWeight`. */
export function weightName(part: string): string {
  return `${part.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase())}Weight`;
}

function joined<N extends StateName>(
  part: string,
  parts: readonly RewardPart<N>[],
  join: (rewards: readonly Reward[], trajectory: JudgedTrajectory, context: PartContext) => Reward,
): RewardPart<N> {
  return {
    slot: "reward",
    part,
    needs: parts.flatMap(({ needs }) => needs),
    around: parts,
    rewards: async (group: JudgedGroup, context) => {
      const all = await Promise.all(parts.map(async (one) => one.rewards(group, context)));
      return group.trajectories.map((trajectory, i) => {
        const rewards = all.map((column) => column[i] as Reward);
        const components = Object.fromEntries(
          parts.map((one, p) => [one.part, (rewards[p] as Reward).total]),
        );
        const reward = join(rewards, trajectory, context);
        return { ...reward, components: { ...reward.components, ...components } };
      });
    },
  };
}

function summed(rewards: readonly Reward[], weights: readonly number[]): Reward {
  const add = (of: (reward: Reward) => number): number =>
    rewards.reduce((sum, reward, i) => sum + (weights[i] ?? 0) * of(reward), 0);
  const turns = Math.max(0, ...rewards.map(({ turnRewards }) => turnRewards?.length ?? 0));
  const components = Object.assign(
    {},
    ...rewards.map(({ components }) => components),
  ) as Reward["components"];
  return {
    total: add(({ total }) => total),
    ...(components === undefined ? {} : { components }),
    ...(turns === 0
      ? {}
      : {
          turnRewards: Array.from({ length: turns }, (_, t) =>
            add(({ turnRewards }) => turnRewards?.[t] ?? 0),
          ),
        }),
  };
}
