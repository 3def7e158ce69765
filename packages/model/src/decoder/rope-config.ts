/** Reads rotary positions from `config.json`, in the layouts of transformers 4 and 5. */
import { isObject } from "@waggle/protocol";
import { positive, size, unsupported } from "./config-member.ts";
import type { Json } from "./config-member.ts";

/** How rotary frequencies are scaled. */
export type RopeScaling =
  /** Llama 3.1. Source: Grattafiori et al. 2024, arXiv 2407.21783. */
  | {
      readonly type: "llama3";
      readonly factor: number;
      readonly lowFrequencyFactor: number;
      readonly highFrequencyFactor: number;
      readonly originalContextLength: number;
    }
  /** All frequencies divided by the factor. Source: Chen et al. 2023, arXiv 2306.15595. */
  | { readonly type: "linear"; readonly factor: number };

/** Theta and scaling of layers with global attention. */
export function parseGlobalRope(json: Json): {
  readonly ropeTheta: number;
  readonly ropeScaling: RopeScaling | null;
} {
  // transformers 5 moved the members into `rope_parameters`, nested by layer type if types differ
  const parameters = json["rope_parameters"];
  const nested = isObject(parameters) ? (parameters["full_attention"] ?? parameters) : null;
  const rope = isObject(nested) ? nested : json["rope_scaling"];
  const theta = isObject(rope) ? rope["rope_theta"] : undefined;
  return {
    ropeTheta: positive("rope_theta", theta ?? json["rope_theta"] ?? 10_000),
    ropeScaling: parseScaling(rope),
  };
}

/** Theta of the sliding layers of gemma3. */
export function parseLocalTheta(json: Json): number {
  const parameters = json["rope_parameters"];
  const local = isObject(parameters) ? parameters["sliding_attention"] : undefined;
  if (isObject(local) && parseScaling(local) !== null) {
    throw unsupported(
      "rope_parameters.sliding_attention.rope_type",
      "be default",
      local["rope_type"],
    );
  }
  const theta = isObject(local) ? local["rope_theta"] : undefined;
  return positive("rope_local_base_freq", theta ?? json["rope_local_base_freq"] ?? 10_000);
}

function parseScaling(rope: unknown): RopeScaling | null {
  if (rope === undefined || rope === null) return null;
  if (!isObject(rope)) throw unsupported("rope_scaling", "be an object or null", rope);
  const type = rope["rope_type"] ?? rope["type"] ?? "default";
  if (type === "default") return null;
  if (type === "linear") return { type, factor: positive("rope_scaling.factor", rope["factor"]) };
  if (type !== "llama3") {
    throw unsupported("rope_scaling.rope_type", "be default, linear or llama3", type);
  }
  return {
    type,
    factor: positive("rope_scaling.factor", rope["factor"]),
    lowFrequencyFactor: positive("rope_scaling.low_freq_factor", rope["low_freq_factor"]),
    highFrequencyFactor: positive("rope_scaling.high_freq_factor", rope["high_freq_factor"]),
    originalContextLength: size(rope, "original_max_position_embeddings"),
  };
}
