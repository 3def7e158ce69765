/**
 * Named components of a reward, and `tiers` of them. Components are kept apart, so that a run can be
 * scored again. One that could not be judged is absent, and a total that needs it is refused: it is not 0.
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

/** Components by name; `null` where a verifier or judge could not say. */
export type RewardComponents = { readonly [name: string]: number | null };

/**
 * The component's number.
 *
 * @throws WaggleError `REWARD_UNAVAILABLE` (retryable) where it could not be judged.
 * @throws WaggleError `INVALID_ARGUMENT` for a name that no part gives.
 * @throws WaggleError `NON_FINITE_REWARD`
 */
export function componentOf(components: RewardComponents, name: string): number {
  if (!Object.hasOwn(components, name)) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `component must be one of ${Object.keys(components).join(", ")}, got ${name.slice(0, 64)}; give it a reward or take it out of the sum`,
    );
  }
  const value = components[name] as number | null;
  if (value === null) {
    throw new WaggleError(
      "REWARD_UNAVAILABLE",
      `every component of a reward must be judged, got none for ${name}; judge again or drop the trajectory`,
      { retryable: true },
    );
  }
  if (!Number.isFinite(value)) {
    throw new WaggleError(
      "NON_FINITE_REWARD",
      `component ${name} must be finite, got ${value}; throw REWARD_UNAVAILABLE where it cannot be judged`,
    );
  }
  return value;
}

/** One level of a hierarchy. */
export type Tier = {
  readonly reward: number;
  readonly weight: number;
  /** Least reward that lets the next tier count. Default 1. */
  readonly passesAt?: number;
};

/** Weighted sum of the tiers up to and with the first that does not pass. */
export function tieredReward(tiers: readonly Tier[]): number {
  let sum = 0;
  for (const { reward, weight, passesAt = 1 } of tiers) {
    sum += weight * reward;
    if (reward < passesAt) break;
  }
  return sum;
}

/** `tiers`: later levels count where earlier ones are met. */
export function tiers(tiersOf: (trajectory: JudgedTrajectory) => readonly Tier[]): RewardPart {
  return rewardPart("tiers", (trajectory) => ({ total: tieredReward(tiersOf(trajectory)) }));
}

/**
 * `gate`: `bonus` counts only where `holds` says so; by default where the trajectory succeeded, or was verified
 * as at least so good.
 */
export function gate<A extends StateName, B extends StateName>(
  base: RewardPart<A>,
  bonus: RewardPart<B>,
  holds?: (trajectory: JudgedTrajectory) => boolean,
): RewardPart<A | B> {
  return definePart(
    { gateFrom: holds === undefined ? option(undefined, 1) : fixed(1) },
    ({ gateFrom }, inner) =>
      joined<A | B>("gate", inner, (scores, trajectory) => {
        const [first, second] = scores as readonly [Reward, Reward];
        const isPaid = holds?.(trajectory) ?? verifiedWorth(trajectory) >= gateFrom;
        return isPaid ? summed([first, second], [1, 1]) : first;
      }),
    [base, bonus] as readonly RewardPart<A | B>[],
  );
}

/** A number, or what holds as long as no setting says otherwise. */
type RewardWeight = number | { readonly default: number };

/**
 * Several rewards added by weight, each under its own name; their parts are components of the score. A
 * weight that is left at its default is the setting `<part>Weight`.
 */
export function weighted<N extends StateName>(
  entries: readonly (readonly [part: RewardPart<N>, weight: RewardWeight])[],
): RewardPart<N> {
  const [first] = entries;
  if (first === undefined) {
    throw new WaggleError("INVALID_ARGUMENT", "a weighted reward needs parts, got none; give some");
  }
  return definePart(
    Object.fromEntries(
      entries.map(([{ part }, weight]) => [
        weightName(part),
        typeof weight === "number" ? fixed(weight) : option(undefined, weight.default),
      ]),
    ),
    (weights, parts) =>
      joined(first[0].part, parts, (scores, _, { rewardWeights }) =>
        summed(
          scores,
          parts.map(({ part }) => Number(weights[weightName(part)]) * (rewardWeights?.[part] ?? 1)),
        ),
      ),
    entries.map(([part]) => part),
  );
}

/** `info-gain` weighs `infoGainWeight`. */
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
