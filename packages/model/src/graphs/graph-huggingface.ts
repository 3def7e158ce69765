/**
 * Inputs of a decoder graph as Transformers.js feeds them: a mask instead of lengths. Rows padded on the left, as its
 * pipelines pad them, are turned so that the padding is on the right, and turned back before the logits.
 */
import type { InputForm } from "./graph-inputs.ts";

const TO_I32 = { attributes: { to: 6 } };

export const HUGGINGFACE_INPUTS: InputForm = ({ graph }) => {
  // Transformers.js derives its first, empty states from the name of the first dimension.
  const given = graph.input("input_ids", "i64", ["batch_size", "sequence"]);
  const mask = graph.input("attention_mask", "i64", ["batch_size", "total"]);
  const one = graph.ints([1]);
  const lengths = graph.op("ReduceSum", [mask, one], { attributes: { keepdims: 0 } });
  const lastPositions = graph.op("Cast", [graph.op("Sub", [lengths, one])], TO_I32);
  const sizeOf = (name: string): string =>
    graph.op("Gather", [graph.op("Shape", [name]), graph.ints(1)]);
  const totalLength = graph.op("Cast", [sizeOf(mask)], TO_I32);

  const sequence = sizeOf(given);
  const starts = graph.op("Unsqueeze", [graph.op("Neg", [sequence]), graph.ints([0])]);
  const masksOfNew = graph.op("Slice", [mask, starts, graph.ints([Number.MAX_SAFE_INTEGER]), one]);
  // [B, 1]: the first of the new tokens that counts
  const padding = graph.op("ArgMax", [graph.op("Cast", [masksOfNew], TO_I32)], {
    attributes: { axis: 1, keepdims: 1 },
  });
  const columns = graph.op("Range", [graph.ints(0), sequence, graph.ints(1)]);
  const moved = (by: "Add" | "Sub"): string =>
    graph.op("Mod", [graph.op("Add", [graph.op(by, [columns, padding]), sequence]), sequence]);
  return {
    inputIds: graph.op("GatherElements", [given, moved("Add")], { attributes: { axis: 1 } }),
    sequence: { lastPositions, totalLength },
    branch: null,
    restore: (hidden) => {
      const places = graph.op("Unsqueeze", [moved("Sub"), graph.ints([2])]);
      return graph.op("GatherND", [hidden, places], { attributes: { batch_dims: 1 } });
    },
  };
};
