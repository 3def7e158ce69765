/** What can be said of a model from its config alone: whether it runs, where it fits, and whether it can be trained. */
import { checkMemory, planMemory, requireTrainable } from "@waggle/engine";
import { type DecoderConfig, parameterCount, parseDecoderConfig } from "@waggle/model";
import { WaggleError } from "@waggle/protocol";
import { type MemoryLimits, modelMemory, wasmLimits } from "@waggle/runtime";

/** Number formats of files that pages can load. */
export const PAGE_FORMATS = ["f32", "f16", "int8", "int4"] as const;
export type PageFormat = (typeof PAGE_FORMATS)[number];

/** Formats in which WASM and the trainer compute, the largest first. Files in f16 are computed in f32. */
const COMPUTED = ["f32", "int8", "int4"] as const;
type ComputedFormat = (typeof COMPUTED)[number];

/** The format in which files of this format are computed on WASM and in the trainer. */
export function computedFormat(format: PageFormat): ComputedFormat {
  return format === "f16" ? "f32" : format;
}

/** As much as many phones of 2026 have, in GB. */
const PHONE_GB = 4;
/** One request with tools and results. */
const CONTEXT = 4096;
/** A step of the trainer at a site. */
const STEP = {
  trains: "lora",
  rank: 16,
  sequences: 8,
  length: 1024,
  checkpointing: "layer",
} as const;

/** Whether it fits somewhere, in bytes. */
export type Fit = {
  readonly fits: boolean;
  readonly neededBytes: number;
  readonly limitBytes: number;
  /** What to do if it does not; `null` if it does. */
  readonly instead: string | null;
};

export type ModelCheck = {
  readonly config: DecoderConfig;
  readonly parameters: number;
  readonly contextLength: number;
  readonly phone: Fit;
  /** A computer with 8 GB or more. */
  readonly computer: Fit;
  /** Why it cannot be trained here; `null` if it can. */
  readonly untrainable: string | null;
  readonly trainingBytes: number;
};

/**
 * @param memoryBytes - of this machine.
 * @throws WaggleError `MODEL_UNSUPPORTED` with the field of config.json that is not supported.
 */
export function checkModel(json: unknown, format: PageFormat, memoryBytes: number): ModelCheck {
  const config = parseDecoderConfig(json);
  const contextLength = Math.min(CONTEXT, config.contextLength);
  const computed = computedFormat(format);
  const plan = planMemory({ ...STEP, config, base: computed });
  return {
    config,
    parameters: parameterCount(config),
    contextLength,
    phone: fitOf(config, computed, contextLength, wasmLimits(PHONE_GB)),
    computer: fitOf(config, computed, contextLength, wasmLimits()),
    untrainable: refusalOf(() => {
      requireTrainable(config);
      checkMemory(plan, memoryBytes, {
        checkpointing: true,
        maxMicrobatchTokens: false,
        sequences: true,
      });
    }),
    trainingBytes: plan.totalBytes,
  };
}

function fitOf(
  config: DecoderConfig,
  format: ComputedFormat,
  contextLength: number,
  limits: MemoryLimits,
): Fit {
  const needed = (dtype: ComputedFormat): number =>
    modelMemory(config, { dtype, contextLength, limits }).total;
  const neededBytes = needed(format);
  const limitBytes = limits.totalBytes;
  const smaller = COMPUTED.slice(COMPUTED.indexOf(format) + 1);
  if (neededBytes <= limitBytes) return { fits: true, neededBytes, limitBytes, instead: null };
  const other = smaller.find((dtype) => needed(dtype) <= limitBytes);
  const instead = other === undefined ? "use a smaller model" : `--dtype ${other} fits`;
  return { fits: false, neededBytes, limitBytes, instead };
}

function refusalOf(check: () => void): string | null {
  try {
    check();
    return null;
  } catch (error) {
    if (!WaggleError.is(error)) throw error;
    return error.message;
  }
}
