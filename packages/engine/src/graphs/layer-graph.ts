/**
 * One decoder layer as an ONNX graph that serves all layers: weights are inputs. Forward outputs
 * the next hidden states. Backward recomputes the layer from its input and outputs the gradients of
 * the input and of trained tensors. Adapters are two thin products beside the frozen one, x·Wᵀ +
 * s·(x·Aᵀ)·Bᵀ, always in float32, so that no merged copy of a matrix exists.
 */
import { layerLinears, loraName, OnnxGraphBuilder } from "@waggle/model";
import type { DecoderConfig, ResidentFormat } from "@waggle/model";
import { declareLayerInputs, decoderLayer } from "./decoder-layer.ts";
import type { LinearName } from "./decoder-layer.ts";
import { declareMatrix } from "./graph-matrix.ts";
import { GraphTape } from "./graph-tape.ts";
import type { GraphTraits } from "./graph-tape.ts";
import { linear, rmsNorm } from "./tape-operations.ts";
import { LORA_RANK, LORA_SCALE } from "../decoder/trained-weights.ts";

export type LayerGraphOptions = {
  readonly traits: GraphTraits;
  readonly config: DecoderConfig;
  readonly format: ResidentFormat;
  /** Whether every linear has an adapter, of any rank. */
  readonly isLora: boolean;
  /** Names of trained tensors within the layer, see `layerTensors`. Backward only. */
  readonly trained: ReadonlySet<string>;
};

export const HIDDEN_GRADIENT = "gradient:hidden";
export const LAYER_OUTPUT = "output";

/** Names of a layer's tensors within the graph, by their names in a checkpoint or adapter. */
export function layerTensors(
  config: DecoderConfig,
  layer: number,
): {
  readonly weights: ReadonlyMap<string, string>;
  readonly adapter: ReadonlyMap<string, string>;
} {
  const prefix = `model.layers.${layer}.`;
  const all = layerLinears(config, layer);
  const linears = all.map(({ name }) => name);
  const biased = all.filter(({ hasBias }) => hasBias === true);
  const norms = ["input_layernorm", "post_attention_layernorm", ...headNorms(config)];
  const within = (name: string): string => name.slice(prefix.length);
  return {
    weights: new Map([
      ...linears.map((name) => [`${name}.weight`, within(name)] as const),
      ...biased.map(({ name }) => [`${name}.bias`, `${within(name)}.bias`] as const),
      ...norms.map((name) => [`${prefix}${name}.weight`, name] as const),
    ]),
    adapter: new Map(
      linears.flatMap((name) => [
        [loraName(name, "A"), `${within(name)}.A`] as const,
        [loraName(name, "B"), `${within(name)}.B`] as const,
      ]),
    ),
  };
}

/**
 * Inputs: `hidden` f32 `[N, C]`, weights and adapters under the names of `layerTensors`,
 * `LORA_SCALE` with adapters, those of `declareLayerInputs`; backward: `outputGradient` f32 `[N,
 * C]`. Output: `LAYER_OUTPUT` `[N, C]`; backward: `HIDDEN_GRADIENT` `[N, C]` and `gradient:{name}`
 * of every trained tensor.
 */
export function buildLayerGraph(
  options: LayerGraphOptions,
  pass: "forward" | "backward",
): Uint8Array {
  const { config, format, isLora, trained } = options;
  const builder = new OnnxGraphBuilder();
  const tape = new GraphTape(builder, options.traits);
  builder.input("hidden", "f32", ["N", config.width]);
  const isBackward = pass === "backward";
  if (isBackward) tape.track("hidden");
  const shapes = new Map<string, readonly (number | string)[]>();
  const declare = (name: string, shape: readonly (number | string)[]): string => {
    builder.input(name, "f32", shape);
    shapes.set(name, shape);
    if (isBackward && trained.has(name)) tape.track(name);
    return name;
  };
  declareLayerInputs(tape, config, pass, 1);
  declare("input_layernorm", [config.width]);
  declare("post_attention_layernorm", [config.width]);
  for (const name of headNorms(config)) declare(name, [config.headSize]);
  if (isLora) builder.input(LORA_SCALE, "f32", [1]);
  const linears = new Map(
    layerLinears(config, 0).map(({ name, inputSize, outputSize, hasBias }) => {
      const within = name.slice("model.layers.0.".length);
      const shape = { rows: outputSize, columns: inputSize };
      const weight =
        format === "f32"
          ? declare(within, [outputSize, inputSize])
          : declareMatrix(builder, within, shape, format, tape.products);
      const adapter = isLora
        ? {
            a: declare(`${within}.A`, [LORA_RANK, inputSize]),
            b: declare(`${within}.B`, [outputSize, LORA_RANK]),
          }
        : null;
      const bias = hasBias === true ? declare(`${within}.bias`, [outputSize]) : null;
      return [within, { weight, adapter, bias }] as const;
    }),
  );
  const apply = (name: LinearName, input: string, addend?: string): string => {
    const { weight, adapter } = linears.get(name) as { weight: string; adapter: Adapter | null };
    const frozen = linear(tape, input, weight, addend);
    if (adapter === null) return frozen;
    const thin = (from: string, matrix: string, sum?: string): string =>
      linear(tape, from, matrix, sum, tape.exactProducts);
    const narrow = scaled(tape, thin(input, adapter.a), LORA_SCALE);
    return thin(narrow, adapter.b, frozen);
  };
  const weights = {
    linear: apply,
    bias: (name: LinearName) => linears.get(name)?.bias ?? null,
    // one graph serves all layers: those without rotary embeddings are fed position 0
    isRotated: true,
    norm: (name: string) => name,
    blocks: 1,
  };
  const output = decoderLayer(tape, config, weights, "hidden");
  if (!isBackward) {
    builder.node("Identity", [output], { outputs: [LAYER_OUTPUT] });
    builder.output(LAYER_OUTPUT, "f32", ["N", config.width]);
    return builder.build();
  }
  builder.input("outputGradient", "f32", ["N", config.width]);
  tape.contribute(output, () => "outputGradient");
  tape.backward();
  const declareGradient = (name: string, label: string, shape: readonly (number | string)[]) => {
    builder.node("Identity", [tape.gradient(name) as string], { outputs: [label] });
    builder.output(label, "f32", shape);
  };
  declareGradient("hidden", HIDDEN_GRADIENT, ["N", config.width]);
  for (const name of trained) {
    declareGradient(name, `gradient:${name}`, shapes.get(name) as readonly (number | string)[]);
  }
  return builder.build();
}

/**
 * RMSNorm alone, for the norm before the logits: inputs `hidden` f32 `[K, C]` and `weight` `[C]`,
 * backward `outputGradient`; outputs `output`, or `HIDDEN_GRADIENT` and `gradient:weight`.
 */
export function buildNormGraph(
  { config, traits }: Pick<LayerGraphOptions, "config" | "traits">,
  pass: "forward" | "backward",
): Uint8Array {
  const builder = new OnnxGraphBuilder();
  const tape = new GraphTape(builder, traits);
  const shape = ["K", config.width];
  tape.track(builder.input("hidden", "f32", shape));
  tape.track(builder.input("weight", "f32", [config.width]));
  const output = rmsNorm(tape, "hidden", "weight", {
    size: config.width,
    epsilon: config.rmsNormEpsilon,
    isFlat: true,
  });
  const name = (tensor: string, label: string, dims: readonly (number | string)[]): void => {
    builder.node("Identity", [tensor], { outputs: [label] });
    builder.output(label, "f32", dims);
  };
  if (pass === "forward") {
    name(output, "output", shape);
    return builder.build();
  }
  builder.input("outputGradient", "f32", shape);
  tape.contribute(output, () => "outputGradient");
  tape.backward();
  name(tape.gradient("hidden") as string, HIDDEN_GRADIENT, shape);
  name(tape.gradient("weight") as string, "gradient:weight", [config.width]);
  return builder.build();
}

type Adapter = { readonly a: string; readonly b: string };

function headNorms({ modelType }: DecoderConfig): string[] {
  return modelType === "qwen3" ? ["self_attn.q_norm", "self_attn.k_norm"] : [];
}

/** @param factor a tensor of one element, not trained. */
function scaled(tape: GraphTape, input: string, factor: string): string {
  const output = tape.op("Mul", [input, factor]);
  tape.record(output, [input], (gradient) => {
    tape.add(input, () => tape.op("Mul", [gradient, factor]));
  });
  return output;
}
