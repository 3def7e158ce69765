/**
 * The KL term of a stage: subtracted from the rewards or added to the loss, with a fixed coefficient or
 * one that is adapted after each step.
 */
import { WaggleError } from "@waggle/protocol";
import type { PlannedMinibatch } from "../composition/minibatch.ts";
import type {
  Minibatch,
  PartContext,
  RewardedGroup,
  StateChange,
  StateValues,
} from "../composition/part.ts";
import type { Stage } from "../composition/stage.ts";
import type { LossResult } from "../loss.ts";
import { sumOf } from "../statistics.ts";
import type { TokenRows } from "../token-rows.ts";
import { nextKlCoefficient } from "./adaptive-kl.ts";
import { type KlForm, klLoss } from "./kl-loss.ts";
import { klRewards } from "./kl-rewards.ts";

/**
 * @throws WaggleError `CAPABILITY_MISSING` if the coefficient is adaptive but not in the stage's state.
 */
function coefficientOf({ name, kl }: Stage, state: StateValues): number {
  if (kl === null) return 0;
  if (typeof kl.coefficient === "number") return kl.coefficient;
  const kept = state["kl-coefficient"];
  if (typeof kept === "number") return kept;
  throw new WaggleError(
    "CAPABILITY_MISSING",
    `stage ${name} has a KL budget but no kl-coefficient in its state; add "kl-coefficient": parts.klCoefficient(start)`,
  );
}

/** The KL term of the loss; `null` if the stage has none there. */
export function klTermLoss(
  stage: Stage,
  minibatch: Minibatch,
  { state }: PartContext,
): LossResult | null {
  const { kl } = stage;
  const { referenceLogProbs, proximalLogProbs } = minibatch;
  if (kl?.in !== "loss" || referenceLogProbs === undefined) return null;
  const form: KlForm =
    kl.estimator === "k3-by-ratio"
      ? { form: kl.estimator, earlierLogProbs: proximalLogProbs }
      : { form: kl.estimator };
  return klLoss({ ...minibatch, referenceLogProbs }, coefficientOf(stage, state), form, minibatch);
}

/**
 * Subtracts the KL penalty from the rewards, if the stage pays it there: the KL summed over the
 * trajectory's tokens, subtracted at the outcome.
 */
export function withKlPenalty(
  stage: Stage,
  groups: readonly RewardedGroup[],
  { rows, lossMask }: PlannedMinibatch,
  sampledLogProbs: TokenRows,
  referenceLogProbs: TokenRows | undefined,
  { state }: PartContext,
): readonly RewardedGroup[] {
  if (stage.kl?.in !== "reward" || referenceLogProbs === undefined) return groups;
  const coefficient = coefficientOf(stage, state);
  const perToken = klRewards({ lossMask, sampledLogProbs, referenceLogProbs }, coefficient);
  const paid = new Map<string, number>();
  for (const [
    b,
    {
      rewarded: { trajectory },
    },
  ] of rows.entries()) {
    const sum = sumOf(Array.from(perToken[b] as Float64Array));
    paid.set(trajectory.id, (paid.get(trajectory.id) ?? 0) + sum);
  }
  return groups.map(({ task, trajectories }) => ({
    task,
    trajectories: trajectories.map((rewarded) => ({
      ...rewarded,
      reward: {
        ...rewarded.reward,
        total: rewarded.reward.total + (paid.get(rewarded.trajectory.id) ?? 0),
      },
    })),
  }));
}

/** The coefficient of the next step, from the divergence before this one. */
export function nextKlTerm(
  stage: Stage,
  minibatch: Pick<
    Minibatch,
    "lossMask" | "proximalLogProbs" | "referenceLogProbs" | "trajectories" | "tokenCount"
  >,
  { state }: PartContext,
): { readonly state: StateChange; readonly metrics: { readonly [name: string]: number } } {
  const budget = stage.kl?.coefficient;
  const { referenceLogProbs, proximalLogProbs: policyLogProbs } = minibatch;
  if (typeof budget !== "object" || referenceLogProbs === undefined) {
    return { state: {}, metrics: {} };
  }
  const coefficient = coefficientOf(stage, state);
  const batch = { ...minibatch, policyLogProbs, referenceLogProbs };
  const { tokenCount } = minibatch;
  const { referenceKl = 0 } = klLoss(batch, 0, { form: "k3" }, { tokenCount }).metrics;
  const samples = new Set(minibatch.trajectories.map(({ trajectory }) => trajectory.id)).size;
  const next = nextKlCoefficient(coefficient, { kl: referenceKl, samples }, budget);
  return {
    state: { "kl-coefficient": next },
    metrics: { referenceKl, klCoefficient: coefficient },
  };
}
