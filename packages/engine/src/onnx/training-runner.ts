/**
 * Runs the training graphs of one decoder: builds and loads each variant when first needed, feeds
 * microbatches, reads outputs. Has no weights and no optimizer.
 */
import type { DecoderConfig } from "@waggle/model";
import type { Tensor, TensorMap } from "@waggle/protocol";
import type { RowDerivatives, RowOutputs } from "../decoder/decoder-runner.ts";
import type { GradientScale } from "../decoder/gradient-scale.ts";
import type { Feed } from "../graphs/graph-matrix.ts";
import { attentionBlocks, MASKED } from "../batch/attention-view.ts";
import { LayerFeeds } from "./layer-feeds.ts";
import type { ProductFormat } from "../graphs/matrix-products.ts";
import type { Microbatch } from "../batch/microbatch.ts";
import type { OnnxDevice, OnnxProvider } from "./onnx-device.ts";
import { OnnxGraph } from "./onnx-graph.ts";
import { LogitValues, picksByTile } from "../batch/picked-logits.ts";
import type { LogitList } from "../batch/picked-logits.ts";
import { buildTrainingGraph, FINAL_HIDDEN } from "../graphs/training-graph.ts";
import type { GraphVariant } from "../graph-variant.ts";

/** Outputs of a backward pass that are not linear in the derivatives. */
const NOT_GRADIENTS: ReadonlySet<string> = new Set([FINAL_HIDDEN]);

type LoadedGraph = { readonly graph: OnnxGraph; readonly gradients: ReadonlyMap<string, string> };

export class TrainingRunner {
  readonly #config: DecoderConfig;
  readonly #trained: ReadonlySet<string>;
  readonly #device: OnnxDevice;
  readonly products: ProductFormat;
  readonly #graphs = new Map<string, Promise<LoadedGraph>>();
  readonly #layerFeeds: LayerFeeds;

  constructor(
    config: DecoderConfig,
    trained: ReadonlySet<string>,
    device: OnnxDevice,
    products: ProductFormat,
  ) {
    this.#config = config;
    this.#trained = trained;
    this.#device = device;
    this.products = products;
    this.#layerFeeds = new LayerFeeds(config, device.resident);
  }

  async forward(weights: TensorMap, microbatch: Microbatch): Promise<RowOutputs> {
    const variant = variantOf(microbatch, "forward", this.#device.provider);
    const { graph } = await this.#load(variant);
    const feeds = await this.#feeds(weights, microbatch, "forward");
    const { candidateTokenIds } = microbatch;
    if (variant.candidates) this.#feedCandidates(feeds, listCandidates(microbatch));
    const outputs = await graph.run(feeds);
    const output = (name: string): Float32Array => outputs.get(name) ?? new Float32Array();
    const logProb = output("logProb");
    return {
      logProb,
      rawLogProb: variant.tempered ? output("rawLogProb") : logProb,
      entropy: output("entropy"),
      sumSquaredProb: output("sumSquaredProb"),
      candidateLogProbs: candidateTokenIds && splitRows(candidateTokenIds, outputs),
      hidden: outputs.get(FINAL_HIDDEN) ?? null,
    };
  }

  /**
   * @returns gradients by the weight's name, the two row gradients under their own names and, if values
   *   are asked for, `FINAL_HIDDEN`.
   */
  async backward(
    weights: TensorMap,
    microbatch: Microbatch,
    derivatives: RowDerivatives,
    scale: GradientScale,
  ): Promise<ReadonlyMap<string, Float32Array>> {
    const plain = microbatch.inverseTemperatures === null;
    const { rawLogProb, entropy, hiddenGradient } = derivatives;
    const candidates = new LogitValues();
    const ofRaw = rawLogProb.map((value, row) => {
      let sum = value;
      derivatives.candidateLogProbs?.[row]?.forEach((derivative, place) => {
        candidates.add(row, microbatch.candidateTokenIds?.[row]?.[place] as number, derivative);
        sum += derivative;
      });
      return sum;
    });
    const list = candidates.list();
    const variant: GraphVariant = {
      ...variantOf(microbatch, "backward", this.#device.provider),
      entropy: entropy.some((value) => value !== 0),
      raw: !plain && ofRaw.some((value) => value !== 0),
      candidates: list.ids.length > 0,
      hiddenGradient: hiddenGradient !== null,
    };
    const { graph, gradients } = await this.#load(variant);
    const feeds = await this.#feeds(weights, microbatch, "backward");
    const column = (data: Float32Array): Tensor => ({ shape: [data.length, 1], data });
    // At temperature 1 and full support both log-probs are the same.
    const logProb = derivatives.logProb.map((value, row) =>
      plain ? value + (ofRaw[row] as number) : value,
    );
    const takenScale = derivatives.logProb.map(
      (value, row) =>
        value * (microbatch.inverseTemperatures?.[row] ?? 1) + (rawLogProb[row] as number),
    );
    const given = new Map<string, Tensor>();
    if (variant.logits !== "none") {
      given.set("derivatives", column(logProb));
      given.set("takenScale", column(takenScale));
    }
    if (variant.entropy) given.set("entropyDerivatives", column(entropy));
    if (variant.raw) given.set("rawDerivatives", column(ofRaw));
    if (variant.candidates) {
      this.#feedCandidates(feeds, list);
      given.set("candidateDerivatives", { shape: [list.values.length], data: list.values });
    }
    const { batch, length, rows, targets } = microbatch;
    feeds.set("inverse", inverseOf(rows, batch * length));
    if (variant.logits === "some") {
      feeds.set("logitInverse", inverseOf(logitRows(targets), rows.length));
    }
    if (hiddenGradient !== null) {
      given.set("hiddenGradient", {
        shape: [rows.length, this.#config.width],
        data: hiddenGradient,
      });
    }
    const outputs = await scale.run(graph, { feeds, derivatives: given, others: NOT_GRADIENTS });
    return new Map(Array.from(outputs, ([name, data]) => [gradients.get(name) ?? name, data]));
  }

  async dispose(): Promise<void> {
    for (const loading of this.#graphs.values()) await (await loading).graph.dispose();
    this.#graphs.clear();
  }

  #load(variant: GraphVariant): Promise<LoadedGraph> {
    const key = JSON.stringify(variant);
    let loading = this.#graphs.get(key);
    if (loading === undefined) {
      const { bytes, gradients } = buildTrainingGraph(this.#config, variant, this.#trained, {
        savesNormScale: this.#device.savesNormScale,
        hasAllKernels: this.#device.hasAllKernels,
        products: this.products,
      });
      loading = OnnxGraph.create(bytes, this.#device).then((graph) => ({ graph, gradients }));
      this.#graphs.set(key, loading);
    }
    return loading;
  }

  #feedCandidates(feeds: Map<string, Feed>, list: LogitList): void {
    for (const { feed } of picksByTile(list, this.#config.vocabularySize, 1)) {
      feeds.set("candidates", feed);
    }
  }

  async #feeds(
    weights: TensorMap,
    microbatch: Microbatch,
    pass: "forward" | "backward",
  ): Promise<Map<string, Feed>> {
    const { length, ids, rows, targets, inverseTemperatures } = microbatch;
    const { provider } = this.#device;
    const feeds = new Map<string, Feed>([
      ...weights,
      ...(await this.#layerFeeds.of(microbatch, pass, attentionBlocks(length, provider))),
    ]);
    feeds.set("ids", { shape: [ids.length], data: ids });
    feeds.set("rows", { shape: [rows.length], data: rows });
    if (targets.length === 0) return feeds;
    feeds.set("targets", { shape: [targets.length, 1], data: targets });
    if (targets.length < rows.length) {
      feeds.set("logitRows", { shape: [targets.length], data: logitRows(targets) });
    }
    if (inverseTemperatures !== null) {
      feeds.set("inverseTemperatures", {
        shape: [targets.length, 1],
        data: inverseTemperatures,
      });
    }
    if (microbatch.keptTokenIds !== null) {
      feeds.set("keptMask", keptMask(microbatch.keptTokenIds, this.#config.vocabularySize));
    }
    return feeds;
  }
}

/** The first rows are those that predict a token. */
function logitRows(targets: Int32Array): Int32Array {
  return targets.map((_, row) => row);
}

/** i32 `[count]`: the new place of each row, or the number of rows for one that is left out. */
function inverseOf(rows: Int32Array, count: number): Feed {
  const data = new Int32Array(count).fill(rows.length);
  rows.forEach((row, index) => (data[row] = index));
  return { shape: [count], data };
}

function variantOf(
  microbatch: Microbatch,
  pass: "forward" | "backward",
  provider: OnnxProvider,
): GraphVariant {
  const { rows, targets } = microbatch;
  return {
    pass,
    blocks: attentionBlocks(microbatch.length, provider),
    tempered: microbatch.inverseTemperatures !== null,
    masked: microbatch.keptTokenIds !== null,
    entropy: false,
    raw: false,
    candidates: microbatch.candidateTokenIds?.some((ids) => (ids?.length ?? 0) > 0) ?? false,
    logits: targets.length === 0 ? "none" : targets.length < rows.length ? "some" : "all",
    hidden: microbatch.values !== null,
    hiddenGradient: false,
  };
}

/** All candidates, row by row, including repeated ones. */
function listCandidates({ candidateTokenIds }: Microbatch): LogitList {
  const pairs = (candidateTokenIds ?? []).flatMap((ids, row) =>
    (ids ?? []).map((id) => ({ row, id })),
  );
  return {
    rows: Int32Array.from(pairs, ({ row }) => row),
    ids: Int32Array.from(pairs, ({ id }) => id),
  };
}

function splitRows(
  candidateTokenIds: readonly (readonly number[] | null)[],
  outputs: ReadonlyMap<string, Float32Array>,
): (Float32Array | null)[] {
  const values = outputs.get("candidateLogProbs") ?? new Float32Array();
  let at = 0;
  return candidateTokenIds.map((ids) => {
    if (ids === null) return null;
    const row = values.slice(at, at + ids.length);
    at += ids.length;
    return row;
  });
}

function keptMask(
  keptTokenIds: readonly (readonly number[] | null)[],
  vocabularySize: number,
): Tensor {
  const data = new Float32Array(keptTokenIds.length * vocabularySize);
  keptTokenIds.forEach((kept, row) => {
    if (kept === null) return;
    const start = row * vocabularySize;
    data.fill(-MASKED, start, start + vocabularySize);
    for (const id of kept) data[start + id] = 0;
  });
  return { shape: [keptTokenIds.length, vocabularySize], data };
}
