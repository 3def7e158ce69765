/** Sampling modes, and the sampling parameters that extensions use. */
import type {
  LanguageModelCreateCoreOptions,
  LanguageModelSamplingMode,
} from "./prompt-api-types.ts";
import { shapeAsInterface } from "./web-idl.ts";

/** Temperatures of the modes. `balanced` leaves sampling to the chat, whose default is 1. */
const TEMPERATURES: { readonly [mode in LanguageModelSamplingMode]: number } = {
  "most-predictable": 0,
  predictable: 0.4,
  "slightly-predictable": 0.7,
  balanced: 1,
  "slightly-creative": 1.1,
  creative: 1.2,
  "most-creative": 1.4,
};
export const SAMPLING_MODES = Object.keys(TEMPERATURES) as LanguageModelSamplingMode[];

/** Keeps the whole vocabulary of every model. */
const MAX_TOP_K = 1_000_000;
const MAX_TEMPERATURE = 2;

/** Default and maximum sampling parameters. */
export class LanguageModelParams {
  get defaultTopK(): number {
    return MAX_TOP_K;
  }
  get maxTopK(): number {
    return MAX_TOP_K;
  }
  get defaultTemperature(): number {
    return TEMPERATURES.balanced;
  }
  get maxTemperature(): number {
    return MAX_TEMPERATURE;
  }
}

shapeAsInterface(LanguageModelParams, "LanguageModelParams");

/** How a session samples. */
export type SessionSampling = {
  /** `null` if the session has its own parameters. */
  readonly mode: LanguageModelSamplingMode | null;
  readonly topK: number;
  readonly temperature: number;
};

/** @throws TypeError for a mode together with parameters. */
export function assertOneSampling(options: LanguageModelCreateCoreOptions): void {
  const { samplingMode, topK, temperature } = options;
  if (samplingMode === undefined || (topK === undefined && temperature === undefined)) return;
  throw new TypeError("samplingMode cannot be combined with topK or temperature");
}

/** Sampling of a new session. @throws RangeError for a temperature below 0, a top-k below 1, or NaN. */
export function sessionSampling(options: LanguageModelCreateCoreOptions): SessionSampling {
  const { samplingMode, topK, temperature } = options;
  if (topK === undefined && temperature === undefined) {
    const mode = samplingMode ?? "balanced";
    return { mode, topK: MAX_TOP_K, temperature: TEMPERATURES[mode] };
  }
  if (topK !== undefined && !(topK >= 1)) throw new RangeError("topK must be at least 1");
  if (temperature !== undefined && !(temperature >= 0)) {
    throw new RangeError("temperature must be at least 0");
  }
  return {
    mode: null,
    topK: Math.min(Math.trunc(topK ?? MAX_TOP_K), MAX_TOP_K),
    temperature: Math.min(temperature ?? TEMPERATURES.balanced, MAX_TEMPERATURE),
  };
}

/** The fields of a chat's request; those with the chat's defaults are left out. */
export function requestSampling({ topK, temperature }: SessionSampling): {
  top_k?: number;
  temperature?: number;
} {
  return {
    ...(topK < MAX_TOP_K && { top_k: topK }),
    ...(temperature !== TEMPERATURES.balanced && { temperature }),
  };
}
