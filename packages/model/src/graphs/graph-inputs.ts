/**
 * Inputs of a decoder graph besides states, and the attention that reads them. Other forms are in
 * other files, so that a page loads only those that it feeds.
 */
import type { Attend, SequenceInputs } from "./graph-attention.ts";
import type { GraphParts } from "./graph-parts.ts";

export type DecoderInputs = {
  readonly inputIds: string;
  /** `null` if every run is for branches. */
  readonly sequence: Omit<SequenceInputs, "sink"> | null;
  /** Wraps the attention by `sequence`; `null` to use that. */
  readonly branch: ((packed: Attend | null) => Attend) | null;
  /** Puts the hidden states `[B, S, C]` back in the order of the given tokens, if `inputIds` is in another order. */
  readonly restore?: (hidden: string) => string;
};

/** Declares the inputs. */
export type InputForm = (parts: GraphParts) => DecoderInputs;

/** Rows of tokens with their lengths. */
export const PACKED_INPUTS: InputForm = ({ graph }) => ({
  inputIds: graph.input("input_ids", "i32", ["batch_size", "sequence"]),
  sequence: {
    lastPositions: graph.input("seqlens_k", "i32", ["batch_size"]),
    totalLength: graph.input("total_sequence_length", "i32", []),
  },
  branch: null,
});
