/** Advantage parts whose baseline is no sibling: a critic, a moving average, the batch. */
import {
  generalizedAdvantages,
  turnGae,
  type GaeOptions,
} from "../advantages/generalized-advantages.ts";
import { recalibratedAdvantages } from "../advantages/recalibrated.ts";
import {
  reinforcePlusPlusAdvantages,
  type ReinforcePlusPlusOptions,
  whitenedRows,
} from "../advantages/reinforce-plus-plus.ts";
import { wasCutOff } from "../composition/judged-trajectory.ts";
import { type Dial, dial, made } from "../composition/making.ts";
import type { AdvantagePart, RewardedTrajectory, RewardedGroup } from "../composition/part.ts";
import { type MovingBaseline, movingBaselineAdvantages } from "../states/moving-baseline.ts";
import type { TokenRows } from "../token-rows.ts";
import { advantagePart, overTrajectory, overTurns, turnRewards } from "./credit.ts";

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

function creditDials(
  { discount, lambda }: CriticCredit,
  standard: typeof OVER_TOKENS,
): { readonly [name in keyof typeof OVER_TOKENS]: Dial<number> } {
  return {
    discount: dial(discount, standard.discount),
    lambda: dial(lambda, standard.lambda),
  };
}

function trajectoriesOf(groups: readonly RewardedGroup[]): RewardedTrajectory[] {
  return groups.flatMap(({ trajectories }) => trajectories);
}

/** `gae`: token by token against a critic; what tools said is skipped. */
export function gae({ whitened, ...credit }: CriticCredit = {}): AdvantagePart<"critic", "single"> {
  return made(creditDials(credit, OVER_TOKENS), (given) => ofTokens({ ...given, whitened }));
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
      for (const scored of trajectories) {
        const { id } = scored.trajectory;
        const rows = scored.lossMask.map((mask, sample) =>
          generalizedAdvantages(
            tokenRewards(scored, sample),
            values?.get(id)?.[sample] ?? new Float64Array(mask.length),
            mask,
            { ...options, bootstrap: bootstrapOf(scored, finalValues?.get(id)?.[sample]) },
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
  const rows = trajectories.flatMap((scored) => advantages.get(scored.trajectory.id) ?? []);
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
function tokenRewards(scored: RewardedTrajectory, sample: number): Float64Array {
  const mask = scored.lossMask[sample] ?? [];
  const rewards = new Float64Array(mask.length);
  let last = -1;
  let unplaced = 0;
  for (const [i, reward] of turnRewards(scored).entries()) {
    const turn = scored.trajectory.turns[i];
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
  return made(creditDials(credit, OVER_TURNS), (given) => ofTurns({ ...given, whitened }));
}

function ofTurns(options: GivenCredit): AdvantagePart<"critic", "single"> {
  return advantagePart(
    "gae-step",
    "single",
    (groups, { values, finalValues }) => {
      const advantages = new Map<string, TokenRows>();
      const returns = new Map<string, TokenRows>();
      const trajectories = trajectoriesOf(groups);
      for (const scored of trajectories) {
        const { trajectory } = scored;
        const ofTurns = turnGae(
          turnRewards(scored),
          trajectory.turns.map(
            ({ sample, start }) => values?.get(trajectory.id)?.[sample]?.[start] ?? 0,
          ),
          { ...options, bootstrap: bootstrapOf(scored, finalValues?.get(trajectory.id)?.at(-1)) },
        );
        advantages.set(trajectory.id, overTurns(scored, [...ofTurns.advantages]));
        returns.set(trajectory.id, overTurns(scored, [...ofTurns.returns]));
      }
      return { advantages: asCredit(advantages, trajectories, options), returns };
    },
    { needs: ["critic"] },
  );
}

/** `rae`: r − a moving average over earlier steps, by `keyOf`; serves single trajectories. */
export function movingBaselineAdvantage(
  keyOf: (scored: RewardedTrajectory) => string = ({ trajectory }) => trajectory.role,
): AdvantagePart<"baseline", "single"> {
  return advantagePart(
    "rae",
    "single",
    (groups, { state }) => {
      const trajectories = trajectoriesOf(groups);
      const { advantages, baseline } = movingBaselineAdvantages(
        state.baseline as MovingBaseline,
        trajectories.map(({ score }) => score.reward),
        trajectories.map(keyOf),
      );
      return {
        advantages: new Map(
          trajectories.map((scored, i) => [
            scored.trajectory.id,
            overTrajectory(scored, advantages[i] as number),
          ]),
        ),
        state: { baseline },
      };
    },
    { needs: ["baseline"] },
  );
}

/** `reinforce++`: returns whitened over the whole batch; serves single trajectories. */
export function reinforcePlusPlus(options: BatchWhitening = {}): AdvantagePart<never, "single"> {
  return made({ discount: dial(options.discount, 1) }, (given) =>
    whitenedOverBatch({ ...options, ...given }),
  );
}

type BatchWhitening = Omit<ReinforcePlusPlusOptions, "groups" | "referenceGaps" | "klCoefficient">;

function whitenedOverBatch(options: BatchWhitening): AdvantagePart<never, "single"> {
  return advantagePart("reinforce++", "single", (groups) => {
    const rows = trajectoriesOf(groups).flatMap((scored) =>
      scored.lossMask.map((mask) => ({ scored, mask })),
    );
    const ofRows = reinforcePlusPlusAdvantages(
      rows.map(({ scored }) => scored.score.reward),
      rows.map(({ mask }) => mask),
      options,
    );
    const advantages = new Map<string, Float64Array[]>();
    for (const [r, { scored }] of rows.entries()) {
      const { id } = scored.trajectory;
      advantages.set(id, [...(advantages.get(id) ?? []), ofRows[r] as Float64Array]);
    }
    return { advantages };
  });
}

/** `recal`: stored wins against what the policy earns now, in `baseline` by task; never below 0. */
export function recalibrated(): AdvantagePart<"baseline", "single"> {
  return advantagePart(
    "recal",
    "single",
    (groups, { state }) => {
      const { values, prior } = state.baseline as MovingBaseline;
      const all = groups.flatMap(({ task, trajectories }) =>
        trajectories.map((scored) => ({ task, scored })),
      );
      const wins = recalibratedAdvantages(
        all.map(({ scored }) => scored.score.reward),
        all.map(({ task }) => values[task] ?? prior),
      );
      return {
        advantages: new Map(
          all.map(({ scored }, i) => [
            scored.trajectory.id,
            overTrajectory(scored, wins[i] as number),
          ]),
        ),
      };
    },
    { needs: ["baseline"] },
  );
}
