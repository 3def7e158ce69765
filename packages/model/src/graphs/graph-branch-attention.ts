/**
 * Attention of one layer for branches of one prefix: one token each, over keys and values of the
 * shared prefix and the branch's own. The shared part is a single matrix product for all branches,
 * where GroupQueryAttention would multiply branch by branch. Plain operators, one softmax over both
 * parts.
 */
import { WaggleError } from "@waggle/protocol";
import { layerKind } from "../decoder/decoder-config.ts";
import { canBranch, prefixNames } from "../decoder/branch-states.ts";
import type { PresentNames, Projections } from "./graph-attention.ts";
import { cast, MICROSOFT, normalize } from "./graph-parts.ts";
import type { GraphParts } from "./graph-parts.ts";

/** Names of the inputs that describe lengths and positions. */
export type BranchInputs = {
  /** i64 `[B, 1]`: position of each branch's token. */
  readonly positions: string;
  /**
   * i64 `[B, kvHeads, 1, 3]`: places in the own keys and values `[B, kvHeads, S, D]` for the token.
   */
  readonly slots: string;
  /**
   * f32: 0 where positions count, the new one included; otherwise a large negative number. `[B, 1,
   * 1, S]` for own positions on a CPU, `[1, B, 1, P + S]` for all on a GPU, where the prefix has
   * unused room.
   */
  readonly bias: string;
  /** The same for sliding layers, whose windows exclude more; "" without any. */
  readonly slidingBias: string;
  /** i64 `[2]` P, S on a CPU; i32 `[1]` P on a GPU, read on the host. */
  readonly sizes: string;
  /** onnxruntime's WebGPU provider has no FusedMatMul, and shapes would be computed on the host. */
  readonly kernels: BranchKernels;
};

export type BranchKernels = "cpu" | "gpu";

/** i32 constants for slices, like the input between them. */
const BOUNDS = {
  start: { name: "branches.start", value: 0 },
  end: { name: "branches.end", value: 2 ** 31 - 1 },
  axis: { name: "branches.axis", value: -1 },
};

/** Declares the inputs. @throws WaggleError `MODEL_UNSUPPORTED` if the model cannot branch. */
export function addBranchInputs(
  { graph, config, activations }: GraphParts,
  kernels: BranchKernels,
): BranchInputs {
  if (kernels === "cpu" && !canBranch(config)) {
    throw new WaggleError(
      "MODEL_UNSUPPORTED",
      `${config.modelType} has layers that do not attend to all positions, which branches need; use the packed inputs`,
    );
  }
  const { layers, keyValueHeads, headSize } = config;
  const wide = (name: string): string => graph.op("Cast", [name], { attributes: { to: 7 } });
  const positions = wide(graph.input("positions", "i32", ["branches", 1]));
  const slots = wide(graph.input("slots", "i32", ["branches", keyValueHeads, 1, 3]));
  const bias =
    kernels === "cpu"
      ? graph.input("own_bias", activations, ["branches", 1, 1, "room"])
      : graph.input("bias", "f32", [1, "branches", 1, "positions"]);
  const hasWindows = Array.from({ length: layers }, (_, layer) => layer).some(
    (layer) => layerKind(config, layer) === "sliding",
  );
  const slidingBias = hasWindows
    ? graph.input("sliding_bias", "f32", [1, "branches", 1, "positions"])
    : "";
  for (let layer = 0; layer < layers; layer++) {
    if (layerKind(config, layer) === "convolution") continue;
    const { key, value } = prefixNames(layer);
    const values = [1, keyValueHeads, "prefix", headSize];
    const keys = kernels === "cpu" ? [1, keyValueHeads, headSize, "prefix"] : values;
    graph.input(key, activations, keys);
    graph.input(value, activations, values);
  }
  if (kernels === "gpu") {
    for (const { name, value } of Object.values(BOUNDS)) {
      graph.initializer(name, "i32", [1], Int32Array.of(value));
    }
    const sizes = graph.input("prefix_length", "i32", [1]);
    return { positions, slots, bias, slidingBias, sizes, kernels };
  }
  const last = (name: string): string =>
    graph.op("Shape", [name], { attributes: { start: 3, end: 4 } });
  const sizes = graph.op("Concat", [last(prefixNames(0).key), last(bias)], {
    attributes: { axis: 0 },
  });
  return { positions, slots, bias, slidingBias, sizes, kernels };
}

/** Attention for one token of each branch. @returns `[B, 1, heads · D]`. */
export function branchAttention(
  parts: GraphParts,
  layer: number,
  projections: Projections,
  present: PresentNames,
  { positions, slots, sizes, kernels, ...inputs }: BranchInputs,
): string {
  const { graph, config } = parts;
  const { heads, keyValueHeads, headSize } = config;
  const prefix = `model.layers.${layer}.self_attn`;
  const kind = layerKind(config, layer);
  const isSliding = kind === "sliding";
  const table = isSliding ? "rope.local" : "rope";
  const bias = isSliding ? inputs.slidingBias : inputs.bias;
  const perHead = heads / keyValueHeads;
  const reshape = (x: string, shape: readonly number[]): string =>
    graph.op("Reshape", [x, graph.ints(shape)]);
  /** Swaps `[B, kvHeads, …]` and `[kvHeads, B, …]`. */
  const swap = (x: string): string =>
    graph.op("Transpose", [x], { attributes: { perm: { ints: [1, 0, 2, 3] } } });
  const split = (x: string, count: number): string => reshape(x, [-1, count, 1, headSize]);
  const place = (x: string, norm: string | undefined): string => {
    const normal = norm === undefined ? x : normalize(parts, x, `${prefix}.${norm}.weight`);
    if (kind === "unrotated") return normal;
    return graph.op("RotaryEmbedding", [normal, positions, `${table}.cosines`, `${table}.sines`], {
      domain: MICROSOFT,
      attributes: { interleaved: 0 },
    });
  };
  const { headNorms } = parts.architecture;
  const append = (part: "key" | "value", x: string): string => {
    const past = `past_key_values.${layer}.${part}`;
    graph.node("ScatterND", [past, slots, x], { outputs: [present[part]] });
    return present[part];
  };
  const ownKeys = append("key", place(split(projections.key, keyValueHeads), headNorms?.key));
  const ownValues = append("value", split(projections.value, keyValueHeads));
  // [B, kvHeads, h, D]
  const queries = reshape(place(split(projections.query, heads), headNorms?.query), [
    -1,
    keyValueHeads,
    perHead,
    headSize,
  ]);
  const alpha = 1 / Math.sqrt(config.queryScalar ?? headSize);
  const scores = (of: string, keys: string, isTransposed: boolean): string => {
    if (kernels === "cpu") {
      const attributes = { alpha: { float: alpha }, transB: isTransposed ? 0 : 1 };
      return graph.op("FusedMatMul", [of, keys], { domain: MICROSOFT, attributes });
    }
    const attributes = { perm: { ints: [0, 1, 3, 2] } };
    return graph.op("MatMul", [of, graph.op("Transpose", [keys], { attributes })]);
  };
  const { activations } = parts;
  const asked =
    kernels === "cpu"
      ? queries
      : graph.op("Mul", [queries, cast(parts, graph.float(alpha), "f32", activations)]);

  const shared = prefixNames(layer);
  const together = reshape(swap(asked), [1, keyValueHeads, -1, headSize]);
  // 0 copies the size: P stays the last dimension.
  const sharedScores = reshape(scores(together, shared.key, true), [keyValueHeads, -1, perHead, 0]);
  const own = scores(asked, ownKeys, false);
  const ownScores = swap(kernels === "cpu" ? graph.op("Add", [own, bias]) : own);
  const both = graph.op("Concat", [sharedScores, ownScores], { attributes: { axis: -1 } });
  const masked =
    kernels === "cpu" ? both : graph.op("Add", [cast(parts, both, activations, "f32"), bias]);
  const softmax = graph.op("Softmax", [masked], { attributes: { axis: -1 } });
  const weights = kernels === "cpu" ? softmax : cast(parts, softmax, "f32", activations);
  const [sharedWeights, ownWeights] = splitWeights(parts, weights, sizes, kernels);
  const fromShared = graph.op("MatMul", [
    reshape(sharedWeights, [1, keyValueHeads, -1, 0]),
    shared.value,
  ]);
  const fromOwn = graph.op("MatMul", [swap(ownWeights), ownValues]);
  const attended = graph.op("Add", [
    swap(reshape(fromShared, [keyValueHeads, -1, perHead, headSize])),
    fromOwn,
  ]);
  return reshape(attended, [-1, 1, heads * headSize]);
}

/** Splits `[…, P + S]` into `[…, P]` and `[…, S]`. */
function splitWeights(
  { graph }: GraphParts,
  weights: string,
  sizes: string,
  kernels: BranchKernels,
): readonly [string, string] {
  if (kernels === "cpu") {
    return graph.node("Split", [weights, sizes], {
      outputs: 2,
      attributes: { axis: -1 },
    }) as [string, string];
  }
  // Bounds are read on the host, where no arithmetic is available.
  const slice = (from: string, to: string): string =>
    graph.op("Slice", [weights, from, to, BOUNDS.axis.name]);
  return [slice(BOUNDS.start.name, sizes), slice(sizes, BOUNDS.end.name)];
}
