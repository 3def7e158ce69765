/**
 * Per-token outputs and gradients of a softmax over a vocabulary of any size, tile by tile. Only one
 * tile of logits is in memory, plus the logits of kept sets and candidates. Sums over tiles are in
 * float64, by the running maximum of Milakov and Gimelshein 2018, Online normalizer calculation for
 * softmax, arXiv:1805.02867, extended to Σ p·log p and Σ p².
 * With t = z/τ, p = softmax(t) over the kept set, q = softmax(z), of the taken token y:
 *   d logProb/dz = (onehot(y) − p)/τ,  d entropy/dz = −p∘(log p + H)/τ,  d log q(c)/dz = onehot(c) − q.
 */
import type { Tensor } from "@waggle/protocol";
import type { LoadGraph, LogitDerivatives, LogitOutputs } from "./decoder-runner.ts";
import type { OnnxGraph } from "../onnx/onnx-graph.ts";
import { matrixFeeds } from "../graphs/graph-matrix.ts";
import type { Feed, GraphMatrix } from "../graphs/graph-matrix.ts";
import { buildHeadGradient, buildHeadStatistics, HEAD_WEIGHT } from "../graphs/head-graphs.ts";
import type { GradientVariant, StatisticsVariant } from "../graphs/head-graphs.ts";
import { RowStatistics } from "./head-statistics.ts";
import type { HeadRows } from "./head-statistics.ts";
import type { GradientScale } from "./gradient-scale.ts";
import type { ProductFormat } from "../graphs/matrix-products.ts";
import type { ResidentTensors } from "../onnx/resident-tensors.ts";
import { LogitValues, picksByTile } from "../batch/picked-logits.ts";
import type { TilePicks } from "../batch/picked-logits.ts";

export type ChunkedHeadOptions = {
  readonly load: LoadGraph;
  readonly products: ProductFormat;
  /** Tensors of the device that `load` targets; null for the CPU. */
  readonly resident?: ResidentTensors | null;
  /**
   * Maximum logits of a tile. Default 2 Mi (8 MB), which stays near the CPU's caches; 16 Mi where the
   * matrix stays on a device, because each run there costs a round trip.
   */
  readonly tileLogits?: number;
  /** Maximum rows of a tile. Default 512, so that the matrix is rarely repacked. */
  readonly tileRows?: number;
};

/** Rows `begin` to `end` of the vocabulary, with the tensors fed for them. */
type Tile = {
  readonly begin: number;
  readonly end: number;
  readonly feeds: readonly (readonly [string, Feed])[];
};

/** Computes the outputs of a head and their gradients. */
export class ChunkedHead {
  readonly #matrix: GraphMatrix;
  readonly #load: LoadGraph;
  readonly #products: ProductFormat;
  readonly #resident: ResidentTensors | null;
  readonly #tileLogits: number;
  readonly #tileRows: number;
  readonly #graphs = new Map<string, Promise<OnnxGraph>>();
  #tiles: readonly Tile[] = [];
  #tileWidth = 0;

  /** @param matrix `[V, C]`; trainable float32 data is read afresh in each call. */
  constructor(matrix: GraphMatrix, options: ChunkedHeadOptions) {
    const { load, products, resident = null, tileLogits, tileRows } = options;
    this.#matrix = matrix;
    this.#load = load;
    this.#products = products;
    this.#resident = resident;
    this.#tileLogits = tileLogits ?? (resident === null ? 2 ** 21 : 2 ** 24);
    this.#tileRows = tileRows ?? 512;
  }

  /** @param hidden `[K, C]`; its first rows belong to `rows`. */
  async outputs(hidden: Float32Array, rows: HeadRows): Promise<LogitOutputs> {
    const count = rows.targets.length;
    const outputs = {
      logProb: new Float32Array(count),
      rawLogProb: new Float32Array(count),
      entropy: new Float32Array(count),
      sumSquaredProb: new Float32Array(count),
      candidateLogProbs:
        rows.candidateTokenIds === null
          ? null
          : rows.targets.length === 0
            ? []
            : Array<Float32Array | null>(count).fill(null),
    };
    for (const block of this.#blocks(count)) {
      const statistics = await this.#statistics(hidden, rows, block);
      for (let row = block.begin; row < block.end; row++) {
        const { distribution, rawNormalizer, takenLogit } = statistics.row(row);
        outputs.logProb[row] = distribution.logProb;
        outputs.rawLogProb[row] = takenLogit - rawNormalizer;
        outputs.entropy[row] = distribution.entropy;
        outputs.sumSquaredProb[row] = distribution.sumSquaredProb;
        const candidates = statistics.candidateLogits(row);
        if (outputs.candidateLogProbs !== null && candidates !== null) {
          outputs.candidateLogProbs[row] = candidates.map((logit) => logit - rawNormalizer);
        }
      }
    }
    return outputs;
  }

  /**
   * @param hidden `[K, C]`; its first rows belong to `rows`.
   * @param weightGradient `[V, C]`, added to in place; null where the matrix is frozen.
   * @param scale the loss scale of the caller.
   * @returns the gradient of the hidden states `[K, C]`, zero in the remaining rows.
   */
  async gradient(
    hidden: Float32Array,
    rows: HeadRows,
    derivatives: LogitDerivatives,
    weightGradient: Float32Array | null,
    scale: GradientScale,
  ): Promise<Float32Array> {
    const gradient = new Float32Array(hidden.length);
    const { columns } = this.#matrix;
    for (const block of this.#blocks(rows.targets.length)) {
      const statistics = await this.#statistics(hidden, rows, block);
      const part = await this.#blockGradient(
        hidden,
        statistics,
        derivatives,
        weightGradient,
        scale,
      );
      gradient.set(part, block.begin * columns);
    }
    return gradient;
  }

  /** Must be called after the matrix has changed. */
  async changed(): Promise<void> {
    await this.#resident?.changed(tileTensors(this.#tiles));
  }

  async dispose(): Promise<void> {
    await this.#resident?.drop(tileTensors(this.#tiles));
    for (const graph of this.#graphs.values()) await (await graph).dispose();
    this.#graphs.clear();
  }

  #blocks(count: number): { readonly begin: number; readonly end: number }[] {
    const blocks = Math.ceil(count / this.#tileRows);
    const size = Math.ceil(count / blocks);
    return Array.from({ length: blocks }, (_, index) => ({
      begin: index * size,
      end: Math.min(count, (index + 1) * size),
    }));
  }

  async #statistics(
    hidden: Float32Array,
    rows: HeadRows,
    { begin, end }: { readonly begin: number; readonly end: number },
  ): Promise<RowStatistics> {
    const statistics = new RowStatistics(rows, begin, end);
    const variant: StatisticsVariant = { tempered: statistics.isTempered };
    const graph = await this.#graph("statistics", variant, () =>
      buildHeadStatistics(variant, this.#matrix, this.#products),
    );
    const fixed = this.#rowFeeds(hidden, statistics);
    const tiles = this.#tilesFor(end - begin);
    const picks = picksByTile(statistics.logits, this.#tileWidth, tiles.length);
    for (const [index, tile] of tiles.entries()) {
      const tilePicks = picks[index] as TilePicks;
      const feeds = new Map<string, Feed>([...fixed, ...tile.feeds, ["picks", tilePicks.feed]]);
      statistics.add(await graph.run(feeds), tilePicks.entries);
    }
    return statistics;
  }

  async #blockGradient(
    hidden: Float32Array,
    statistics: RowStatistics,
    derivatives: LogitDerivatives,
    weightGradient: Float32Array | null,
    scale: GradientScale,
  ): Promise<Float32Array> {
    const { begin, end, isTempered } = statistics;
    const count = end - begin;
    const { columns } = this.#matrix;
    const values = new LogitValues();
    const dense = statistics.gradient(derivatives, values);
    const list = values.list();
    const variant: GradientVariant = {
      tempered: isTempered,
      entropy: dense.entropyScale.some((value) => value !== 0),
      trained: weightGradient !== null,
    };
    const graph = await this.#graph("gradient", variant, () =>
      buildHeadGradient(variant, this.#matrix, this.#products),
    );
    const column = (data: Float32Array): Tensor => ({ shape: [count, 1], data });
    const fixed = this.#rowFeeds(hidden, statistics);
    fixed.set("normalizer", column(dense.normalizer));
    if (isTempered) fixed.set("rawNormalizer", column(dense.rawNormalizer));
    const scales = new Map([["scale", column(dense.scale)]]);
    if (variant.entropy) scales.set("entropyScale", column(dense.entropyScale));
    if (isTempered) scales.set("rawScale", column(dense.rawScale));
    const tiles = this.#tilesFor(count);
    const picks = picksByTile(list, this.#tileWidth, tiles.length);
    let sum: Float32Array = new Float32Array(count * columns);
    for (const [index, tile] of tiles.entries()) {
      const { entries, feed } = picks[index] as TilePicks;
      const picked = new Float32Array(Math.max(1, entries.length));
      entries.forEach((entry, place) => (picked[place] = list.values[entry] as number));
      const outputs = await scale.run(graph, {
        feeds: new Map<string, Feed>([...fixed, ...tile.feeds, ["picks", feed]]),
        derivatives: new Map([
          ...scales,
          ["pickedGradients", { shape: [picked.length], data: picked }],
        ]),
        carried: [["sum", { shape: [count, columns], data: sum }]],
      });
      sum = outputs.get("hiddenGradient") as Float32Array;
      if (weightGradient !== null) {
        addTo(weightGradient, tile.begin * columns, outputs.get("weightGradient") as Float32Array);
      }
    }
    return sum;
  }

  #rowFeeds(
    hidden: Float32Array,
    { begin, end, inverseTemperatures }: RowStatistics,
  ): Map<string, Feed> {
    const { columns } = this.#matrix;
    const rows = hidden.subarray(begin * columns, end * columns);
    const feeds = new Map<string, Feed>([
      ["hidden", { shape: [end - begin, columns], data: rows }],
    ]);
    if (inverseTemperatures !== null) {
      feeds.set("inverseTemperatures", { shape: [end - begin, 1], data: inverseTemperatures });
    }
    return feeds;
  }

  #graph(
    kind: "statistics" | "gradient",
    variant: StatisticsVariant | GradientVariant,
    build: () => Uint8Array,
  ): Promise<OnnxGraph> {
    const key = kind + JSON.stringify(variant);
    let loading = this.#graphs.get(key);
    if (loading === undefined) {
      loading = this.#load(build());
      this.#graphs.set(key, loading);
    }
    return loading;
  }

  /**
   * Retiles only when the tile width changes, so that fed tensors stay the same. On a device, the width
   * is that for the maximum number of rows, so it never changes.
   */
  #tilesFor(rows: number): readonly Tile[] {
    const { rows: vocabulary } = this.#matrix;
    const each = this.#resident === null ? rows : this.#tileRows;
    const most = Math.max(1, Math.floor(this.#tileLogits / each));
    const width = Math.ceil(vocabulary / Math.ceil(vocabulary / most));
    if (width !== this.#tileWidth) {
      this.#tileWidth = width;
      this.#tiles = Array.from({ length: Math.ceil(vocabulary / width) }, (_, index) => {
        const begin = index * width;
        const end = Math.min(vocabulary, begin + width);
        return { begin, end, feeds: matrixFeeds(HEAD_WEIGHT, this.#matrix, begin, end) };
      });
      this.#resident?.keep(tileTensors(this.#tiles));
    }
    return this.#tiles;
  }
}

function tileTensors(tiles: readonly Tile[]): Feed[] {
  return tiles.flatMap(({ feeds }) => feeds.map(([, feed]) => feed));
}

/** sum[from + i] += part[i]. */
function addTo(sum: Float32Array, from: number, part: Float32Array): void {
  for (let i = 0; i < part.length; i++) {
    sum[from + i] = (sum[from + i] as number) + (part[i] as number);
  }
}
