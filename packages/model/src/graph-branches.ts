/**
 * The two forms of a decoder graph for branches of one prefix: every run is one of branches, or each
 * run chooses, and the weights are there once. A form is passed as a value, so that a page that never
 * branches loads none of this.
 */
import type { Attend, PresentNames } from "./graph-attention.ts";
import { addBranchInputs, branchAttention } from "./graph-branch-attention.ts";
import type { BranchInputs } from "./graph-branch-attention.ts";
import type { GraphParts } from "./graph-parts.ts";
import type { OnnxSubgraph } from "./onnx-wire.ts";

export type BranchForm = {
  readonly addInputs: (parts: GraphParts) => BranchInputs;
  readonly attend: typeof branchAttention;
  /** `null` where every run is one of branches. */
  readonly choose: typeof chooseAttention | null;
};

/** One token each of sequences that share a prefix, for models of which `canBranch`. */
export const BRANCHES: BranchForm = {
  addInputs: addBranchInputs,
  attend: branchAttention,
  choose: null,
};

/** The packed inputs as well: each run chooses, at some 6 µs a layer on WASM. */
export const PACKED_OR_BRANCHES: BranchForm = { ...BRANCHES, choose: chooseAttention };

/**
 * Attention by one of two ways, each a branch of an ONNX `If`; the one that is not taken costs nothing.
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
      graph.subgraph(() => {
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
