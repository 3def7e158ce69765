/**
 * The optimizer steps of an update. For every minibatch of every epoch, the engine evaluates its
 * current parameters, the stage's losses see the whole minibatch, and a step follows. Estimates from
 * before the first step do not change.
 */
import {
  concatenatedLosses,
  entropyBonusLoss,
  jointNorm,
  meanMetrics,
  mismatchedPairs,
  planMinibatch,
  stageLoss,
  toTokenDerivatives,
  withTrained,
} from "@waggle/learning";
import type {
  Kept,
  LossResult,
  Minibatch,
  PartContext,
  PlannedMinibatch,
  RewardedGroup,
  Row,
  Stage,
  StepSettings,
} from "@waggle/learning";
import type { OptimizerResult, TokenOutputs, TrainBatch, TrainEngine } from "@waggle/protocol";
import { setParameters } from "./engine-parameters.ts";
import { afterTokens, beforeTokens, type Estimated } from "./estimated-advantages.ts";
import { fastWeights } from "./fast-weights.ts";
import {
  fixedRowsOf,
  type FixedRows,
  type MinibatchRange,
  minibatchRanges,
  outputRowsOf,
} from "./minibatches.ts";
import type { FrozenScorer } from "./recipe-models.ts";
import type { BatchEngine } from "./role-engine.ts";

/** The state of an update before its first step; rows are in the order of the groups. */
export type BegunUpdate = {
  readonly stage: Stage;
  readonly settings: StepSettings;
  readonly context: PartContext;
  readonly groups: readonly RewardedGroup[];
  readonly estimated: Estimated;
  readonly pairs: Kept["pairs"];
  readonly planned: PlannedMinibatch;
  readonly batch: TrainBatch;
  readonly engineOf: (rows: readonly Row[]) => BatchEngine;
  readonly proximal: TokenOutputs;
  readonly fixed: FixedRows;
  readonly reference: FrozenScorer | undefined;
  readonly signal: AbortSignal;
};

/** The result of all steps of an update. */
export type OptimizerSteps = {
  /** Means over the steps. */
  readonly metrics: { readonly [name: string]: number };
  /** Result of the last epoch, with derivatives by row of the update. */
  readonly result: LossResult;
};

/** One of the update's minibatches. */
type Part = {
  readonly engine: BatchEngine;
  readonly batch: TrainBatch;
  readonly proximal: TokenOutputs;
  readonly seenAt: (outputs: TokenOutputs) => Promise<Minibatch>;
};

/** Takes all steps of an update. */
export async function optimizerSteps(update: BegunUpdate): Promise<OptimizerSteps> {
  const { stage, settings, context, signal } = update;
  const parts = await partsOf(update);
  const of = settings.epochs * parts.length;
  const metrics: { readonly [name: string]: number }[] = [];
  let results: LossResult[] = [];
  let taken = 0;
  for (let epoch = 0; epoch < settings.epochs; epoch += 1) {
    results = [];
    for (const { engine, batch, proximal, seenAt } of parts) {
      const fast = await fastWeights(stage, engine, batch, seenAt, context);
      const isUnmoved = taken === 0 && fast === null;
      const minibatch = await seenAt(isUnmoved ? proximal : await engine.forward(batch));
      const result = stageLoss(stage, minibatch, { ...context, epoch: { taken, of } });
      // Reported for every recipe.
      const entropy = entropyBonusLoss(minibatch, 0, minibatch).metrics;
      signal.throwIfAborted();
      const { values, ...others } = result.derivatives;
      await engine.backward(
        batch,
        toTokenDerivatives({
          ...others,
          values: stage.trains === "rm" ? values : values?.map(afterTokens),
        }),
      );
      const stepped = await optimizerStep(engine, stage, settings.learningRate, context);
      await fast?.settle();
      metrics.push({ ...result.metrics, ...entropy, loss: result.loss, ...stepped });
      results.push(result);
      taken += 1;
    }
  }
  return { metrics: meanMetrics(metrics), result: concatenatedLosses(results) };
}

async function partsOf(update: BegunUpdate): Promise<Part[]> {
  const { stage, settings, groups, estimated, pairs, planned, engineOf } = update;
  const ranges: readonly MinibatchRange[] =
    stage.learns !== "rewards" || settings.minibatches === 1
      ? [{ groups: [0, groups.length], rows: [0, planned.rows.length] }]
      : minibatchRanges(groups, rowCounter(planned.rows), settings.minibatches);
  return Promise.all(
    ranges.map(async (range): Promise<Part> => {
      const isWhole = ranges.length === 1;
      const own = isWhole
        ? planned
        : planMinibatch(groups.slice(...range.groups), stage.aggregation, estimated, pairs);
      const engine = engineOf(own.rows);
      const batch = {
        ...update.batch,
        sequences: update.batch.sequences.slice(...range.rows),
      };
      const mismatched = await mismatchedRows(update, own, engine);
      const fixed = { ...own, ...fixedRowsOf(update.fixed, range) };
      return {
        engine,
        batch,
        proximal: outputRowsOf(update.proximal, range),
        seenAt: async (outputs) => ({
          ...minibatchOf(fixed, engine, outputs, stage.trains === "rm"),
          mismatched: await mismatched(),
        }),
      };
    }),
  );
}

/** Rows of each group, by its trajectories. */
function rowCounter(rows: readonly Row[]): (group: RewardedGroup) => number {
  const counts = new Map<string, number>();
  for (const { rewarded } of rows) {
    const { id } = rewarded.trajectory;
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return ({ trajectories }) =>
    trajectories.reduce((sum, { trajectory }) => sum + (counts.get(trajectory.id) ?? 0), 0);
}

/**
 * Log-probs of mismatched pairs, for losses that read them: the reference's are computed once, the
 * policy's at each step.
 */
async function mismatchedRows(
  { stage, reference }: BegunUpdate,
  { rows, lossMask }: PlannedMinibatch,
  engine: BatchEngine,
): Promise<() => Promise<Minibatch["mismatched"]>> {
  if (reference === undefined || !stage.losses.some(({ loss }) => loss.mismatches === true)) {
    return () => Promise.resolve(undefined);
  }
  const pairs = mismatchedPairs(
    rows.map(({ sample }) => sample.sequence),
    lossMask,
  );
  const referenceLogProbs = await reference(pairs.sequences);
  return async () => {
    const { logProb } = await engine.forward({ sequences: pairs.sequences });
    return { lossMask: pairs.lossMask, policyLogProbs: logProb, referenceLogProbs };
  };
}

type StepNumbers = Pick<OptimizerResult, "gradientNorm" | "overflows">;

/** One step. Only the parameters that the stage's losses train change. */
async function optimizerStep(
  { learners }: BatchEngine,
  stage: Stage,
  learningRate: number,
  context: PartContext,
): Promise<StepNumbers> {
  const steps: StepNumbers[] = [];
  for (const engine of learners) {
    steps.push(await engineStep(engine, stage, learningRate, context));
  }
  const overflows = steps.flatMap((step) => step.overflows ?? []);
  return {
    gradientNorm: jointNorm(steps.map(({ gradientNorm }) => gradientNorm)),
    ...(overflows.length === 0 ? {} : { overflows: overflows.reduce((all, one) => all + one, 0) }),
  };
}

async function engineStep(
  engine: TrainEngine,
  stage: Stage,
  learningRate: number,
  context: PartContext,
): Promise<StepNumbers> {
  const options = { ...stage.optimizer, learningRate };
  const choose = stage.losses.find(({ loss }) => loss.trains !== undefined)?.loss.trains;
  if (choose === undefined) return engine.optimStep(options);
  const before = await engine.parameters();
  const chosen = choose([...before.keys()], context);
  const result = await engine.optimStep(options);
  const after = await engine.parameters();
  await setParameters(
    engine,
    withTrained(before, after, (name) => chosen.has(name)),
  );
  return result;
}

function minibatchOf(
  fixed: Omit<Minibatch, "policyLogProbs" | "entropies" | "values" | "candidateLogProbs">,
  engine: BatchEngine,
  outputs: TokenOutputs,
  isRewardModel: boolean,
): Minibatch {
  const hasEntropy = engine.capabilities().outputs.includes("entropy");
  return {
    ...fixed,
    policyLogProbs: outputs.logProb,
    entropies: hasEntropy ? outputs.entropy : undefined,
    candidateLogProbs: outputs.candidateLogProbs,
    values: isRewardModel ? outputs.values : outputs.values?.map(beforeTokens),
  };
}
