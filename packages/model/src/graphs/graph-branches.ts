/**
 * Forms of a decoder graph for branches of one prefix: either every run is for branches, or each
 * run chooses, with one copy of the weights. A form is passed as a value, so that a page that never
 * branches does not load this code.
 */
import type { Attend, PresentNames } from "./graph-attention.ts";
import { addBranchInputs, branchAttention } from "./graph-branch-attention.ts";
import type { BranchKernels } from "./graph-branch-attention.ts";
import { PACKED_INPUTS } from "./graph-inputs.ts";
import type { InputForm } from "./graph-inputs.ts";
import type { GraphParts } from "./graph-parts.ts";
import { subgraphOf } from "../onnx/onnx-subgraph.ts";
import type { OnnxSubgraph } from "../onnx/onnx-wire.ts";

/** One token each for sequences that share a prefix; only for models where `canBranch`. */
export const BRANCHES: InputForm = branchesBy("cpu", branchAttention);

/** The same with kernels that onnxruntime's WebGPU provider has; for all models. */
export const GPU_BRANCHES: InputForm = branchesBy("gpu", branchAttention);

/** Packed inputs as well: each run chooses, at about 6 µs per layer on WASM. */
export const PACKED_OR_BRANCHES: InputForm = (parts) => {
  const packed = PACKED_INPUTS(parts);
  const inputs = addBranchInputs(parts, "cpu");
  const { graph } = parts;
  const condition = graph.op("Cast", [graph.input("is_branches", "i32", [1])], {
    attributes: { to: 9 },
  });
  const branched: Attend = (...all) => branchAttention(parts, ...all, inputs);
  return {
    ...packed,
    branch: (whenPacked) => chooseAttention(parts, condition, branched, whenPacked as Attend),
  };
};

/** @param attend - the attention of each layer. */
export function branchesBy(kernels: BranchKernels, attend: typeof branchAttention): InputForm {
  return (parts) => {
    const inputIds = parts.graph.input("input_ids", "i32", ["batch_size", 1]);
    const inputs = addBranchInputs(parts, kernels);
    const branched: Attend = (...all) => attend(parts, ...all, inputs);
    return { inputIds, sequence: null, branch: () => branched };
  };
}

/**
 * Chooses one of two ways to attend with an ONNX `If`; the other costs nothing.
 *
 * @param condition - bool `[1]`: true for `whenTrue`.
 */
function chooseAttention(
  { graph, config, activations }: GraphParts,
  condition: string,
  whenTrue: Attend,
  whenFalse: Attend,
): Attend {
  const { heads, keyValueHeads, headSize } = config;
  const hidden = ["batch_size", "sequence", heads * headSize];
  const state = ["batch_size", keyValueHeads, "total", headSize];
  return (layer, projections, present) => {
    const way = (attend: Attend, name: string): OnnxSubgraph =>
      subgraphOf(graph, () => {
        const own: PresentNames = {
          key: `${present.key}.${name}`,
          value: `${present.value}.${name}`,
        };
        const attended = attend(layer, projections, own);
        return [
          { name: attended, dtype: activations, dims: hidden },
          { name: own.key, dtype: activations, dims: state },
          { name: own.value, dtype: activations, dims: state },
        ];
      });
    const attended = `model.layers.${layer}.self_attn.chosen`;
    graph.node("If", [condition], {
      outputs: [attended, present.key, present.value],
      attributes: {
        then_branch: { graph: way(whenTrue, "true") },
        else_branch: { graph: way(whenFalse, "false") },
      },
    });
    return attended;
  };
}
