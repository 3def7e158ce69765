/**
 * A decoder's base on one of onnxruntime's providers, planned before it is loaded: engines of one
 * model or of several are made over it. Where and how it runs is decided here, not what is trained.
 */
import { availableParallelism } from "node:os";
import { readResidentWeights, tensorMapSource } from "@waggle/model";
import type {
  Adapter,
  DecoderConfig,
  ResidentFormat,
  TensorSource,
  ValueHead,
} from "@waggle/model";
import { WaggleError } from "@waggle/protocol";
import type { TensorMap, TrainEngine } from "@waggle/protocol";
import type { CallLane } from "../decoder/call-queue.ts";
import { DecoderEngine } from "../decoder/decoder-engine.ts";
import type { DecoderBase } from "../decoder/decoder-runner.ts";
import { LayerBase } from "./layer-base.ts";
import { MemoryBudget } from "../memory/memory-budget.ts";
import { activationBytesPerToken, baseBytes, chooseCheckpointing } from "../memory/memory-plan.ts";
import type { Checkpointing, PlannedModel, Precision } from "../memory/memory-plan.ts";
import { USUAL_LENGTH } from "../batch/microbatch.ts";
import { chooseOnnxDevice } from "./onnx-device-choice.ts";
import { openOnnxDevice, requireHalf } from "./onnx-device.ts";
import type { OnnxDevice, OnnxProvider } from "./onnx-device.ts";
import { OnnxGraph } from "./onnx-graph.ts";
import { requireTrainable } from "../decoder/trainable-model.ts";
import { mapTensors } from "../decoder/trained-weights.ts";
import { ValueHeads } from "../decoder/value-heads.ts";
import { WholeBase } from "./whole-base.ts";

export type OnnxBaseOptions = {
  readonly config: DecoderConfig;
  /** Hugging Face names; never written to. A source is read one tensor at a time. */
  readonly weights: TensorMap | TensorSource;
  /** Default `auto`: the fastest provider that starts, never a software GPU. */
  readonly device?: "auto" | OnnxProvider;
  /** Threads of one graph, default: all that the machine offers. */
  readonly threads?: number;
  /**
   * How frozen matrices stay in memory: half of float32 (`f16`), or quantized, a quarter (`int8`) or an
   * eighth (`int4`), to become numbers again layer by layer. Default `f32`.
   */
  readonly base?: ResidentFormat;
  /**
   * Of the products of linears and logits, with gradients: `f16` multiplies float16 numbers, on a GPU
   * in about half the time. Attention, sums, norms, softmax, adapters, moments and what is trained stay
   * in float32. On `cpu` and `wasm` numbers are rounded alike and multiplied in float32: the same
   * training, not faster. Default `f32`.
   */
  readonly precision?: Precision;
  /**
   * `none`: one graph of the whole model, which keeps all activations. `layer`: layer by layer, each
   * computed again for its gradient, logits in tiles. Default `auto`: `none` where 512 tokens fit
   * into 1 GB of activations, the base is in `f32` and the memory suffices.
   */
  readonly checkpointing?: Checkpointing | "auto";
  /**
   * Bytes that training may take, checked here and before each batch. Default: what the machine or its
   * container has free when the base is opened.
   */
  readonly memoryLimit?: number;
  /**
   * Bound on the padded tokens of one microbatch, for memory; never changes results beyond
   * rounding. Default: what fits about 1 GB of activations, at most 1024, as more falls out of the
   * processor's caches (4096 was up to 40 % slower).
   */
  readonly maxMicrobatchTokens?: number;
  /** Most logits in memory at once with `layer`. Default 2 Mi. */
  readonly tileLogits?: number;
};

/** What one model over the base trains. */
export type OnnxModel = {
  /** Null where every parameter is trained. */
  readonly adapter: Adapter | null;
  readonly valueHead: ValueHead | null;
};

type OpenBase = {
  readonly config: DecoderConfig;
  readonly trains: "lora" | "full";
  readonly decoder: DecoderBase;
  readonly device: OnnxDevice;
  readonly precision: Precision;
  readonly maxTokens: number;
  readonly budget: MemoryBudget;
};

export class OnnxBase {
  readonly #open: OpenBase;
  /** One session serves all models. */
  readonly #lane: CallLane = { last: Promise.resolve() };

  private constructor(open: OpenBase) {
    this.#open = open;
  }

  /**
   * Plans for the model given and loads the weights.
   * @throws WaggleError as `createOnnxEngine`.
   */
  static async open(
    options: OnnxBaseOptions,
    trains: "lora" | "full",
    first: PlannedModel,
  ): Promise<OnnxBase> {
    const { config, base = "f32", precision = "f32", threads = availableParallelism() } = options;
    requireTrainable(config);
    if (base !== "f32" && (trains === "full" || options.checkpointing === "none")) {
      throw new WaggleError(
        "INVALID_ARGUMENT",
        `an ${base} base must be frozen and run layer by layer, got trains "${trains}", checkpointing "${options.checkpointing ?? "auto"}"; use lora with checkpointing "layer", or a base in f32`,
      );
    }
    if (!Number.isInteger(threads) || threads < 1) {
      throw new WaggleError(
        "INVALID_ARGUMENT",
        `threads must be a positive integer, got ${threads}; leave it out to use all`,
      );
    }
    const available = options.memoryLimit ?? process.availableMemory();
    const shape = { config, trains, base, precision };
    const checkpointing = chooseCheckpointing(options.checkpointing ?? "auto", {
      ...shape,
      ...first,
      memoryLimit: available,
    });
    const maxTokens = options.maxMicrobatchTokens ?? defaultMicrobatchTokens(config, checkpointing);
    // a frozen base in float32 is the caller's own, and in memory already
    const isShared = trains === "lora" && base === "f32" && !("tensors" in options.weights);
    const held = isShared && options.memoryLimit === undefined ? baseBytes(config, base) : 0;
    const budget = new MemoryBudget({
      ...shape,
      checkpointing,
      maxMicrobatchTokens: maxTokens,
      limit: available + held,
      chosen: {
        checkpointing: (options.checkpointing ?? "auto") !== "auto",
        maxMicrobatchTokens: options.maxMicrobatchTokens !== undefined,
      },
    });
    budget.checkModel(first);
    const { device: asked = "auto" } = options;
    const device =
      asked === "auto" ? await chooseOnnxDevice(threads) : await openOnnxDevice(asked, threads);
    if (base === "f16" || precision === "f16") await requireHalf(device);
    const decoder = await loadDecoder(options, trains, checkpointing, device);
    return new OnnxBase({ config, trains, decoder, device, precision, maxTokens, budget });
  }

  /**
   * An engine of its own gradients, moments and steps.
   * @param release called when it is disposed of.
   * @throws WaggleError `OUT_OF_MEMORY` where one more does not fit, `ADAPTER_INCOMPATIBLE` where it
   *   is not of this decoder.
   */
  createEngine({ adapter, valueHead }: OnnxModel, release: () => Promise<void>): TrainEngine {
    const { config, trains, decoder, device, precision, maxTokens, budget } = this.#open;
    const model = { rank: adapter?.rank ?? 0, valueHeads: valueHead?.heads ?? 0 };
    budget.checkModel(model);
    const runner = decoder.createRunner(adapter);
    const engine = new DecoderEngine(config, runner, {
      trains,
      device: device.label,
      precision,
      maxTokens,
      valueHeads: valueHead && new ValueHeads(config, valueHead),
      checkMemory: (microbatches) => budget.checkMicrobatches(microbatches),
      lane: this.#lane,
      release: async () => {
        budget.remove(model);
        await runner.dispose();
        return release();
      },
    });
    budget.add(model);
    return engine;
  }

  async dispose(): Promise<void> {
    const { decoder, device } = this.#open;
    await decoder.dispose();
    await device.resident?.dispose();
  }
}

async function loadDecoder(
  options: OnnxBaseOptions,
  trains: "lora" | "full",
  checkpointing: Checkpointing,
  device: OnnxDevice,
): Promise<DecoderBase> {
  const { config, weights, base = "f32", precision = "f32", tileLogits } = options;
  const { savesNormScale, hasAllKernels, halfProducts } = device;
  const products = precision === "f32" ? "f32" : halfProducts;
  const source = "tensors" in weights ? weights : tensorMapSource(weights);
  const resident = await readResidentWeights(config, source, base);
  if (checkpointing === "none") {
    return WholeBase.create(config, resident as TensorMap, { trains, device, products });
  }
  return new LayerBase({
    config,
    // trained in place, so that they must be copies
    weights:
      trains === "full" ? mapTensors(resident as TensorMap, (data) => data.slice()) : resident,
    trains,
    load: (bytes, held) => OnnxGraph.create(bytes, device, held),
    traits: { savesNormScale, hasAllKernels, products },
    resident: device.resident,
    ...(tileLogits === undefined ? {} : { tileLogits }),
  });
}

/** As many as fit about 1 GB of activations. */
function defaultMicrobatchTokens(config: DecoderConfig, checkpointing: Checkpointing): number {
  const length = Math.min(config.contextLength, USUAL_LENGTH);
  const tokens = Math.floor(1e9 / activationBytesPerToken(config, checkpointing, length));
  return Math.min(1024, Math.max(128, tokens));
}
