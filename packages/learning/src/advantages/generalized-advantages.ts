/**
 * `gae` and `gae-step`: exponentially weighted sums of temporal-difference errors. Only sampled tokens count
 * as time steps. Observation tokens pass the advantage and the next value through, so several turns give the
 * same numbers as their concatenated action tokens.
 *
 * Source: Schulman et al. 2016, "High-Dimensional Continuous Control Using GAE", arXiv:1506.02438.
 * `gae-step`, one value a turn: Zhou et al. 2024, "ArCHer", and VL-DAC.
 */
import { WaggleError } from "@waggle/protocol";
import { wasCutOff } from "../composition/judged-trajectory.ts";
import { type PartOption, option, definePart } from "../composition/part-options.ts";
import type { AdvantagePart, RewardedTrajectory } from "../composition/part.ts";
import { requireSameLength } from "../statistics.ts";
import type { TokenRows } from "../token-rows.ts";
import { advantagePart, overTurns, trajectoriesOf, turnRewards } from "./credit.ts";
import { whitenedRows } from "./reinforce-plus-plus.ts";

/** Discounting of `generalizedAdvantages` and `turnGae`. */
export type GaeOptions = {
  /** γ in [0, 1], per sampled token (per turn for `turnGae`). */
  readonly discount: number;
  /** λ in [0, 1]: 0 gives the one-step error, 1 the return minus the value. */
  readonly lambda: number;
  /**
   * Value of the state after the last token: 0 for a terminated trajectory, the critic's value for a
   * truncated one. Default 0.
   */
  readonly bootstrap?: number;
};

/** Advantages and the critic's targets of one trajectory. */
export type GaeResult = {
  /** `[T]`, 0 for given tokens. */
  readonly advantages: Float64Array;
  /** `[T]` advantage + value, the critic's target; 0 for given tokens. */
  readonly returns: Float64Array;
};

/**
 * Token-level advantages of one trajectory.
 *
 * @param rewards - `[T]`; 0 on given tokens.
 * @param values - `[T]` value before each token, in reward units; only read on sampled tokens.
 * @throws WaggleError `INVALID_ARGUMENT` for a reward on a given token, because it would be lost.
 */
export function generalizedAdvantages(
  rewards: ArrayLike<number>,
  values: ArrayLike<number>,
  sampled: readonly boolean[],
  options: GaeOptions,
): GaeResult {
  requireSameLength("rewards", rewards.length, "sampled", sampled.length);
  requireSameLength("values", values.length, "sampled", sampled.length);
  const advantages = new Float64Array(sampled.length);
  const returns = new Float64Array(sampled.length);
  let nextValue = options.bootstrap ?? 0;
  let nextAdvantage = 0;
  for (let t = sampled.length - 1; t >= 0; t -= 1) {
    const reward = rewards[t] as number;
    if (!sampled[t]) {
      if (reward !== 0) {
        throw new WaggleError(
          "INVALID_ARGUMENT",
          `token ${t} has reward ${reward} but was not sampled by the policy; put the reward on the last sampled token of its turn`,
        );
      }
      continue;
    }
    const value = values[t] as number;
    const error = reward + options.discount * nextValue - value;
    nextAdvantage = error + options.discount * options.lambda * nextAdvantage;
    nextValue = value;
    advantages[t] = nextAdvantage;
    returns[t] = nextAdvantage + value;
  }
  return { advantages, returns };
}

/**
 * One value and one advantage per turn, shared by all tokens of the turn.
 *
 * @param rewards - `[turns]`
 * @param values - `[turns]` value of the state at the start of each turn.
 */
export function turnGae(
  rewards: readonly number[],
  values: readonly number[],
  options: GaeOptions,
): GaeResult {
  return generalizedAdvantages(
    rewards,
    values,
    rewards.map(() => true),
    options,
  );
}

type CriticCredit = Partial<Pick<GaeOptions, "discount" | "lambda">> & {
  /**
   * Whether to normalize advantages to mean 0 and deviation 1 over the batch's tokens. Default true, as in
   * the code of RL4VLM and VL-DAC and the PPO of TRL and verl. Without it, a constant error of a critic that
   * is still learning would push all sampled tokens in the same direction.
   */
  readonly whitened?: boolean;
};

/**
 * γ 1: trajectories are short and end in their reward. λ 1 over tokens, as in verl: with 0.95 per token,
 * almost nothing of an outcome reaches the first tokens of a trajectory.
 */
const OVER_TOKENS = { discount: 1, lambda: 1 };

const OVER_TURNS = { discount: 1, lambda: 0.95 };

function creditOptions(
  { discount, lambda }: CriticCredit,
  defaults: typeof OVER_TOKENS,
): { readonly [name in keyof typeof OVER_TOKENS]: PartOption<number> } {
  return {
    discount: option(discount, defaults.discount),
    lambda: option(lambda, defaults.lambda),
  };
}

/** `gae`: token by token against a critic; skips given tokens. */
export function gae({ whitened, ...credit }: CriticCredit = {}): AdvantagePart<"critic", "single"> {
  return definePart(creditOptions(credit, OVER_TOKENS), (given) =>
    ofTokens({ ...given, whitened }),
  );
}

type GivenCredit = Pick<GaeOptions, "discount" | "lambda"> & {
  readonly whitened: boolean | undefined;
};

function ofTokens(options: GivenCredit): AdvantagePart<"critic", "single"> {
  return criticPart("gae", options, (rewarded, values, finalValues) => {
    const rows = rewarded.lossMask.map((mask, sample) =>
      generalizedAdvantages(
        tokenRewards(rewarded, sample),
        values?.[sample] ?? new Float64Array(mask.length),
        mask,
        { ...options, bootstrap: bootstrapOf(rewarded, finalValues?.[sample]) },
      ),
    );
    return {
      advantages: rows.map((row) => row.advantages),
      returns: rows.map((row) => row.returns),
    };
  });
}

/** A part that credits each trajectory with a critic's values. All `[samples][T]`. */
function criticPart(
  part: "gae" | "gae-step",
  options: GivenCredit,
  estimate: (
    rewarded: RewardedTrajectory,
    values: TokenRows | undefined,
    finalValues: readonly number[] | undefined,
  ) => { readonly advantages: TokenRows; readonly returns: TokenRows },
): AdvantagePart<"critic", "single"> {
  return advantagePart(
    part,
    "single",
    (groups, { values, finalValues }) => {
      const advantages = new Map<string, TokenRows>();
      const returns = new Map<string, TokenRows>();
      const trajectories = trajectoriesOf(groups);
      for (const rewarded of trajectories) {
        const { id } = rewarded.trajectory;
        const credit = estimate(rewarded, values?.get(id), finalValues?.get(id));
        advantages.set(id, credit.advantages);
        returns.set(id, credit.returns);
      }
      return { advantages: asCredit(advantages, trajectories, options), returns };
    },
    { needs: ["critic"] },
  );
}

/** Whitened or unchanged, depending on the options. */
function asCredit(
  advantages: ReadonlyMap<string, TokenRows>,
  trajectories: readonly RewardedTrajectory[],
  { whitened = true }: GivenCredit,
): ReadonlyMap<string, TokenRows> {
  if (!whitened) return advantages;
  const rows = trajectories.flatMap((rewarded) => advantages.get(rewarded.trajectory.id) ?? []);
  const masks = trajectories.flatMap(({ lossMask }) => lossMask);
  const even = whitenedRows(rows, masks, { convention: "population", epsilon: 1e-8 });
  let next = 0;
  return new Map(
    trajectories.map(({ trajectory, lossMask }) => [
      trajectory.id,
      lossMask.map(() => even[next++] as Float64Array),
    ]),
  );
}

/** Value after the last token: 0 for a terminated rollout, the critic's value for a truncated one. */
function bootstrapOf({ trajectory }: RewardedTrajectory, finalValue = 0): number {
  return wasCutOff(trajectory) ? finalValue : 0;
}

/** `[T]` rewards of one sample, each on the last sampled token of its turn. */
function tokenRewards(rewarded: RewardedTrajectory, sample: number): Float64Array {
  const mask = rewarded.lossMask[sample] ?? [];
  const rewards = new Float64Array(mask.length);
  let last = -1;
  let unplaced = 0;
  for (const [i, reward] of turnRewards(rewarded).entries()) {
    const turn = rewarded.trajectory.turns[i];
    if (turn === undefined || turn.sample !== sample) continue;
    const at = mask.lastIndexOf(true, turn.end - 1);
    // The reward of a turn without a token in the sample goes to the turn before it.
    if (at < turn.start) unplaced += reward;
    else {
      rewards[at] = (rewards[at] as number) + reward;
      last = at;
    }
  }
  if (last >= 0) rewards[last] = (rewards[last] as number) + unplaced;
  return rewards;
}

/** `gae-step`: one value and one advantage per turn. */
export function gaeStep({ whitened, ...credit }: CriticCredit = {}): AdvantagePart<
  "critic",
  "single"
> {
  return definePart(creditOptions(credit, OVER_TURNS), (given) => ofTurns({ ...given, whitened }));
}

function ofTurns(options: GivenCredit): AdvantagePart<"critic", "single"> {
  return criticPart("gae-step", options, (rewarded, values, finalValues) => {
    const { advantages, returns } = turnGae(
      turnRewards(rewarded),
      rewarded.trajectory.turns.map(({ sample, start }) => values?.[sample]?.[start] ?? 0),
      { ...options, bootstrap: bootstrapOf(rewarded, finalValues?.at(-1)) },
    );
    return {
      advantages: overTurns(rewarded, [...advantages]),
      returns: overTurns(rewarded, [...returns]),
    };
  });
}
