/**
 * The KL term of a stage in an update: paid with rewards or added to the loss, by a fixed weight or by
 * one that is moved after each step.
 */
import { klLoss, klRewards, nextKlCoefficient } from "@waggle/learning";
import type {
  KlForm,
  LossResult,
  Minibatch,
  PartContext,
  PlannedMinibatch,
  RewardedGroup,
  Stage,
  StateChange,
  StateValues,
  TokenRows,
} from "@waggle/learning";
import { WaggleError } from "@waggle/protocol";

/** @throws WaggleError `CAPABILITY_MISSING` for a weight that moves and is not in the stage's state. */
function coefficientOf({ name, kl }: Stage, state: StateValues): number {
  if (kl === null) return 0;
  if (typeof kl.coefficient === "number") return kl.coefficient;
  const kept = state["kl-coefficient"];
  if (typeof kept === "number") return kept;
  throw new WaggleError(
    "CAPABILITY_MISSING",
    `a KL budget of stage ${name} needs kl-coefficient in its state, got none; add "kl-coefficient": parts.klCoefficient(start)`,
  );
}

/** The term of the loss; `null` where the stage has none there. */
export function klPull(
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
 * Scores less the KL penalty, where it is in the reward: the whole trajectory's, summed over its tokens and
 * paid with its outcome.
 */
export function withKlPaid(
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
    const sum = (perToken[b] as Float64Array).reduce((all, reward) => all + reward, 0);
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

/** What the next step weighs it with, by the divergence before this one. */
export function movedKl(
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
