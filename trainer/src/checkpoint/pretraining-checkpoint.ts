/** The checkpoint of a pretraining run. */
import { readSafetensors } from "@waggle/model";
import { type EngineCheckpoint, WaggleError } from "@waggle/protocol";
import { z } from "zod";
import { type CheckpointKind, openCheckpoints } from "./checkpoint.ts";
import { requireSame } from "./run-settings.ts";

/** One measurement of a run. */
export type CurvePoint = {
  readonly step: number;
  readonly tokens: number;
  /** Mean −log π of the policy's tokens on fresh demonstrations, in nats. */
  readonly assistantLoss: number;
  /** The same on digits that the policy writes: ids, amounts, prices. */
  readonly digitLoss: number;
  readonly learningRate: number;
  readonly gradientNorm: number;
  readonly seconds: number;
};

/** Sizes of the default model. */
export const MODEL_SIZES = ["small", "medium", "large"] as const;
export type ModelSize = (typeof MODEL_SIZES)[number];

type PretrainingSettings = {
  readonly seed: number;
  readonly totalSteps: number;
  /** Absent = the nano model. */
  readonly size?: ModelSize;
  /** What updates the layers' matrices. Absent = AdamW. */
  readonly matrices?: "muon";
  /** Loss weight of a token by its speaker; others weigh nothing. Absent = `LOSS_WEIGHTS` of the recipes. */
  readonly lossWeights?: { readonly [role: string]: number };
  /** Peak of the learning rate. Absent = that of the recipe. */
  readonly learningRate?: number;
  /** Content hash of the model that it starts from. Absent = random weights. */
  readonly from?: string;
};

type PretrainingProgress = {
  readonly curve: readonly CurvePoint[];
  readonly tokens: number;
  readonly seconds: number;
};

/** Settings and progress of a pretraining run. */
export type PretrainingState = PretrainingSettings & PretrainingProgress;

/** A pretraining run's state with its engine. */
export type PretrainingCheckpoint = {
  readonly state: PretrainingState;
  readonly engine: EngineCheckpoint;
};

/** JSON stores a value that is not finite as null. */
const measured: z.ZodType<number> = z
  .number()
  .nullable()
  .transform((value) => value ?? Number.NaN);
const count = z.int().min(0);

const PRETRAINING: CheckpointKind<PretrainingProgress> = {
  name: "train-base",
  settings: z.strictObject({
    seed: z.int(),
    totalSteps: count,
    size: z.enum(MODEL_SIZES).optional(),
    matrices: z.literal("muon").optional(),
    lossWeights: z.record(z.string(), z.number()).optional(),
    learningRate: z.number().optional(),
    from: z.string().optional(),
  }),
  state: z.strictObject({
    curve: z.array(
      z.strictObject({
        step: count,
        tokens: count,
        assistantLoss: measured,
        digitLoss: measured,
        learningRate: measured,
        gradientNorm: measured,
        seconds: measured,
      }),
    ),
    tokens: count,
    seconds: z.number(),
  }),
  startOver: "with --no-resume",
  earlier: {
    file: "checkpoint.safetensors",
    read: (bytes) => {
      const { tensors, metadata } = readSafetensors(bytes);
      const state = JSON.parse(metadata["run_state"] ?? "null") as PretrainingState;
      return checkpointOf({ state, engine: { step: Number(metadata["step"]), tensors } });
    },
  },
};

function checkpointOf({ state, engine }: PretrainingCheckpoint) {
  const { curve, tokens, seconds, ...settings } = state;
  const engines = new Map([["policy", engine]]);
  return {
    settings,
    step: engine.step,
    engines,
    state: { curve, tokens, seconds },
    values: null,
  };
}

/** Saves the complete state of a run. */
export async function savePretraining(folder: string, run: PretrainingCheckpoint): Promise<void> {
  await openCheckpoints(folder, PRETRAINING).commit(checkpointOf(run));
}

/** @throws WaggleError `CHECKPOINT_CORRUPT` if the folder has no readable run. */
export async function loadPretraining(folder: string): Promise<PretrainingCheckpoint> {
  const found = await openCheckpoints(folder, PRETRAINING).load();
  const engine = found?.engines.get("policy");
  if (found === null || engine === undefined) {
    throw new WaggleError(
      "CHECKPOINT_CORRUPT",
      `there is no checkpoint to resume in ${folder}; start without --resume`,
    );
  }
  const settings = found.settings as PretrainingSettings;
  return { state: { ...settings, ...found.state }, engine };
}

/**
 * The run that this command continues; `null` if it begins a new one. By default only an unfinished
 * run with the same settings is resumed. The number of steps may differ, for a run that has less or more time than was
 * planned; the learning rate follows the new one. `resume: true` takes any run, with its own settings.
 *
 * @throws WaggleError `CONFLICT` for an unfinished run with other settings or with as many steps or more; as `loadPretraining`.
 */
export async function resumedPretraining(
  folder: string,
  given: {
    readonly seed: number;
    readonly steps: number;
    readonly size?: ModelSize | undefined;
    readonly matrices?: "muon" | undefined;
    readonly lossWeights?: { readonly [role: string]: number } | undefined;
    readonly learningRate?: number | undefined;
    readonly from?: string | undefined;
    readonly resume?: boolean | undefined;
  },
): Promise<PretrainingCheckpoint | null> {
  if (given.resume === false) return null;
  if (given.resume === true) return loadPretraining(folder);
  if ((await openCheckpoints(folder, PRETRAINING).load()) === null) return null;
  const found = await loadPretraining(folder);
  const { curve: _, tokens: __, seconds: ___, ...before } = found.state;
  if (found.engine.step >= before.totalSteps) return null;
  const now = {
    seed: given.seed,
    totalSteps: before.totalSteps,
    size: given.size,
    matrices: given.matrices,
    lossWeights: given.lossWeights,
    learningRate: given.learningRate,
    from: given.from,
  };
  requireSame(folder, before, now, PRETRAINING.startOver);
  if (given.steps > found.engine.step) {
    return { ...found, state: { ...found.state, totalSteps: given.steps } };
  }
  throw new WaggleError(
    "CONFLICT",
    `the run in ${folder} has taken ${found.engine.step} steps; choose more, or start over ${PRETRAINING.startOver}`,
  );
}
