/** A decoder's states for the tokens it has read: one or two tensors per layer. */
import { layerKind } from "./decoder-config.ts";
import type { DecoderConfig } from "./decoder-config.ts";

/** The graph input for a state, and the graph output that replaces it. */
export type DecoderState = {
  readonly layer: number;
  /** Graph input: `past_key_values.0.key`, `past_conv.2`. */
  readonly past: string;
  /** Graph output: `present.0.key`, `present_conv.2`. */
  readonly present: string;
  readonly dtype: "f32" | "f16";
  /**
   * Dimensions after the batch. Keys and values of attention, `[kvHeads, positions, D]`, grow with
   * each token and can be cut. The last inputs of a convolution, `[taps - 1, C]`, start as zeros,
   * keep their size and cannot be rolled back.
   */
  readonly rowShape: readonly (number | "positions")[];
  /**
   * Positions that a sliding layer attends to, including its own; older ones need not be kept.
   * `null` for global attention and convolutions.
   */
  readonly window: number | null;
};

/** The states of a decoder, layer by layer, keys before values. */
export function decoderStates(config: DecoderConfig, dtype: "f32" | "f16"): DecoderState[] {
  const states: DecoderState[] = [];
  for (let layer = 0; layer < config.layers; layer++) {
    const kind = layerKind(config, layer);
    if (kind === "convolution") {
      states.push({
        layer,
        past: `past_conv.${layer}`,
        present: `present_conv.${layer}`,
        dtype,
        rowShape: [(config.convolutionSize as number) - 1, config.width],
        window: null,
      });
      continue;
    }
    for (const part of ["key", "value"]) {
      states.push({
        layer,
        past: `past_key_values.${layer}.${part}`,
        present: `present.${layer}.${part}`,
        dtype,
        rowShape: [config.keyValueHeads, "positions", config.headSize],
        window: kind === "sliding" ? (config.slidingWindow as number) : null,
      });
    }
  }
  return states;
}

/** Whether a state grows with each token; otherwise its size is fixed. */
export function hasPositions(state: DecoderState): boolean {
  return state.rowShape.includes("positions");
}

/** Dimensions of a state for this many rows and positions. */
export function stateShape(state: DecoderState, rows: number, positions: number): number[] {
  return [rows, ...state.rowShape.map((dim) => (dim === "positions" ? positions : dim))];
}
