/** A backend over the plain decoder, with optional faults that the suite must detect. Tests only. */
import { mergeAdapter, PlainDecoder } from "@waggle/model";
import type { Adapter, DecoderConfig } from "@waggle/model";
import type { TensorMap } from "@waggle/protocol";
import type {
  DecoderBackend,
  DecoderCache,
  DecoderRow,
  DecoderSession,
  RowResult,
} from "../backend/decoder-backend.ts";
import { sampleToken, scoreToken } from "../sampler.ts";
import type { SamplingDistribution } from "../sampler.ts";
import { plainScore, plainSupport } from "./plain-distribution.ts";

/** Silent faults: numbers are returned, but they are wrong. */
export type Fault =
  | "a head is off"
  | "long prefills lose a token"
  | "rows are mixed up"
  | "a fork shares what follows"
  | "truncation is forgotten"
  | "the first adapter stays"
  | "scale is ignored"
  | "the mask is ignored"
  | "scores are of temperature 1";

class PlainCache implements DecoderCache {
  tokenIds: number[] = [];
  readonly #fault: Fault | null;
  constructor(fault: Fault | null) {
    this.#fault = fault;
  }
  get length(): number {
    return this.tokenIds.length;
  }
  truncate(length: number): void {
    if (this.#fault === "truncation is forgotten") {
      // Like a kernel that reads stale positions: the length is right, the contents are not.
      this.tokenIds = this.tokenIds.slice(this.tokenIds.length - length);
    } else {
      this.tokenIds = this.tokenIds.slice(0, length);
    }
  }
  dispose(): void {}
}

/** @param fault - the fault to plant, `null` for none. */
export function plainBackend(
  config: DecoderConfig,
  weights: TensorMap,
  fault: Fault | null,
  maxRunTokens = 700,
): DecoderBackend {
  let first: Adapter | null = null;
  const base = fault === "a head is off" ? withWrongHead(config, weights) : weights;
  return {
    dtype: "f32",
    kernels: "plain loops",
    open: async (adapter, scale = 1) => {
      first ??= adapter;
      const wanted = fault === "the first adapter stays" && adapter !== null ? first : adapter;
      const factor = fault === "scale is ignored" ? 1 : scale;
      const scaled = wanted && { ...wanted, alpha: wanted.alpha * factor };
      const merged = scaled === null ? base : mergeAdapter(config, base, scaled);
      return plainSession(config, merged, fault, maxRunTokens);
    },
    memory: () => ({ weights: 0, adapters: 0, caches: 0, scratch: 0 }),
    dispose: async () => {},
  };
}

function plainSession(
  config: DecoderConfig,
  weights: TensorMap,
  fault: Fault | null,
  maxRunTokens: number,
): DecoderSession {
  const run = (rows: readonly DecoderRow[]): RowResult[] => {
    const results = rows.map((row) => {
      const cache = row.cache as PlainCache;
      const before = cache.length;
      const read = [...row.tokenIds];
      if (fault === "long prefills lose a token" && read.length > 31) read[3] = read[2] as number;
      cache.tokenIds.push(...read);
      const decoder = new PlainDecoder(config, weights);
      const logits = cache.tokenIds.map((id) => decoder.read(id)).slice(before);
      return answer(row, logits, fault);
    });
    return fault === "rows are mixed up" && rows.length > 2 ? results.toReversed() : results;
  };
  return {
    maxRunTokens,
    maxRunScores: maxRunTokens,
    maxRows: 8,
    createCache: () => new PlainCache(fault),
    fork: (cache, length) => {
      const from = cache as PlainCache;
      const copy = new PlainCache(fault);
      const isShared = fault === "a fork shares what follows" && length === from.length;
      copy.tokenIds = isShared ? from.tokenIds : from.tokenIds.slice(0, length);
      return copy;
    },
    run,
    release: () => {},
  };
}

function answer(row: DecoderRow, logits: Float64Array[], fault: Fault | null): RowResult {
  const { output } = row;
  if (output.kind === "none") return { sampled: null, scores: null };
  const seen = (distribution: SamplingDistribution): SamplingDistribution =>
    fault === "scores are of temperature 1" ? { ...distribution, temperature: 1 } : distribution;
  if (output.kind === "score") {
    const scores = output.targets.map((target, s) =>
      target === -1
        ? null
        : scoreToken(Float32Array.from(logits[s] ?? []), target, seen(output.distribution)),
    );
    return { sampled: null, scores };
  }
  const last = logits.at(-1) as Float64Array;
  const allowed = fault === "the mask is ignored" ? null : output.allowed;
  const support = plainSupport(last, output.distribution, allowed);
  const masked = Float32Array.from(last, (value, id) =>
    support.includes(id) ? value : Number.NEGATIVE_INFINITY,
  );
  const full = { ...output.distribution, topK: 0, topP: 1 };
  const { tokenId } = sampleToken(masked, full, output.uniform);
  const score = plainScore(last, tokenId, output.distribution.temperature, support);
  const keptTokenIds = support.length === last.length ? null : support;
  return { sampled: { tokenId, ...score, keptTokenIds }, scores: null };
}

/** Scales one query head of the last layer by 1.01. */
function withWrongHead(config: DecoderConfig, weights: TensorMap): TensorMap {
  const name = `model.layers.${config.layers - 1}.self_attn.q_proj.weight`;
  const tensor = weights.get(name);
  if (tensor === undefined) throw new Error(`no ${name}`);
  const size = config.headSize * config.width;
  // With head norms a scale of the projection has no effect; a shift between entries does.
  const data = tensor.data.map((value, i) => (i < size && i % 2 === 0 ? value * 1.01 : value));
  return new Map(weights).set(name, { shape: tensor.shape, data });
}
