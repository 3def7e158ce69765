/**
 * Softmax statistics of some rows, accumulated tile by tile over the vocabulary; then the outputs of
 * each row and the factors of its gradient. Float64; the formulas are in `chunked-head.ts`.
 */
import type { LogitDerivatives } from "./decoder-runner.ts";
import type { Microbatch } from "../batch/microbatch.ts";
import type { LogitList, LogitValues } from "../batch/picked-logits.ts";

/** The part of a microbatch that describes rows whose next token is asked for. */
export type HeadRows = Pick<
  Microbatch,
  "targets" | "inverseTemperatures" | "keptTokenIds" | "candidateTokenIds"
>;

/** Statistics of the sampled distribution, under temperature and kept set. */
export type RowDistribution = {
  readonly normalizer: number;
  readonly logProb: number;
  readonly entropy: number;
  readonly sumSquaredProb: number;
};

/** Factors of the gradient of a row's logits, one of each per row. */
export type DenseFactors = {
  readonly normalizer: Float32Array;
  readonly scale: Float32Array;
  readonly entropyScale: Float32Array;
  readonly rawNormalizer: Float32Array;
  readonly rawScale: Float32Array;
};

/** One row's logits in the list: the taken token, then the kept set, then the candidates. */
type Span = { readonly taken: number; readonly candidates: number; readonly end: number };

/** Accumulates the statistics of rows `begin` onward. */
export class RowStatistics {
  readonly begin: number;
  readonly end: number;
  readonly isTempered: boolean;
  /** `[K]`, or null where all temperatures are 1. */
  readonly inverseTemperatures: Float32Array | null;
  /** Logits to pick, with rows counted from `begin`. */
  readonly logits: LogitList;
  readonly #rows: HeadRows;
  readonly #spans: readonly Span[];
  readonly #picked: Float32Array;
  readonly #sums: RunningSums;
  readonly #rawSums: RunningSums;

  constructor(rows: HeadRows, begin: number, end: number) {
    this.begin = begin;
    this.end = end;
    this.#rows = rows;
    const inverse = rows.inverseTemperatures?.slice(begin, end) ?? null;
    this.isTempered = inverse !== null && inverse.some((value) => value !== 1);
    this.inverseTemperatures = this.isTempered ? inverse : null;
    const listed: { row: number; id: number }[] = [];
    this.#spans = Array.from({ length: end - begin }, (_, index) => {
      const row = begin + index;
      const taken = listed.length;
      const add = (ids: Iterable<number>): void => {
        for (const id of ids) listed.push({ row: index, id });
      };
      add([rows.targets[row] as number]);
      add(new Set(rows.keptTokenIds?.[row]));
      const candidates = listed.length;
      add(rows.candidateTokenIds?.[row] ?? []);
      return { taken, candidates, end: listed.length };
    });
    this.logits = {
      rows: Int32Array.from(listed, ({ row }) => row),
      ids: Int32Array.from(listed, ({ id }) => id),
    };
    this.#picked = new Float32Array(listed.length);
    this.#sums = new RunningSums(end - begin);
    this.#rawSums = this.isTempered ? new RunningSums(end - begin) : this.#sums;
  }

  /** Adds one tile: the outputs of `buildHeadStatistics`, and the list entries that it picked. */
  add(tile: ReadonlyMap<string, Float32Array>, entries: Int32Array): void {
    const output = (name: string): Float32Array => tile.get(name) as Float32Array;
    this.#sums.add(output("largest"), output("sum"), output("information"), output("square"));
    if (this.isTempered) this.#rawSums.add(output("rawLargest"), output("rawSum"));
    const picked = output("picked");
    entries.forEach((entry, place) => (this.#picked[entry] = picked[place] as number));
  }

  /** @param row counted over all rows, as in the other methods. */
  row(row: number): {
    readonly distribution: RowDistribution;
    readonly rawNormalizer: number;
    readonly takenLogit: number;
  } {
    const index = row - this.begin;
    const takenLogit = this.#picked[(this.#spans[index] as Span).taken] as number;
    const rawNormalizer = this.#rawSums.normalizer(index);
    return { distribution: this.#distribution(row, takenLogit), rawNormalizer, takenLogit };
  }

  /** Logits of the row's candidates; null without any. */
  candidateLogits(row: number): Float32Array | null {
    const { candidates, end } = this.#spans[row - this.begin] as Span;
    const hasCandidates = (this.#rows.candidateTokenIds?.[row] ?? null) !== null;
    return hasCandidates ? this.#picked.slice(candidates, end) : null;
  }

  /** @param values receives the gradients of single logits, on top of the dense ones. */
  gradient(derivatives: LogitDerivatives, values: LogitValues): DenseFactors {
    const zeros = (): Float32Array => new Float32Array(this.end - this.begin);
    const factors = {
      normalizer: zeros(),
      scale: zeros(),
      entropyScale: zeros(),
      rawNormalizer: zeros(),
      rawScale: zeros(),
    };
    for (let row = this.begin; row < this.end; row++) {
      const index = row - this.begin;
      const { distribution, rawNormalizer } = this.row(row);
      const inverse = this.inverseTemperatures?.[index] ?? 1;
      const slope = (derivatives.logProb[row] as number) * inverse;
      const entropySlope = (derivatives.entropy[row] as number) * inverse;
      const raw = derivatives.rawLogProb[row] as number;
      values.add(index, this.#rows.targets[row] as number, slope + raw);
      const rawScale = raw + this.#addCandidates(row, derivatives, values);
      const ofSampled = -slope - entropySlope * distribution.entropy;
      const isKept = (this.#rows.keptTokenIds?.[row] ?? null) !== null;
      if (isKept) this.#addKept(row, distribution, { ofSampled, entropySlope, inverse }, values);
      factors.normalizer[index] = this.#sums.normalizer(index);
      factors.entropyScale[index] = isKept ? 0 : entropySlope;
      factors.scale[index] = (isKept ? 0 : ofSampled) - (this.isTempered ? 0 : rawScale);
      factors.rawNormalizer[index] = rawNormalizer;
      factors.rawScale[index] = rawScale;
    }
    return factors;
  }

  /** @returns the sum of the candidates' derivatives. */
  #addCandidates(
    row: number,
    { candidateLogProbs }: LogitDerivatives,
    values: LogitValues,
  ): number {
    const ids = this.#rows.candidateTokenIds?.[row] ?? [];
    let sum = 0;
    candidateLogProbs?.[row]?.forEach((derivative, place) => {
      values.add(row - this.begin, ids[place] as number, derivative);
      sum += derivative;
    });
    return sum;
  }

  #addKept(
    row: number,
    { normalizer }: RowDistribution,
    factor: { readonly ofSampled: number; readonly entropySlope: number; readonly inverse: number },
    values: LogitValues,
  ): void {
    const { taken, candidates } = this.#spans[row - this.begin] as Span;
    for (let entry = taken + 1; entry < candidates; entry++) {
      const logProb = (this.#picked[entry] as number) * factor.inverse - normalizer;
      const value = Math.exp(logProb) * (factor.ofSampled - factor.entropySlope * logProb);
      values.add(row - this.begin, this.logits.ids[entry] as number, value);
    }
  }

  #distribution(row: number, takenLogit: number): RowDistribution {
    const index = row - this.begin;
    const kept = this.#rows.keptTokenIds?.[row] ?? null;
    const inverse = this.inverseTemperatures?.[index] ?? 1;
    if (kept === null) {
      const whole = this.#sums.distribution(index);
      return { ...whole, logProb: takenLogit * inverse - whole.normalizer };
    }
    const { taken, candidates } = this.#spans[index] as Span;
    const picked = this.#picked.subarray(taken + 1, candidates);
    let largest = -Infinity;
    for (const logit of picked) largest = Math.max(largest, logit * inverse);
    let sum = 0;
    let information = 0;
    let square = 0;
    for (const logit of picked) {
      const u = logit * inverse - largest;
      const exp = Math.exp(u);
      sum += exp;
      information += u * exp;
      square += exp * exp;
    }
    const normalizer = largest + Math.log(sum);
    const isTakenKept = kept.includes(this.#rows.targets[row] as number);
    return {
      normalizer,
      logProb: isTakenKept ? takenLogit * inverse - normalizer : -Infinity,
      entropy: Math.log(sum) - information / sum,
      sumSquaredProb: square / (sum * sum),
    };
  }
}

/**
 * Over e^(t − largest), where `largest` is the maximum so far: Σ, Σ·(t − largest) and Σ of squares.
 */
class RunningSums {
  readonly #largest: Float64Array;
  readonly #sum: Float64Array;
  readonly #information: Float64Array;
  readonly #square: Float64Array;

  constructor(rows: number) {
    this.#largest = new Float64Array(rows).fill(-Infinity);
    this.#sum = new Float64Array(rows);
    this.#information = new Float64Array(rows);
    this.#square = new Float64Array(rows);
  }

  add(
    largest: Float32Array,
    sum: Float32Array,
    information: Float32Array = sum,
    square: Float32Array = sum,
  ): void {
    for (let row = 0; row < largest.length; row++) {
      const before = { largest: this.#largest[row] as number, sum: this.#sum[row] as number };
      const next = Math.max(before.largest, largest[row] as number);
      const here = Math.exp((largest[row] as number) - next);
      const shift = ((largest[row] as number) - next) * (sum[row] as number);
      let [newSum, newInformation, newSquare] = [
        here * (sum[row] as number),
        here * ((information[row] as number) + shift),
        here * here * (square[row] as number),
      ];
      if (before.sum > 0) {
        const old = Math.exp(before.largest - next);
        newSum += old * before.sum;
        newInformation +=
          old * ((this.#information[row] as number) + (before.largest - next) * before.sum);
        newSquare += old * old * (this.#square[row] as number);
      }
      this.#largest[row] = next;
      this.#sum[row] = newSum;
      this.#information[row] = newInformation;
      this.#square[row] = newSquare;
    }
  }

  normalizer(row: number): number {
    return (this.#largest[row] as number) + Math.log(this.#sum[row] as number);
  }

  distribution(row: number): Omit<RowDistribution, "logProb"> {
    const sum = this.#sum[row] as number;
    return {
      normalizer: this.normalizer(row),
      entropy: Math.log(sum) - (this.#information[row] as number) / sum,
      sumSquaredProb: (this.#square[row] as number) / (sum * sum),
    };
  }
}
