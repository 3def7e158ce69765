/**
 * Runs a decoder layer by layer: one graph for all layers, fed with each layer's weights. The
 * forward pass keeps only the input of each layer; the backward pass recomputes each layer from it
 * (Chen et al. 2016, Training Deep Nets with Sublinear Memory Cost, arXiv:1604.06174). Logits are
 * computed in tiles. Costs a third more arithmetic than `WholeRunner`; memory hardly grows with
 * depth.
 */
import { layerKind } from "@waggle/model";
import type { Adapter } from "@waggle/model";
import type { Tensor, TensorMap } from "@waggle/protocol";
import type { DecoderRunner, RowDerivatives, RowOutputs } from "../decoder/decoder-runner.ts";
import { GradientScale } from "../decoder/gradient-scale.ts";
import type { Feed } from "../graphs/graph-matrix.ts";
import { heldArray } from "../decoder/held-tensor.ts";
import type { HeldTensor } from "../decoder/held-tensor.ts";
import type { GraphFeed } from "./onnx-graph.ts";
import type { LayerParts } from "../layer-parts.ts";
import { withoutRotation } from "./layer-feeds.ts";
import { HIDDEN_GRADIENT, LAYER_OUTPUT, layerTensors } from "../graphs/layer-graph.ts";
import type { Microbatch } from "../batch/microbatch.ts";
import { EMBEDDING, FINAL_NORM, headName } from "../graphs/training-graph.ts";
import { adapterParameters, LORA_SCALE, scaleFeed } from "../decoder/trained-weights.ts";

type Layer = {
  readonly isRotated: boolean;
  readonly feeds: readonly (readonly [string, Feed])[];
  /** Pairs of a trained tensor's name within the graph and the parameter's name. */
  readonly trained: readonly (readonly [string, string])[];
};

export class LayerRunner implements DecoderRunner {
  readonly parameters: TensorMap;
  readonly #base: LayerParts;
  readonly #layers: readonly Layer[];
  readonly #isFull: boolean;
  readonly #scale: GradientScale;
  #gradients = new Map<string, Float32Array>();

  /**
   * @param adapter null where the base's own weights are trained, in place.
   * @throws WaggleError `ADAPTER_INCOMPATIBLE` when the adapter is for another decoder.
   */
  constructor(base: LayerParts, adapter: Adapter | null) {
    const { config } = base;
    this.#base = base;
    this.#scale = new GradientScale(base.traits.products);
    this.#isFull = adapter === null;
    const parameters = adapter === null ? base.tensors : adapterParameters(config, adapter);
    this.parameters = parameters;
    base.resident?.keep(parameters.values());
    const scale: (readonly [string, Feed])[] =
      adapter === null ? [] : [[LORA_SCALE, scaleFeed(adapter)]];
    this.#layers = base.layers.map((weights, layer) => {
      const names = layerTensors(config, layer);
      const trained = Array.from(
        adapter === null ? names.weights : names.adapter,
        ([stored, name]) => [name, stored] as const,
      );
      const adapters = trained.map(
        ([name, stored]) => [name, parameters.get(stored) as Tensor] as const,
      );
      return {
        isRotated: layerKind(config, layer) !== "unrotated",
        trained,
        feeds: adapter === null ? weights : [...weights, ...adapters, ...scale],
      };
    });
  }

  async forward(microbatch: Microbatch): Promise<RowOutputs> {
    const hidden = await this.#finalHidden(microbatch, (input) => input.free());
    const normal = await this.#normalize(hidden);
    const outputs = await this.#base.head.outputs(normal, microbatch);
    return { ...outputs, hidden: microbatch.values && normal };
  }

  async backward(
    microbatch: Microbatch,
    derivatives: RowDerivatives,
  ): Promise<Float32Array | null> {
    const inputs: HeldTensor[] = [];
    try {
      return await this.#backward(microbatch, derivatives, inputs);
    } finally {
      for (const input of inputs) input.free();
    }
  }

  /** @param inputs receives each layer's input, and is emptied again. */
  async #backward(
    microbatch: Microbatch,
    derivatives: RowDerivatives,
    inputs: HeldTensor[],
  ): Promise<Float32Array | null> {
    const hidden = await this.#finalHidden(microbatch, (input) => inputs.push(input));
    const normal = await this.#normalize(hidden);
    const normalGradient = await this.#base.head.gradient(
      normal,
      microbatch,
      derivatives,
      this.#isFull ? this.#accumulator(headName(this.#base.config)) : null,
      this.#scale,
    );
    const { hiddenGradient } = derivatives;
    if (hiddenGradient !== null) addTo(normalGradient, hiddenGradient);
    const rows = await this.#normGradient(hidden, normalGradient, microbatch);
    let gradient = heldArray(this.#matrix(rows));
    const graph = await this.#base.graphs.layerGradient();
    const shared = await this.#sharedFeeds(microbatch, "backward");
    for (let layer = this.#layers.length - 1; layer >= 0; layer--) {
      const { feeds, trained, isRotated } = this.#layers[layer] as Layer;
      const input = inputs.at(-1) as HeldTensor;
      const { outputs, held } = await this.#scale.runHolding(
        graph,
        new Map<string, GraphFeed>([...shared(isRotated), ...feeds, ["hidden", input.feed]]),
        ["outputGradient", gradient],
        HIDDEN_GRADIENT,
      );
      inputs.pop()?.free();
      gradient.free();
      gradient = held;
      for (const [name, parameter] of trained) {
        addTo(this.#accumulator(parameter), outputs.get(`gradient:${name}`) as Float32Array);
      }
    }
    if (this.#isFull) this.#addEmbedded(microbatch.ids, await gradient.read());
    gradient.free();
    return microbatch.values && normal;
  }

  async gradients(): Promise<ReadonlyMap<string, Float32Array>> {
    return this.#gradients;
  }

  dropGradients(): void {
    this.#gradients = new Map();
    this.#scale.reset();
  }

  get overflows(): number {
    return this.#scale.overflows;
  }

  /** Graphs read the parameters themselves; only copies kept on a device must be refreshed. */
  async parametersChanged(): Promise<void> {
    await this.#base.resident?.changed(this.parameters.values());
    if (this.#isFull) await this.#base.head.changed();
  }

  async dispose(): Promise<void> {
    await this.#base.resident?.drop(this.parameters.values());
  }

  /**
   * The last layer's output for the needed rows, `[K, C]`.
   * @param done called with each layer's input after the layer has run.
   */
  async #finalHidden(
    microbatch: Microbatch,
    done: (input: HeldTensor) => void,
  ): Promise<Float32Array> {
    const { width } = this.#base.config;
    const { ids, rows } = microbatch;
    const graph = await this.#base.graphs.layer();
    const shared = await this.#sharedFeeds(microbatch, "forward");
    const embedded = new Float32Array(ids.length * width);
    ids.forEach((id, place) => embedded.set(this.#base.embedding.read(id, id + 1), place * width));
    let last = heldArray(this.#matrix(embedded));
    for (const { feeds, isRotated } of this.#layers) {
      const { held } = await graph.runHolding(
        new Map<string, GraphFeed>([...shared(isRotated), ...feeds, ["hidden", last.feed]]),
        LAYER_OUTPUT,
      );
      done(last);
      last = held;
    }
    const hidden = await last.read();
    last.free();
    const asked = new Float32Array(rows.length * width);
    rows.forEach((row, place) => {
      asked.set(hidden.subarray(row * width, (row + 1) * width), place * width);
    });
    return asked;
  }

  /** Feeds of a layer, depending on whether it has rotary embeddings. */
  async #sharedFeeds(
    microbatch: Microbatch,
    pass: "forward" | "backward",
  ): Promise<(isRotated: boolean) => readonly (readonly [string, Feed])[]> {
    const rotated = await this.#base.layerFeeds.of(microbatch, pass, 1);
    const still = withoutRotation(rotated);
    return (isRotated) => (isRotated ? rotated : still);
  }

  async #normalize(hidden: Float32Array): Promise<Float32Array> {
    const graph = await this.#base.graphs.norm();
    const outputs = await graph.run(
      new Map([
        ["hidden", this.#matrix(hidden)],
        ["weight", this.#base.finalNorm],
      ]),
    );
    return outputs.get("output") as Float32Array;
  }

  /** @returns the gradient of the last layer's output, `[N, C]`, zero in rows that are not needed. */
  async #normGradient(
    hidden: Float32Array,
    outputGradient: Float32Array,
    { rows, ids }: Microbatch,
  ): Promise<Float32Array> {
    const { width } = this.#base.config;
    const graph = await this.#base.graphs.normGradient();
    const outputs = await graph.run(
      new Map([
        ["hidden", this.#matrix(hidden)],
        ["weight", this.#base.finalNorm],
        ["outputGradient", this.#matrix(outputGradient)],
      ]),
    );
    if (this.#isFull) {
      addTo(this.#accumulator(FINAL_NORM), outputs.get("gradient:weight") as Float32Array);
    }
    const asked = outputs.get(HIDDEN_GRADIENT) as Float32Array;
    const gradient = new Float32Array(ids.length * width);
    rows.forEach((row, place) => {
      gradient.set(asked.subarray(place * width, (place + 1) * width), row * width);
    });
    return gradient;
  }

  #addEmbedded(ids: Int32Array, gradient: Float32Array): void {
    const { width } = this.#base.config;
    const sum = this.#accumulator(EMBEDDING);
    ids.forEach((id, place) => {
      const row = sum.subarray(id * width, (id + 1) * width);
      addTo(row, gradient.subarray(place * width, (place + 1) * width));
    });
  }

  #accumulator(parameter: string): Float32Array {
    let sum = this.#gradients.get(parameter);
    if (sum === undefined) {
      sum = new Float32Array((this.parameters.get(parameter) as Tensor).data.length);
      this.#gradients.set(parameter, sum);
    }
    return sum;
  }

  #matrix(data: Float32Array): Tensor {
    const { width } = this.#base.config;
    return { shape: [data.length / width, width], data };
  }
}

function addTo(sum: Float32Array, part: Float32Array): void {
  for (let i = 0; i < part.length; i++) sum[i] = (sum[i] as number) + (part[i] as number);
}
