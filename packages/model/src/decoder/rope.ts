/**
 * Angles of rotary positions.
 * Source: Su et al. 2021, RoFormer, arXiv 2104.09864; scaling of Llama 3.1 as in arXiv 2407.21783.
 * Pairs are (i, i + D/2), Hugging Face's halves, not the neighbors of the paper.
 */
import type { DecoderConfig } from "./decoder-config.ts";

/** Layers that the angles are for: sliding ones have their own theta and no scaling. */
type RopeKind = "attention" | "sliding";

/** Radians per position, `[D/2]`. */
export function ropeFrequencies(config: DecoderConfig, kind: RopeKind = "attention"): Float64Array {
  const isLocal = kind === "sliding" && config.localRopeTheta !== undefined;
  const theta = isLocal ? (config.localRopeTheta as number) : config.ropeTheta;
  const scaling = isLocal ? null : config.ropeScaling;
  return Float64Array.from({ length: config.headSize / 2 }, (_, i) => {
    const frequency = theta ** ((-2 * i) / config.headSize);
    if (scaling === null) return frequency;
    if (scaling.type === "linear") return frequency / scaling.factor;
    const wavelength = (2 * Math.PI) / frequency;
    const { factor, lowFrequencyFactor: low, highFrequencyFactor: high } = scaling;
    const ratio = scaling.originalContextLength / wavelength;
    if (ratio < low) return frequency / factor;
    if (ratio > high) return frequency;
    const smooth = (ratio - low) / (high - low);
    return (1 - smooth) * (frequency / factor) + smooth * frequency;
  });
}

/** Cosines and sines of positions 0 to `positions` - 1, each `[positions, D/2]`. */
export function ropeTables(
  config: DecoderConfig,
  positions: number,
  kind: RopeKind = "attention",
): { readonly cosines: Float32Array; readonly sines: Float32Array } {
  const frequencies = ropeFrequencies(config, kind);
  const half = frequencies.length;
  const cosines = new Float32Array(positions * half);
  const sines = new Float32Array(positions * half);
  for (let position = 0; position < positions; position++) {
    for (let i = 0; i < half; i++) {
      const angle = position * (frequencies[i] as number);
      cosines[position * half + i] = Math.cos(angle);
      sines[position * half + i] = Math.sin(angle);
    }
  }
  return { cosines, sines };
}
