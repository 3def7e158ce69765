/**
 * The pretraining loop: fresh demonstrations, masked cross-entropy, AdamW. Does not use files or
 * print.
 */
import { cosineRate, supervisedLoss } from "@waggle/learning";
import { type TrainEngine, WaggleError } from "@waggle/protocol";
import type { EnvironmentSpec } from "@waggle/environments";
import { corpusExample, type Example } from "./corpus.ts";
import type { NanoText } from "./nano-text.ts";
import { OPTIMIZER } from "./pretrain-recipe.ts";
import { runSupervised } from "../training/supervised-run.ts";
import type { SupervisedBatch } from "../training/supervised-step.ts";
import type { CurvePoint, PretrainingState } from "../checkpoint/pretraining-checkpoint.ts";

type LossWeights = { readonly [role: string]: number };

export type PretrainingOptions = {
  readonly engine: TrainEngine;
  readonly text: NanoText;
  /** Its demonstrator makes the corpus. */
  readonly spec: EnvironmentSpec;
  /** Decides which demonstrations are drawn. */
  readonly seed: number;
  readonly batchSize: number;
  readonly peakLearningRate: number;
  /** As in `PretrainRecipe`. */
  readonly matrices: "adamw" | "muon";
  /** As in `PretrainRecipe`. */
  readonly exerciseSteps: number;
  /** Loss weight of a token by its speaker; others weigh nothing. */
  readonly lossWeights: LossWeights;
  /** Of the model, in tokens. Longer demonstrations are left out. */
  readonly contextLength: number;
  /** Called for each demonstration that is left out, with its length in tokens. */
  readonly onLeftOut: (index: number, tokens: number) => void;
  /** Steps between two measurements. */
  readonly measureEvery: number;
  readonly signal: AbortSignal;
  /** Called after each measurement. */
  readonly onMeasure: (state: PretrainingState, step: number) => Promise<void>;
  /** Steps between two saves. */
  readonly saveEvery: number;
  /** Saves the run between two steps, also when it is stopped. */
  readonly save?: (state: PretrainingState) => Promise<void>;
};

/** Number of demonstrations per measurement; their indices are far beyond the training range. */
const MEASURED = 64;
const MEASURED_FROM = 1 << 28;

/**
 * Trains from `step` until the run's last step or an abort. Deterministic for a given state and
 * step.
 * @returns the final state
 */
export async function pretrain(
  options: PretrainingOptions,
  initial: PretrainingState,
  step: number,
): Promise<{ readonly state: PretrainingState; readonly step: number }> {
  const { engine, signal, batchSize, save } = options;
  const rate = cosineRate({
    rate: options.peakLearningRate,
    warmUpSteps: OPTIMIZER.warmUpSteps,
    totalSteps: initial.totalSteps,
    floor: OPTIMIZER.finalLearningRate,
  });
  const { beta1, beta2, weightDecay, maxGradientNorm } = OPTIMIZER;
  const startedAt = performance.now();
  const measured = await examples(options, MEASURED_FROM, MEASURED);
  let state = initial;
  const done = await runSupervised({
    engine,
    steps: initial.totalSteps,
    from: step,
    learningRate: rate,
    optimizer: { matrices: options.matrices, beta1, beta2, weightDecay, maxGradientNorm },
    signal,
    batchAt: async (at) =>
      batchOf(
        await examples(
          options,
          at * batchSize,
          batchSize,
          at < options.exerciseSteps ? Math.min(1, options.spec.levels - 1) : 0,
        ),
        options.lossWeights,
      ),
    isMeasured: () => false,
    keeper: save && { every: options.saveEvery, save: () => save(state) },
    onStep: async (at, { gradientNorm }, { sequences }) => {
      state = {
        ...state,
        tokens: state.tokens + sequences.reduce((sum, { tokenIds }) => sum + tokenIds.length, 0),
        seconds: initial.seconds + (performance.now() - startedAt) / 1000,
      };
      if (at % options.measureEvery !== 0 && at !== state.totalSteps) return;
      const losses = await measure(options, measured);
      const learningRate = rate(at - 1);
      const point = { step: at, tokens: state.tokens, ...losses, learningRate, gradientNorm };
      state = { ...state, curve: [...state.curve, { ...point, seconds: state.seconds }] };
      await options.onMeasure(state, at);
    },
  });
  return { state, step: done };
}

/**
 * `[≤ count]` the demonstrations that fit into the context.
 * @throws WaggleError `CONTEXT_OVERFLOW` if none does.
 */
async function examples(
  { text, spec, seed, contextLength, onLeftOut }: PretrainingOptions,
  from: number,
  count: number,
  level = 0,
): Promise<Example[]> {
  const drawn = await Promise.all(
    Array.from({ length: count }, (_, index) =>
      corpusExample(spec, text.chat, seed, from + index, level),
    ),
  );
  const fitting = drawn.filter(({ tokenIds }, index) => {
    const fits = tokenIds.length <= contextLength;
    if (!fits) onLeftOut(from + index, tokenIds.length);
    return fits;
  });
  if (fitting.length > 0) return fitting;
  throw new WaggleError(
    "CONTEXT_OVERFLOW",
    `none of the ${count} demonstrations from ${from} fits into the context of ${contextLength} tokens; make the tasks shorter`,
  );
}

function batchOf(batch: readonly Example[], lossWeights: LossWeights): SupervisedBatch {
  const weights = batch.map(({ roles }) => roles.map((role) => lossWeights[role] ?? 0));
  return {
    sequences: batch.map(({ tokenIds }) => ({ tokenIds })),
    lossMask: weights.map((row) => row.map((weight, t) => t > 0 && weight > 0)),
    weights,
  };
}

async function measure(
  { engine, text }: PretrainingOptions,
  batch: readonly Example[],
): Promise<Pick<CurvePoint, "assistantLoss" | "digitLoss">> {
  const sequences = batch.map(({ tokenIds }) => ({ tokenIds }));
  const policyLogProbs = (await engine.forward({ sequences })).logProb;
  const isSaid = (example: Example, t: number) => example.roles[t] === "assistant";
  const isDigit = (example: Example, t: number) =>
    isSaid(example, t) && /^\d$/.test(text.tokenizer.decode([example.tokenIds[t] as number]));
  const lossOf = (keep: (example: Example, t: number) => boolean) =>
    supervisedLoss({
      lossMask: batch.map((example) => example.tokenIds.map((_, t) => keep(example, t))),
      policyLogProbs,
    }).loss;
  return { assistantLoss: lossOf(isSaid), digitLoss: lossOf(isDigit) };
}
