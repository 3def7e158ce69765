/**
 * A decoder's base on one of onnxruntime's providers. Plans its memory before loading it and
 * decides how it runs; engines for one or several models are created over it.
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
import { Orthogonalizer } from "./orthogonalizer.ts";
import { requireTrainable } from "../decoder/trainable-model.ts";
import { mapTensors } from "../decoder/trained-weights.ts";
import { ValueHeads } from "../decoder/value-heads.ts";
import { WholeBase } from "./whole-base.ts";

/** Options of a base on onnxruntime. */
export type OnnxBaseOptions = {
  readonly config: DecoderConfig;
  /** By Hugging Face names; never written to. A source is read one tensor at a time. */
  readonly weights: TensorMap | TensorSource;
  /** Default `auto`: the fastest provider that starts, never a software GPU. */
  readonly device?: "auto" | OnnxProvider;
  /** Threads of one graph. Default: all of the machine's. */
  readonly threads?: number;
  /**
   * Format of frozen matrices in memory: `f16` takes half of float32, `int8` a quarter, `int4` an
   * eighth. They are converted back layer by layer. Default `f32`.
   */
  readonly base?: ResidentFormat;
  /**
   * Precision of the products of linears and logits and of their gradients. `f16` takes about half
   * the time on a GPU. Attention, sums, norms, softmax, adapters, moments and trained parameters
   * stay in float32. `cpu` and `wasm` round to f16 and multiply in float32: the same training, but
   * not faster. Default `f32`.
   */
  readonly precision?: Precision;
  /**
   * `none`: one graph of the whole model, which keeps all activations. `layer`: layer by layer,
   * each recomputed for its gradient, with logits in tiles. Default `auto`: `none` if the
   * activations of 512 tokens fit into 1 GB, the base is `f32` and memory suffices.
   */
  readonly checkpointing?: Checkpointing | "auto";
  /**
   * Bytes that training may take, checked here and before each batch. Default: free memory of the
   * machine or its container when the base is opened.
   */
  readonly memoryLimit?: number;
  /**
   * Limit on the tokens of a microbatch, padding included; bounds memory and changes results only
   * by rounding. Default: what fits into about 1 GB of activations, at most 1024, because more
   * exceeds the CPU's caches (4096 was up to 40 % slower).
   */
  readonly maxMicrobatchTokens?: number;
  /** Maximum logits in memory at once with `layer`. Default 2 Mi. */
  readonly tileLogits?: number;
};

/** What one model over the base trains. */
export type OnnxModel = {
  /** Null to train every parameter. */
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
  /** One session serves all models, so their calls take turns. */
  readonly #lane: CallLane = { last: Promise.resolve() };

  private constructor(open: OpenBase) {
    this.#open = open;
  }

  /**
   * Plans memory for a first model and loads the weights.
   * @throws WaggleError as `createOnnxEngine` does.
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
        `an ${base} base supports only trains "lora" with checkpointing "layer", not trains "${trains}" with checkpointing "${options.checkpointing ?? "auto"}"; change these options, or use a base in f32`,
      );
    }
    if (!Number.isInteger(threads) || threads < 1) {
      throw new WaggleError(
        "INVALID_ARGUMENT",
        `threads must be a positive integer, got ${threads}; leave it out to use all threads`,
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
    // a frozen float32 base in memory is the caller's own and not counted twice
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
   * Creates an engine with its own gradients, moments and steps.
   * @param release called when the engine is disposed of.
   * @throws WaggleError `OUT_OF_MEMORY` where one more does not fit, `ADAPTER_INCOMPATIBLE` where it
   *   is for another decoder.
   */
  createEngine({ adapter, valueHead }: OnnxModel, release: () => Promise<void>): TrainEngine {
    const { config, trains, decoder, device, precision, maxTokens, budget } = this.#open;
    const model = { rank: adapter?.rank ?? 0, valueHeads: valueHead?.heads ?? 0 };
    budget.checkModel(model);
    const runner = decoder.createRunner(adapter);
    const orthogonalizer = trains === "full" ? new Orthogonalizer(device) : null;
    const engine = new DecoderEngine(config, runner, {
      trains,
      device: device.label,
      precision,
      maxTokens,
      valueHeads: valueHead && new ValueHeads(config, valueHead),
      checkMemory: (microbatches) => budget.checkMicrobatches(microbatches),
      orthogonalize: orthogonalizer?.run ?? null,
      lane: this.#lane,
      release: async () => {
        budget.remove(model);
        await runner.dispose();
        await orthogonalizer?.dispose();
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
    // copies, because they are trained in place
    weights:
      trains === "full" ? mapTensors(resident as TensorMap, (data) => data.slice()) : resident,
    trains,
    load: (bytes, held) => OnnxGraph.create(bytes, device, held),
    traits: { savesNormScale, hasAllKernels, products },
    resident: device.resident,
    ...(tileLogits === undefined ? {} : { tileLogits }),
  });
}

/** Tokens whose activations fit into about 1 GB. */
function defaultMicrobatchTokens(config: DecoderConfig, checkpointing: Checkpointing): number {
  const length = Math.min(config.contextLength, USUAL_LENGTH);
  const tokens = Math.floor(1e9 / activationBytesPerToken(config, checkpointing, length));
  return Math.min(1024, Math.max(128, tokens));
}
