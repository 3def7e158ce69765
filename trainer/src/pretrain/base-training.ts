/**
 * Trains the base model of an environment on demonstrations, and keeps it in a folder with a record of how it was made.
 * Which demonstrations, and from which weights, its callers decide. It does not evaluate the base.
 */
import { existsSync } from "node:fs";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { createOnnxEngine } from "@waggle/engine";
import { cosineRate } from "@waggle/learning";
import {
  type DecoderConfig,
  decoderConfigJson,
  parameterCount,
  writeSafetensors,
} from "@waggle/model";
import {
  type OptimizerOptions,
  type TensorMap,
  toTrainingSamples,
  type Trajectory,
} from "@waggle/protocol";
import { z } from "zod";
import {
  type CheckpointKind,
  type Checkpoints,
  openCheckpoints,
  type Settings,
} from "../checkpoint/checkpoint.ts";
import { canonical } from "../checkpoint/run-settings.ts";
import { writeTrainingTemplate } from "../files/training-template.ts";
import { openMetricsLog } from "../metrics/metrics-log.ts";
import { type BaseModel, openBaseModel, readBaseModel } from "../model/base-model.ts";
import { runSupervised } from "../training/supervised-run.ts";
import type { NanoText } from "./nano-text.ts";

/** The file that records how a base was made. */
export const BASE_RECORD = "base.json";
const WARM_UP_STEPS = 50;
/** Longest time between two lines of progress, but for the step that runs. */
const MEASURED_MS = 30_000;

/** Progress of training a base. */
export type BaseProgress = {
  readonly step: number;
  readonly steps: number;
  readonly loss: number;
  readonly tokensPerSecond: number;
  /** Estimated from the steps so far. */
  readonly secondsLeft: number;
};

/** Progress as a line of text. */
export function baseText(environment: string, { step, steps, ...of }: BaseProgress): string {
  const { loss, tokensPerSecond, secondsLeft } = of;
  const left = leftText(secondsLeft);
  return `base of ${environment}, made once  ${step}/${steps}  loss ${loss.toFixed(4)}  ${tokensPerSecond.toFixed(0)} tokens/s${left}`;
}

/** The end of a line of progress; empty at the end. */
export function leftText(secondsLeft: number): string {
  return secondsLeft === 0 ? "" : `  ${(secondsLeft / 60).toFixed(1)} min left`;
}

/** What all bases are made with. */
export type BaseRun = {
  readonly onProgress: (progress: BaseProgress) => void;
  /** Called if an unfinished run with other settings is discarded. @param step - up to which it had come */
  readonly onDiscard?: (step: number) => void;
  /**
   * Called before a base is made, which takes minutes; an error stops it.
   *
   * @param replaced - hash of the model that it replaces, because that has other settings; `null` if there is none
   */
  readonly beforeMaking?: (replaced: string | null) => Promise<void>;
  readonly signal: AbortSignal;
  /** Steps between two checkpoints; default 100. */
  readonly saveEvery?: number | undefined;
  /** Whether TensorBoard event files are written beside the metrics; default not. */
  readonly tensorboard?: boolean | undefined;
};

/** What a base starts from and learns from. */
export type BaseStart = {
  readonly config: DecoderConfig;
  readonly weights: TensorMap;
  readonly text: NanoText;
  readonly steps: number;
  readonly peakLearningRate: number;
  /** Default: the engine's. */
  readonly optimizer?: Pick<OptimizerOptions, "matrices" | "beta2">;
  /** As in `EngineOptions`. */
  readonly maxMicrobatchTokens?: number | undefined;
  /** The demonstrations of a step, the same every time. */
  readonly demonstrations: (step: number) => Promise<readonly Trajectory[]>;
};

/**
 * Reads the base in `folder`, or makes it there if there is none or its record is another one. An interrupted run
 * leaves no partial model, and the next one goes on with it.
 *
 * @param record - the settings that the base depends on, as JSON
 * @param start - called only if the base is made
 */
export async function keptBase(
  folder: string,
  record: object,
  start: () => Promise<BaseStart>,
  run: BaseRun,
): Promise<BaseModel> {
  if (!(await isBuiltBy(folder, record))) {
    await run.beforeMaking?.(await hashIn(folder));
    const unfinished = `${folder}.unfinished`;
    await trainBase(unfinished, record, await start(), run);
    await mkdir(dirname(folder), { recursive: true });
    await rm(folder, { recursive: true, force: true });
    await rename(unfinished, folder);
  }
  return readBaseModel(folder);
}

/** The hash of the model in a folder; `null` if there is none, or it cannot be read. */
async function hashIn(folder: string): Promise<string | null> {
  const model = await openBaseModel(folder).catch(() => null);
  return model?.reference.sha256 ?? null;
}

async function isBuiltBy(folder: string, record: object): Promise<boolean> {
  const file = join(folder, BASE_RECORD);
  // A model that a user put there is kept.
  if (!existsSync(file)) return existsSync(join(folder, "config.json"));
  const { parameters: _, ...found } = JSON.parse(await readFile(file, "utf8")) as {
    readonly parameters: number;
  };
  return isDeepStrictEqual(found, record);
}

const BASE: CheckpointKind<Record<string, never>> = {
  name: "base",
  state: z.strictObject({}),
  startOver: "by deleting the folder",
};

/** The checkpoint of an interrupted run with the same record. */
async function foundIn(
  checkpoints: Checkpoints<Record<string, never>>,
  settings: Settings,
  onDiscard: BaseRun["onDiscard"],
) {
  // A damaged checkpoint costs a minute of training, so it is not worth an error.
  const found = await checkpoints.load().catch(() => null);
  if (found === null || isDeepStrictEqual(found.settings, settings)) return found;
  onDiscard?.(found.step);
  return null;
}

async function trainBase(
  folder: string,
  record: object,
  { config, weights, text, steps, peakLearningRate, optimizer, ...start }: BaseStart,
  { onProgress, onDiscard, signal, saveEvery = 100, tensorboard }: BaseRun,
): Promise<void> {
  const { maxMicrobatchTokens } = start;
  const engine = await createOnnxEngine({
    config,
    weights,
    trains: "full",
    ...(maxMicrobatchTokens !== undefined && { maxMicrobatchTokens }),
  });
  const rate = cosineRate({
    rate: peakLearningRate,
    warmUpSteps: WARM_UP_STEPS,
    totalSteps: steps,
    floor: peakLearningRate / 30,
  });
  const checkpoints = openCheckpoints(folder, BASE);
  const settings = canonical({ ...record });
  const startedAt = performance.now();
  let tokens = 0;
  let taken = 0;
  let measuredAt = performance.now();
  try {
    const found = await foundIn(checkpoints, settings, onDiscard);
    const saved = found?.engines.get("policy");
    if (saved !== undefined) await engine.load(saved);
    const metrics = await openMetricsLog(folder, { tensorboard, from: found?.step ?? null });
    const done = await runSupervised({
      engine,
      steps,
      from: found?.step ?? 0,
      keeper: {
        every: saveEvery,
        save: async (step) => {
          await metrics.settled();
          const engines = new Map([["policy", await engine.save()]]);
          await checkpoints.commit({ settings, step, engines, state: {}, values: null });
        },
      },
      learningRate: rate,
      optimizer: { ...optimizer, weightDecay: 0.05, maxGradientNorm: 1 },
      signal,
      batchAt: async (step) => {
        const shown = await start.demonstrations(step);
        const samples = shown.flatMap((record) => toTrainingSamples(record));
        return {
          sequences: samples.map(({ sequence }) => sequence),
          lossMask: samples.map(({ lossMask }) => lossMask),
        };
      },
      // The first measurement soon, so that one sees how long it takes. On a slow machine, some more.
      isMeasured: (step) =>
        step === 9 ||
        step % 100 === 99 ||
        step + 1 === steps ||
        performance.now() - measuredAt >= MEASURED_MS,
      onStep: (step, { loss, gradientNorm }, { sequences }) => {
        tokens += sequences.reduce((sum, { tokenIds }) => sum + tokenIds.length, 0);
        taken += 1;
        if (loss === null) return;
        measuredAt = performance.now();
        const seconds = (performance.now() - startedAt) / 1000;
        const tokensPerSecond = tokens / seconds;
        const learningRate = rate(step - 1);
        const numbers = { loss, gradientNorm, learningRate, tokensPerSecond };
        metrics.add({ event: "step", step, metrics: numbers });
        const secondsLeft = ((steps - step) * seconds) / taken;
        onProgress({ step, steps, loss, tokensPerSecond, secondsLeft });
      },
    });
    if (done < steps) signal.throwIfAborted();
    await metrics.settled();
    await checkpoints.clear();
    const [stopTokenId] = text.chat.stopTokenIds;
    const json: { readonly [file: string]: unknown } = {
      "config.json": { ...decoderConfigJson(config), eos_token_id: stopTokenId },
      "tokenizer.json": text.tokenizerJson,
      "tokenizer_config.json": text.tokenizerConfig,
      [BASE_RECORD]: { ...record, parameters: parameterCount(config) },
    };
    for (const [file, value] of Object.entries(json)) {
      await writeFile(join(folder, file), `${JSON.stringify(value, null, 2)}\n`);
    }
    await writeTrainingTemplate(folder, text.tokenizerConfig);
    const trained = writeSafetensors(await engine.parameters(), { format: "pt" }, "F32");
    await writeFile(join(folder, "model.safetensors"), trained);
  } finally {
    await engine.dispose();
  }
}
