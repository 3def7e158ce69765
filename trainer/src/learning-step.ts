/**
 * One learning step: groups of checked trajectories in, updated parameters and numbers out. The
 * training loop and the offline simulation run this same code. It owns no mathematics: advantages
 * and loss are the recipe's, gradients the engine's.
 */
import {
  broadcastAdvantages,
  boundedBehaviorLogProbs,
  type LossResult,
  type Recipe,
  shuffled,
  toTokenDerivatives,
  truncatedImportanceWeights,
} from "@waggle/learning";
import type { TrainEngine, TrainingSample, Verification } from "@waggle/protocol";

/** A trajectory that may be learned from. */
export type LearnableTrajectory = {
  readonly digest: string;
  readonly samples: readonly TrainingSample[];
  /** `[samples][T]` log-probs at the claimed version, by the trainer. */
  readonly rescoredLogProbs: readonly (readonly number[])[];
  readonly verification: Verification;
  readonly staleness: number;
};

export type LearnableGroup = { readonly trajectories: readonly LearnableTrajectory[] };

export type LearningStepOptions = {
  /** Learning steps taken before this one. */
  readonly step: number;
  /** Recorded log-probs are bounded to re-scored ± this, in nats. */
  readonly band: number;
  /** Most tokens of one forward or backward pass, before the engine packs them. */
  readonly microbatchTokens: number;
  /** The negative control: advantages dealt at random over the minibatch. */
  readonly shuffleAdvantages: (() => number) | null;
  /** Called between passes; may throw to stop, which leaves the parameters unchanged. */
  readonly betweenPasses?: () => Promise<void>;
};

export type LearningStepResult = {
  /** By digest: what each trajectory's tokens were multiplied with. */
  readonly advantages: ReadonlyMap<string, number>;
  readonly metrics: { readonly [name: string]: number };
};

type Row = {
  readonly trajectory: LearnableTrajectory;
  readonly sample: TrainingSample;
  readonly behavior: readonly number[];
  readonly advantage: number;
};

/**
 * Takes `recipe.schedule.epochs` optimizer steps on these groups, each of which passed the recipe's
 * filter.
 *
 * @throws WaggleError `NON_FINITE_VALUE` when a loss or gradient is not finite; see the engine.
 */
export async function learningStep(
  engine: TrainEngine,
  recipe: Recipe,
  groups: readonly LearnableGroup[],
  options: LearningStepOptions,
): Promise<LearningStepResult> {
  const { betweenPasses = async () => {} } = options;
  const trajectories = groups.flatMap((group) => group.trajectories);
  const advantages = advantagesOf(recipe, groups, options.shuffleAdvantages);
  const rowsOf = (trajectory: LearnableTrajectory): Row[] =>
    trajectory.samples.map((sample, i) => ({
      trajectory,
      sample,
      behavior: boundedBehaviorLogProbs(
        sample.behaviorLogProbs,
        trajectory.rescoredLogProbs[i] as readonly number[],
        options.band,
      ),
      advantage: advantages.get(trajectory.digest) ?? 0,
    }));
  const rowGroups = groups.map((group) => group.trajectories.flatMap(rowsOf));
  const rows = rowGroups.flat();
  const microbatches = toMicrobatches(rowGroups, options.microbatchTokens);
  const tokenCount = rows.reduce((sum, row) => sum + countTrue(row.sample.lossMask), 0);
  const learningRate = recipe.schedule.learningRate(options.step);

  const hasEntropy = engine.capabilities().outputs.includes("entropy");
  const proximal = new Map<Row, Float32Array>();
  const totals: { [name: string]: number } = { loss: 0 };
  let gradientNorm = 0;
  for (let epoch = 0; epoch < recipe.schedule.epochs; epoch += 1) {
    for (const microbatch of microbatches) {
      await betweenPasses();
      const batch = { sequences: microbatch.map((row) => row.sample.sequence) };
      const outputs = await engine.forward(batch);
      // At the first epoch the parameters are still those of the step's start.
      for (const [b, row] of microbatch.entries()) {
        if (!proximal.has(row)) proximal.set(row, outputs.logProb[b] as Float32Array);
      }
      const lossMask = microbatch.map((row) => row.sample.lossMask);
      const result = recipe.loss({
        lossMask,
        advantages: broadcastAdvantages(
          microbatch.map((row) => row.advantage),
          lossMask,
        ),
        policyLogProbs: outputs.logProb,
        proximalLogProbs: microbatch.map((row) => proximal.get(row) as Float32Array),
        behaviorLogProbs: microbatch.map((row) => row.behavior),
        ...(hasEntropy ? { entropies: outputs.entropy } : {}),
        tokenCount,
      });
      addTo(totals, result, recipe.schedule.epochs);
      await betweenPasses();
      await engine.backward(batch, toTokenDerivatives(result.derivatives));
    }
    const taken = await engine.optimStep({ ...recipe.schedule.optimizer, learningRate });
    gradientNorm += taken.gradientNorm / recipe.schedule.epochs;
  }
  return {
    advantages,
    metrics: {
      ...totals,
      gradientNorm,
      learningRate,
      ...outcomeMetrics(trajectories, advantages),
      ...offPolicyMetrics(rows, proximal),
      groups: groups.length,
      tokens: tokenCount,
      trainedTokens: recipe.schedule.epochs * sum(rows.map((row) => lengthOf(row))),
    },
  };
}

function advantagesOf(
  recipe: Recipe,
  groups: readonly LearnableGroup[],
  random: (() => number) | null,
): Map<string, number> {
  const digests = groups.flatMap((group) => group.trajectories.map(({ digest }) => digest));
  const values = groups.flatMap((group) =>
    recipe.advantage(group.trajectories.map(({ verification }) => recipe.reward(verification))),
  );
  const dealt = random === null ? values : shuffled(values, random);
  return new Map(digests.map((digest, i) => [digest, dealt[i] as number]));
}

/**
 * Group after group, each microbatch at most `tokens` (or one row). Rows of a group begin alike, which
 * an engine may read once: a group is cut only where it alone is too large.
 */
function toMicrobatches(groups: readonly (readonly Row[])[], tokens: number): Row[][] {
  const microbatches: Row[][] = [];
  let free = 0;
  for (const group of groups) {
    const isLarge = sum(group.map(lengthOf)) > tokens;
    for (const part of isLarge ? group.map((row) => [row]) : [group]) {
      const size = sum(part.map(lengthOf));
      if (size > free || microbatches.length === 0) {
        microbatches.push([]);
        free = tokens;
      }
      microbatches.at(-1)?.push(...part);
      free -= size;
    }
  }
  return microbatches;
}

function addTo(totals: { [name: string]: number }, result: LossResult, epochs: number): void {
  totals["loss"] = (totals["loss"] ?? 0) + result.loss / epochs;
  for (const [name, value] of Object.entries(result.metrics)) {
    totals[name] = (totals[name] ?? 0) + value / epochs;
  }
}

function outcomeMetrics(
  trajectories: readonly LearnableTrajectory[],
  advantages: ReadonlyMap<string, number>,
): { readonly [name: string]: number } {
  const lengths = trajectories.map(({ samples }) =>
    samples.reduce((sum, sample) => sum + countTrue(sample.lossMask), 0),
  );
  return {
    trajectories: trajectories.length,
    rewardMean: mean(trajectories.map(({ verification }) => verification.reward)),
    successRate: mean(trajectories.map(({ verification }) => (verification.success ? 1 : 0))),
    advantageAbsMean: mean([...advantages.values()].map(Math.abs)),
    sampledTokensMean: mean(lengths),
    stalenessMean: mean(trajectories.map(({ staleness }) => staleness)),
    stalenessMax: Math.max(0, ...trajectories.map(({ staleness }) => staleness)),
  };
}

/** Numerics (recorded against re-scored) apart from staleness (proximal against re-scored). */
function offPolicyMetrics(
  rows: readonly Row[],
  proximal: ReadonlyMap<Row, Float32Array>,
): { readonly [name: string]: number } {
  const gaps: number[] = [];
  const drifts: number[] = [];
  for (const row of rows) {
    const rescored = rescoredOf(row);
    for (const [t, kept] of row.sample.lossMask.entries()) {
      if (!kept) continue;
      const center = rescored[t] as number;
      gaps.push(Math.abs((row.sample.behaviorLogProbs[t] as number) - center));
      drifts.push(Math.abs((proximal.get(row)?.[t] ?? Number.NaN) - center));
    }
  }
  const { metrics } = truncatedImportanceWeights(
    {
      lossMask: rows.map((row) => row.sample.lossMask),
      proximalLogProbs: rows.map((row) => proximal.get(row) as Float32Array),
      behaviorLogProbs: rows.map((row) => row.behavior),
    },
    2,
  );
  return {
    ...metrics,
    logProbGapMean: mean(gaps),
    logProbGapMax: gaps.reduce((a, b) => Math.max(a, b), 0),
    policyDriftMean: mean(drifts),
  };
}

function rescoredOf(row: Row): readonly number[] {
  return row.trajectory.rescoredLogProbs[row.trajectory.samples.indexOf(row.sample)] ?? [];
}

/** Given tokens and sampled ones. */
function lengthOf(row: Row): number {
  return row.sample.sequence.tokenIds.length;
}

function countTrue(mask: readonly boolean[]): number {
  return mask.filter(Boolean).length;
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : sum(values) / values.length;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
