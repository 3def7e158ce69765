/**
 * The gated short convolution of a layer of lfm2, from plain operators: for three taps, a sum of
 * shifted products needs no transposes and runs on every provider.
 * Source: transformers' `Lfm2ShortConv`.
 */
import { layerLinears } from "../decoder/decoder-parameters.ts";
import type { Linear } from "../decoder/decoder-parameters.ts";
import { linear } from "./graph-linear.ts";
import type { GraphParts } from "./graph-parts.ts";

/** @param hidden `[B, S, C]`. @param kept from `keptPositions`; "" where S is always 1. */
export function convolution(
  parts: GraphParts,
  layer: number,
  hidden: string,
  kept: string,
): string {
  const { graph, config } = parts;
  const { width } = config;
  const taps = config.convolutionSize as number;
  const [input, output] = layerLinears(config, layer) as [Linear, Linear];
  const projected = linear(parts, input, hidden);
  const third = (index: number): string =>
    graph.op("Slice", [
      projected,
      graph.ints([index * width]),
      graph.ints([(index + 1) * width]),
      graph.ints([2]),
    ]);
  const gated = graph.op("Mul", [third(0), third(2)]);
  // [B, taps - 1 + S, C]: previous inputs, then the new ones
  const inputs = graph.op("Concat", [`past_conv.${layer}`, gated], { attributes: { axis: 1 } });
  let sum = "";
  for (let tap = 0; tap < taps; tap++) {
    // a negative end counts from the end; the last tap's slice extends to it
    const end = tap === taps - 1 ? Number.MAX_SAFE_INTEGER : tap - taps + 1;
    const shifted = graph.op("Slice", [
      inputs,
      graph.ints([tap]),
      graph.ints([end]),
      graph.ints([1]),
    ]);
    const weighted = graph.op("Mul", [
      shifted,
      `model.layers.${layer}.conv.conv.weight.tap.${tap}`,
    ]);
    sum = tap === 0 ? weighted : graph.op("Add", [sum, weighted]);
  }
  const outputs = [`present_conv.${layer}`];
  if (kept === "") {
    const last = [graph.ints([1]), graph.ints([Number.MAX_SAFE_INTEGER]), graph.ints([1])];
    graph.node("Slice", [inputs, ...last], { outputs });
  } else graph.node("GatherElements", [inputs, kept], { outputs, attributes: { axis: 1 } });
  return linear(parts, output, graph.op("Mul", [third(1), sum]));
}

/**
 * Places of each row's last inputs of the convolution, i32 `[B, taps - 1, C]`. Rows are padded on
 * the right, so a row may end before the batch does. Counted from the start of the past, the places
 * start at the row's number of new tokens: its length if rows of different length start empty
 * (which they must), otherwise S. In 32 bits, which WebGPU supports.
 */
export function keptPositions(
  { graph, config }: GraphParts,
  inputIds: string,
  lastPositions: string,
): string {
  const older = (config.convolutionSize as number) - 1;
  const i32 = (name: string, shape: readonly number[], values: readonly number[]): string =>
    graph.initializer(`convolution.${name}`, "i32", shape, Int32Array.from(values));
  const length = graph.op("Add", [lastPositions, i32("one", [1], [1])]);
  const newTokens = graph.op("Slice", [
    graph.op("Shape", [inputIds]),
    graph.ints([1]),
    graph.ints([2]),
    graph.ints([0]),
  ]);
  const own = graph.op("Min", [length, graph.op("Cast", [newTokens], { attributes: { to: 6 } })]);
  const column = graph.op("Reshape", [own, graph.ints([-1, 1, 1])]);
  const steps = i32(
    "steps",
    [1, older, 1],
    Array.from({ length: older }, (_, i) => i),
  );
  const spread = i32("channels", [1, 1, config.width], Array<number>(config.width).fill(0));
  return graph.op("Add", [graph.op("Add", [column, steps]), spread]);
}
