/**
 * Imitation of conversations: masked cross-entropy on the assistant's tokens, AdamW, and a held-out
 * tenth that shows overfitting. Not reinforcement learning: no reward, no policy versions.
 */
import type { SupervisedSample } from "@waggle/exchange";
import { type LearningRate, shuffled, supervisedLoss } from "@waggle/learning";
import {
  type OptimizerOptions,
  type OptimizerResult,
  type TrainEngine,
  WaggleError,
} from "@waggle/protocol";
import { runSupervised } from "../training/supervised-run.ts";
import { seededRandom } from "@waggle/protocol";
import type { SupervisedBatch } from "../training/supervised-step.ts";

/** Settings of imitation. */
export type ImitationOptions = {
  readonly epochs: number;
  /** Conversations per step. */
  readonly batchSize: number;
  /** A schedule over the number of steps of the run. */
  readonly learningRate: (steps: number) => LearningRate;
  readonly optimizer: Omit<OptimizerOptions, "learningRate">;
  readonly seed: number;
  readonly signal: AbortSignal;
  readonly onStep: (step: ImitationStep) => void;
  /** Saves the run, so that another process can resume it; default: not saved. */
  readonly keeper?: ImitationKeeper | undefined;
};

/** State of a run besides the engine. */
export type ImitationState = Pick<Imitated, "lossBefore">;

/** Saves a run between two steps. */
type ImitationKeeper = {
  /** The run of an earlier process, whose engine is loaded; `null` = the run begins. */
  readonly found: { readonly step: number; readonly state: ImitationState } | null;
  readonly every: number;
  readonly save: (step: number, state: ImitationState) => Promise<void>;
};

type ImitationStep = Pick<OptimizerResult, "gradientNorm" | "overflows"> & {
  readonly step: number;
  readonly steps: number;
  /** Mean nats per target token before the step. */
  readonly loss: number;
};

/** The result of imitation. */
export type Imitated = {
  readonly steps: number;
  readonly trained: number;
  readonly heldOut: number;
  /**
   * Nats per target token of the held-out conversations; of the trained ones if none are held out.
   */
  readonly lossBefore: number;
  readonly lossAfter: number;
};

/** One in this many conversations is held out, if there are at least twice as many. */
const HELD_OUT_EVERY = 10;
/** Conversations per measurement pass. */
const MEASURED_AT_ONCE = 32;

/** @throws WaggleError `INVALID_ARGUMENT` without a sample. */
export async function imitate(
  engine: TrainEngine,
  samples: readonly SupervisedSample[],
  options: ImitationOptions,
): Promise<Imitated> {
  if (samples.length === 0) {
    throw new WaggleError("INVALID_ARGUMENT", "there are no conversations to imitate; import some");
  }
  const holdsOut = samples.length >= 2 * HELD_OUT_EVERY;
  const isHeldOut = (i: number): boolean => holdsOut && i % HELD_OUT_EVERY === 0;
  const trained = samples.filter((_, i) => !isHeldOut(i));
  const heldOut = samples.filter((_, i) => isHeldOut(i));
  const measured = holdsOut ? heldOut : trained;
  const perEpoch = Math.ceil(trained.length / options.batchSize);
  const steps = perEpoch * options.epochs;

  const learningRate = options.learningRate(steps);

  const { keeper } = options;
  const found = keeper?.found ?? null;
  const lossBefore = found?.state.lossBefore ?? (await measure(engine, measured, options.signal));
  await runSupervised({
    engine,
    steps,
    from: found?.step ?? 0,
    learningRate,
    optimizer: options.optimizer,
    keeper: keeper && {
      every: keeper.every,
      save: (step) => keeper.save(step, { lossBefore }),
    },
    signal: options.signal,
    batchAt: (step) => {
      const epoch = Math.floor(step / perEpoch);
      const order = shuffled(trained, seededRandom(options.seed, epoch));
      const from = (step % perEpoch) * options.batchSize;
      return batchOf(order.slice(from, from + options.batchSize));
    },
    onStep: (step, { loss, ...learned }) =>
      options.onStep({ loss: loss as number, ...learned, step, steps }),
  });
  options.signal.throwIfAborted();
  return {
    steps,
    trained: trained.length,
    heldOut: heldOut.length,
    lossBefore,
    lossAfter: await measure(engine, measured, options.signal),
  };
}

function batchOf(samples: readonly SupervisedSample[]): SupervisedBatch {
  return {
    sequences: samples.map(({ sequence }) => sequence),
    lossMask: samples.map(({ lossMask }) => lossMask),
  };
}

/** Mean over all target tokens. */
async function measure(
  engine: TrainEngine,
  samples: readonly SupervisedSample[],
  signal: AbortSignal,
): Promise<number> {
  const tokenCount = samples.reduce((sum, one) => sum + one.lossMask.filter(Boolean).length, 0);
  let loss = 0;
  for (let from = 0; from < samples.length; from += MEASURED_AT_ONCE) {
    signal.throwIfAborted();
    const part = samples.slice(from, from + MEASURED_AT_ONCE);
    const { logProb } = await engine.forward({ sequences: part.map(({ sequence }) => sequence) });
    const lossMask = part.map((sample) => sample.lossMask);
    loss += supervisedLoss({ lossMask, policyLogProbs: logProb }, { tokenCount }).loss;
  }
  return loss;
}
