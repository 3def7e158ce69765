/**
 * `gae` and `gae-step`: exponentially weighted sums of temporal-difference errors. Time passes over
 * what the policy sampled only: observation tokens carry the advantage and the next value through, so
 * several turns give the numbers of their action tokens put end to end.
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

export type GaeOptions = {
  /** γ in [0, 1], per sampled token (per turn for `turnGae`). */
  readonly discount: number;
  /** λ in [0, 1]: 0 is the one-step error, 1 the return minus the value. */
  readonly lambda: number;
  /**
   * Value of the state after the last token. 0 where the trajectory was judged as it ended; the critic's
   * value where something outside cut it: truncation bootstraps, termination does not. Default 0.
   */
  readonly bootstrap?: number;
};

export type GaeResult = {
  /** `[T]`, 0 where nothing was sampled. */
  readonly advantages: Float64Array;
  /** `[T]` advantage + value: what the critic is fitted to, 0 where nothing was sampled. */
  readonly returns: Float64Array;
};

/**
 * Token-level advantages of one trajectory.
 *
 * @param rewards - `[T]`; a reward must lie on a sampled token.
 * @param values - `[T]` value before each token, in reward units; read on sampled tokens only.
 * @throws WaggleError `INVALID_ARGUMENT` for a reward on a token that was not sampled: it would be lost.
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
          `a reward must lie on a sampled token, got ${reward} on token ${t}, which was given; put it on the last sampled token of its turn`,
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
 * One value and one advantage a turn: the critic is asked once a turn, and every token of the turn is
 * credited alike.
 *
 * @param rewards - `[turns]`
 * @param values - `[turns]` value of the state in which each turn began.
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
   * Whether advantages come to mean 0 and deviation 1 over the batch's tokens. Default true, as in the code
   * of RL4VLM and VL-DAC and the PPO of TRL and verl: a critic that is off by a constant, which it is while
   * it learns, would else push everything that was said up or down at once.
   */
  readonly whitened?: boolean;
};

/**
 * γ 1: trajectories are short and end in their reward. λ 1 over tokens, as in verl: with 0.95 a token, nothing
 * of an outcome comes to the first choice of a trajectory but the critic's word.
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

/** `gae`: token by token against a critic; what tools said is skipped. */
export function gae({ whitened, ...credit }: CriticCredit = {}): AdvantagePart<"critic", "single"> {
  return definePart(creditOptions(credit, OVER_TOKENS), (given) =>
    ofTokens({ ...given, whitened }),
  );
}

type GivenCredit = Pick<GaeOptions, "discount" | "lambda"> & {
  readonly whitened: boolean | undefined;
};

function ofTokens(options: GivenCredit): AdvantagePart<"critic", "single"> {
  return advantagePart(
    "gae",
    "single",
    (groups, { values, finalValues }) => {
      const advantages = new Map<string, TokenRows>();
      const returns = new Map<string, TokenRows>();
      const trajectories = trajectoriesOf(groups);
      for (const rewarded of trajectories) {
        const { id } = rewarded.trajectory;
        const rows = rewarded.lossMask.map((mask, sample) =>
          generalizedAdvantages(
            tokenRewards(rewarded, sample),
            values?.get(id)?.[sample] ?? new Float64Array(mask.length),
            mask,
            { ...options, bootstrap: bootstrapOf(rewarded, finalValues?.get(id)?.[sample]) },
          ),
        );
        advantages.set(
          id,
          rows.map((row) => row.advantages),
        );
        returns.set(
          id,
          rows.map((row) => row.returns),
        );
      }
      return { advantages: asCredit(advantages, trajectories, options), returns };
    },
    { needs: ["critic"] },
  );
}

/** As the options say: whitened or as they are. */
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

/** What came after the last token: nothing where the rollout was judged, else what the critic says. */
function bootstrapOf({ trajectory }: RewardedTrajectory, finalValue = 0): number {
  return wasCutOff(trajectory) ? finalValue : 0;
}

/** `[T]` of one sample: each turn's reward on its last sampled token. */
function tokenRewards(rewarded: RewardedTrajectory, sample: number): Float64Array {
  const mask = rewarded.lossMask[sample] ?? [];
  const rewards = new Float64Array(mask.length);
  let last = -1;
  let unplaced = 0;
  for (const [i, reward] of turnRewards(rewarded).entries()) {
    const turn = rewarded.trajectory.turns[i];
    if (turn === undefined || turn.sample !== sample) continue;
    const at = mask.lastIndexOf(true, turn.end - 1);
    // What a turn without a token of its own earned is paid to the one before it.
    if (at < turn.start) unplaced += reward;
    else {
      rewards[at] = (rewards[at] as number) + reward;
      last = at;
    }
  }
  if (last >= 0) rewards[last] = (rewards[last] as number) + unplaced;
  return rewards;
}

/** `gae-step`: one value and one advantage a turn. */
export function gaeStep({ whitened, ...credit }: CriticCredit = {}): AdvantagePart<
  "critic",
  "single"
> {
  return definePart(creditOptions(credit, OVER_TURNS), (given) => ofTurns({ ...given, whitened }));
}

function ofTurns(options: GivenCredit): AdvantagePart<"critic", "single"> {
  return advantagePart(
    "gae-step",
    "single",
    (groups, { values, finalValues }) => {
      const advantages = new Map<string, TokenRows>();
      const returns = new Map<string, TokenRows>();
      const trajectories = trajectoriesOf(groups);
      for (const rewarded of trajectories) {
        const { trajectory } = rewarded;
        const ofTurns = turnGae(
          turnRewards(rewarded),
          trajectory.turns.map(
            ({ sample, start }) => values?.get(trajectory.id)?.[sample]?.[start] ?? 0,
          ),
          { ...options, bootstrap: bootstrapOf(rewarded, finalValues?.get(trajectory.id)?.at(-1)) },
        );
        advantages.set(trajectory.id, overTurns(rewarded, [...ofTurns.advantages]));
        returns.set(trajectory.id, overTurns(rewarded, [...ofTurns.returns]));
      }
      return { advantages: asCredit(advantages, trajectories, options), returns };
    },
    { needs: ["critic"] },
  );
}
