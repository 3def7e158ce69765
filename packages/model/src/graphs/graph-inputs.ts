/**
 * What a decoder graph is fed besides states, and the attention that reads it. Forms other than ours
 * are values of other files, so that a page loads none that it does not feed.
 */
import type { Attend, SequenceInputs } from "./graph-attention.ts";
import type { GraphParts } from "./graph-parts.ts";

export type DecoderInputs = {
  readonly inputIds: string;
  /** `null` where every run is one of branches. */
  readonly sequence: Omit<SequenceInputs, "sink"> | null;
  /** Makes the layers' attention of that by `sequence`; `null` where it stays that. */
  readonly branch: ((packed: Attend | null) => Attend) | null;
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
