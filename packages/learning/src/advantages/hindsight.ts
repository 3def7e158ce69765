/**
 * Hindsight-guided distillation: the policy with the visitor's correction in its prompt is the teacher of the policy
 * without it. The advantage of a token is how much likelier the teacher finds it.
 *
 * Source: Wang et al. 2026, "OpenClaw-RL: Train Any Agent Simply by Talking", arXiv:2603.10165, section 4.
 * Differs from it: the correction is the visitor's own text, and no judge summarizes it.
 */
import { WaggleError } from "@waggle/protocol";
import { definePart, option } from "../composition/part-options.ts";
import type {
  AdvantagePart,
  AdvantageRows,
  PolicyOutputs,
  RewardedTrajectory,
} from "../composition/part.ts";
import { finiteAt, type TokenRows } from "../token-rows.ts";
import { advantagePart, overCredited, trajectoriesOf } from "./credit.ts";

type Numbers = {
  readonly outputs?: PolicyOutputs | undefined;
  readonly hindsight?: AdvantageRows | undefined;
};

/**
 * `[samples][T]` log π(token | prompt with the correction) − log π(token | prompt), in nats; 0 outside the loss mask and for
 * a trajectory that `hindsight` lacks.
 *
 * @throws WaggleError `CAPABILITY_MISSING` if nothing computed `hindsight`; `NON_FINITE_VALUE` for a log-prob that is not
 *   finite.
 */
function hindsightAdvantages(
  { trajectory, lossMask }: RewardedTrajectory,
  { outputs, hindsight }: Numbers,
): TokenRows {
  const { id } = trajectory;
  if (outputs === undefined || hindsight === undefined) {
    throw new WaggleError(
      "CAPABILITY_MISSING",
      "hindsight needs an engine's log-probs of the policy with and without the correction in the prompt; train the recipe instead of estimating its advantages alone",
    );
  }
  const [policy, teacher] = [outputs.logProb.get(id), hindsight.get(id)];
  if (policy === undefined || teacher === undefined) {
    return lossMask.map((row) => new Float64Array(row.length));
  }
  return lossMask.map((row, sample) =>
    Float64Array.from(row, (counts, t) =>
      counts
        ? finiteAt(teacher, "hindsight", sample, t) - finiteAt(policy, "logProb", sample, t)
        : 0,
    ),
  );
}

/** Sum of the absolute values. */
function size(rows: TokenRows): number {
  return rows.reduce(
    (all, row) => Array.from(row).reduce((sum, value) => sum + Math.abs(value), all),
    0,
  );
}

/** `opd`: the gain in log-prob of each token by the visitor's correction. */
export function hindsight(): AdvantagePart<never, "single"> {
  return {
    ...advantagePart("opd", "single", (groups, numbers) => {
      const trajectories = trajectoriesOf(groups);
      return {
        advantages: new Map(
          trajectories.map((rewarded) => [
            rewarded.trajectory.id,
            hindsightAdvantages(rewarded, numbers),
          ]),
        ),
        ofCorrection: new Map(
          trajectories.map(({ trajectory: { id } }) => [id, numbers.hindsight?.has(id) ? 1 : 0]),
        ),
      };
    }),
    readsHindsight: true,
  };
}

/**
 * `rl-opd`: w_rl · r + w_opd · Δ for each token. r is the reward, from −1 (bad) to 1 (good), and Δ the gain in log-prob by
 * the correction; without a correction, Δ is 0. Defaults: both weights 1.
 *
 * @throws WaggleError `INVALID_ARGUMENT` for a negative weight, or if both are 0.
 */
export function rewardAndHindsight(
  rewardWeight?: number,
  hindsightWeight?: number,
): AdvantagePart<never, "single"> {
  return definePart(
    { rewardWeight: option(rewardWeight, 1), hindsightWeight: option(hindsightWeight, 1) },
    ({ rewardWeight, hindsightWeight }) => {
      requireWeights({ rewardWeight, hindsightWeight });
      return {
        ...advantagePart("rl-opd", "single", (groups, numbers) => {
          const advantages = new Map<string, TokenRows>();
          const ofCorrection = new Map<string, number>();
          for (const rewarded of trajectoriesOf(groups)) {
            const { trajectory, lossMask } = rewarded;
            const gains = hindsightAdvantages(rewarded, numbers);
            const signed = overCredited(rewarded, (reward) => rewardWeight * (2 * reward - 1));
            const rows = lossMask.map((row, sample) =>
              Float64Array.from(row, (counts, t) =>
                counts
                  ? (signed[sample]?.[t] as number) +
                    hindsightWeight * (gains[sample]?.[t] as number)
                  : 0,
              ),
            );
            advantages.set(trajectory.id, rows);
            const corrected = hindsightWeight * size(gains);
            const all = corrected + size(signed);
            ofCorrection.set(trajectory.id, all === 0 ? 0 : corrected / all);
          }
          return { advantages, ofCorrection };
        }),
        readsHindsight: true,
      };
    },
  );
}

function requireWeights(weights: { readonly [name: string]: number }): void {
  for (const [name, weight] of Object.entries(weights)) {
    if (Number.isFinite(weight) && weight >= 0) continue;
    throw new WaggleError("INVALID_ARGUMENT", `${name} must be at least 0, got ${weight}`);
  }
  if (Object.values(weights).some((weight) => weight > 0)) return;
  throw new WaggleError(
    "INVALID_ARGUMENT",
    "rewardWeight and hindsightWeight are both 0, so nothing would be learned; raise one of them",
  );
}
