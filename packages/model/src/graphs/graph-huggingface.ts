/** Inputs of a decoder graph as Transformers.js feeds them: a mask instead of lengths. */
import type { InputForm } from "./graph-inputs.ts";

export const HUGGINGFACE_INPUTS: InputForm = ({ graph }) => {
  // Transformers.js derives its first, empty states from the name of the first dimension.
  const inputIds = graph.input("input_ids", "i64", ["batch_size", "sequence"]);
  const mask = graph.input("attention_mask", "i64", ["batch_size", "total"]);
  const narrow = { attributes: { to: 6 } };
  const lengths = graph.op("ReduceSum", [mask, graph.ints([1])], { attributes: { keepdims: 0 } });
  const lastPositions = graph.op("Cast", [graph.op("Sub", [lengths, graph.ints([1])])], narrow);
  const total = graph.op("Gather", [graph.op("Shape", [mask]), graph.ints(1)]);
  const totalLength = graph.op("Cast", [total], narrow);
  return { inputIds, sequence: { lastPositions, totalLength }, branch: null };
};
