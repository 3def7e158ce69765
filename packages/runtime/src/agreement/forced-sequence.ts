/**
 * Forced decoding of one sequence: a backend reads given tokens in any pieces, and every number it
 * returns is compared with the plain decoder's at the same position.
 */
import { PlainDecoder } from "@waggle/model";
import type { DecoderConfig } from "@waggle/model";
import { WaggleError } from "@waggle/protocol";
import type { TensorMap } from "@waggle/protocol";
import type {
  DecoderCache,
  DecoderRow,
  DecoderSession,
  RowOutput,
  RowResult,
} from "../backend/decoder-backend.ts";
import type { SamplingDistribution, TokenScore } from "../sampler.ts";
import { keptGap, plainScore, plainSupport } from "./plain-distribution.ts";

/** The largest difference so far, in nats, and where. Infinite if a result is NaN. */
export class Deviation {
  nats = 0;
  where = "nowhere";
  /** Numbers compared. */
  count = 0;

  add(nats: number, where: string): void {
    this.count++;
    const size = Number.isNaN(nats) ? Number.POSITIVE_INFINITY : Math.abs(nats);
    if (size <= this.nats) return;
    this.nats = size;
    this.where = where;
  }
}

/** A token sequence, and the plain decoder's logits after each of its tokens. */
export class Reference {
  readonly tokenIds: readonly number[];
  readonly #decoder: PlainDecoder;
  readonly #logits: Float64Array[] = [];

  constructor(config: DecoderConfig, weights: TensorMap, tokenIds: readonly number[]) {
    this.tokenIds = tokenIds;
    this.#decoder = new PlainDecoder(config, weights);
  }

  /** Logits `[V]` after the token at `position`. */
  logits(position: number): Float64Array {
    while (this.#logits.length <= position) {
      this.#logits.push(this.#decoder.read(this.tokenIds[this.#logits.length] as number));
    }
    return this.#logits[position] as Float64Array;
  }
}

/** The results to ask for when reading a piece. */
export type Asked =
  | { readonly kind: "none" }
  | { readonly kind: "score"; readonly distribution: SamplingDistribution }
  | {
      readonly kind: "sample";
      readonly distribution: SamplingDistribution;
      readonly uniform: number;
      readonly allowed?: Uint32Array;
    };

/** A reference's sequence in a cache. */
export class ForcedSequence {
  readonly cache: DecoderCache;
  readonly #reference: Reference;
  readonly #deviation: Deviation;
  readonly #label: string;
  /** Tokens read. During a run, the cache is longer. */
  #read: number;
  #pending: { readonly from: number; readonly asked: Asked } | null = null;

  constructor(
    cache: DecoderCache,
    reference: Reference,
    deviation: Deviation,
    label: string,
    read = 0,
  ) {
    this.cache = cache;
    this.#reference = reference;
    this.#deviation = deviation;
    this.#label = label;
    this.#read = read;
  }

  /** All its tokens, including those still to be read. */
  get tokenIds(): readonly number[] {
    return this.#reference.tokenIds;
  }

  /** The row that reads the next `count` tokens. Its result must be passed to `check`. */
  row(count: number, asked: Asked): DecoderRow {
    const from = this.#read;
    const tokenIds = this.#reference.tokenIds.slice(from, from + count);
    this.#pending = { from, asked };
    this.#read += count;
    return { cache: this.cache, tokenIds, output: this.#output(from, count, asked) };
  }

  /** Compares the result of the last `row`. @returns the sampled token, if any. */
  check(result: RowResult | undefined): number | null {
    const pending = this.#pending;
    this.#pending = null;
    if (pending === null || result === undefined) {
      throw new WaggleError("INTERNAL", "check() was called before row()");
    }
    if (this.cache.length !== this.#read) {
      const { length } = this.cache;
      this.#deviation.add(Number.NaN, `${this.#label}: a cache of ${length}, not ${this.#read}`);
    }
    switch (pending.asked.kind) {
      case "none":
        return null;
      case "score":
        this.#checkScores(result, pending.from, pending.asked.distribution);
        return null;
      case "sample":
        return this.#checkSampled(result, pending.asked);
    }
  }

  /** Reads `count` tokens in runs that fit the session; `asked` applies to the last run. */
  async read(session: DecoderSession, count: number, asked: Asked): Promise<number | null> {
    let sampled: number | null = null;
    const end = this.#read + count;
    while (this.#read < end) {
      const most = asked.kind === "score" ? session.maxRunScores : Number.POSITIVE_INFINITY;
      const piece = Math.min(session.maxRunTokens, most, end - this.#read);
      const isLast = this.#read + piece === end;
      const now: Asked = isLast || asked.kind === "score" ? asked : { kind: "none" };
      const [result] = await session.run([this.row(piece, now)]);
      sampled = this.check(result);
    }
    return sampled;
  }

  #output(from: number, count: number, asked: Asked): RowOutput {
    switch (asked.kind) {
      case "none":
        return { kind: "none" };
      case "score": {
        const { tokenIds } = this.#reference;
        const targets = Array.from({ length: count }, (_, s) => tokenIds[from + s + 1] ?? -1);
        return { kind: "score", targets, distribution: asked.distribution };
      }
      case "sample":
        return { ...asked, allowed: asked.allowed ?? null };
    }
  }

  #checkScores({ scores }: RowResult, from: number, distribution: SamplingDistribution): void {
    for (let position = from; position < this.#read; position++) {
      const target = this.#reference.tokenIds[position + 1];
      if (target === undefined) continue;
      const logits = this.#reference.logits(position);
      const support = plainSupport(logits, distribution, null);
      const expected = plainScore(logits, target, distribution.temperature, support);
      this.#compare(scores?.[position - from], expected, `token ${position + 1}`);
    }
  }

  #checkSampled({ sampled }: RowResult, asked: Extract<Asked, { kind: "sample" }>): number | null {
    const { distribution, allowed = null } = asked;
    const logits = this.#reference.logits(this.#read - 1);
    const place = `token ${this.#read}, sampled`;
    // Ids excluded only by the mask are not listed; the grammar determines them again.
    const uncut = plainSupport(logits, { ...distribution, topK: 0, topP: 1 }, allowed);
    const kept = sampled?.keptTokenIds ?? uncut;
    const isKept = sampled !== null && kept.includes(sampled.tokenId);
    this.#deviation.add(isKept ? 0 : Number.NaN, `${this.#label}: ${place} outside its kept set`);
    if (sampled === null || !isKept) return null;
    const gap = keptGap(logits, distribution, allowed, kept);
    this.#deviation.add(gap, `${this.#label}: kept set of ${place}`);
    const expected = plainScore(logits, sampled.tokenId, distribution.temperature, kept);
    this.#compare(sampled, expected, place);
    return sampled.tokenId;
  }

  #compare(actual: TokenScore | null | undefined, expected: TokenScore, place: string): void {
    for (const name of ["behaviorLogProb", "rawLogProb", "entropy"] as const) {
      if (expected[name] === Number.NEGATIVE_INFINITY) {
        const isSame = actual?.[name] === Number.NEGATIVE_INFINITY;
        this.#deviation.add(isSame ? 0 : Number.NaN, `${this.#label}: ${name} of ${place}`);
        continue;
      }
      this.#deviation.add(
        (actual?.[name] ?? Number.NaN) - expected[name],
        `${this.#label}: ${name} of ${place}`,
      );
    }
  }
}
