/**
 * Samples a token from one row of logits, with the numbers that training needs. The same code
 * samples and scores, so a recorded log-prob and a teacher-forced one differ only by the logits.
 * Sums accumulate in f64.
 */
import { WaggleError } from "@waggle/protocol";
import type { DrawInterval, Sampling } from "@waggle/protocol";
import { SoftmaxKernel } from "./softmax-kernel.ts";
import type { Weighing } from "./softmax-kernel.ts";
import { allowedIds, largest, nucleus, weigh } from "./support.ts";
import type { Candidates } from "./support.ts";

/** The parameters of a sampling distribution, without its seed. */
export type SamplingDistribution = Omit<Sampling, "seed">;

/** Scores of one token, in nats. */
export type TokenScore = {
  /** log π under mask, temperature and kept set. −Infinity if the token could not be sampled. */
  readonly behaviorLogProb: number;
  /** log π at temperature 1 over the full vocabulary. */
  readonly rawLogProb: number;
  /** Entropy under mask, temperature and kept set. */
  readonly entropy: number;
  /** The uniform numbers that select it, if they were asked for. */
  readonly drawInterval?: DrawInterval;
};

/** A sampled token with its scores and kept set. */
export type SampledToken = TokenScore & {
  readonly tokenId: number;
  /**
   * Ids left by top-k and top-p among those that the mask allows, ascending; `null` if they cut
   * nothing: a mask alone is not listed, because its grammar determines it.
   */
  readonly keptTokenIds: readonly number[] | null;
};

/** Ids that can be sampled, their weights in the kernel, and the full vocabulary at temperature 1. */
type Distribution = {
  readonly support: Candidates;
  readonly kept: readonly number[] | null;
  readonly temperature: number;
  readonly weighing: Weighing;
  readonly raw: Weighing;
};

/** Memory shared by all calls, which do not overlap. */
let scratch: { kernel: SoftmaxKernel; masked: Int32Array; top: Int32Array } | undefined;

/**
 * Draws one token: mask first, then temperature, top-k, top-p.
 *
 * @param logits - `[V]` finite or −Infinity.
 * @param uniform - in [0, 1).
 * @param allowed - bits of ids as in `GrammarMatcher.nextMask`, `null` for all.
 * @throws WaggleError `NON_FINITE_VALUE` if no allowed token has a finite logit, or a logit is NaN or
 *   +Infinity.
 */
export function sampleToken(
  logits: Float32Array,
  sampling: SamplingDistribution,
  uniform: number,
  allowed: Uint32Array | null = null,
): SampledToken {
  const candidates =
    allowed === null ? allOf(logits) : allowedIds(allowed, scratchOf(logits.length).masked);
  const distribution = distributionOf(logits, sampling, candidates);
  const { support, weighing } = distribution;
  const { weights } = scratchOf(logits.length).kernel;
  const tokenId = drawCandidate(support, weights, uniform * weighing.sum);
  const { behaviorLogProb, rawLogProb, entropy } = scoreUnder(logits, tokenId, distribution, true);
  return { tokenId, behaviorLogProb, rawLogProb, entropy, keptTokenIds: distribution.kept };
}

/**
 * The scores of a known token.
 *
 * @param logits - `[V]`.
 * @param kept - ids that could be sampled, ascending, `null` for all. Absent: those that top-k and
 *   top-p keep of these logits.
 * @param drawnAmong - ids that a mask allowed, ascending, `null` for all. If given, the score has a `drawInterval`.
 * @throws WaggleError `INVALID_ARGUMENT` if a given kept set does not have the token.
 */
export function scoreToken(
  logits: Float32Array,
  tokenId: number,
  sampling: SamplingDistribution,
  kept?: readonly number[] | null,
  drawnAmong?: readonly number[] | null,
): TokenScore {
  if (kept && !includesSorted(kept, kept.length, tokenId)) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `token ${tokenId} is not in its kept set of size ${kept.length}; pass the ids recorded with the sample, ascending`,
    );
  }
  const distribution =
    kept === undefined
      ? distributionOf(logits, sampling, allOf(logits))
      : keptDistribution(logits, sampling.temperature, kept);
  const { ids, count } = distribution.support;
  const isInSupport = ids === null || includesSorted(ids, count, tokenId);
  const score = scoreUnder(logits, tokenId, distribution, isInSupport);
  if (drawnAmong === undefined) return score;
  const isWhole = sampling.topK === 0 && sampling.topP === 1;
  const isSame = isWhole && (kept ?? null) === drawnAmong;
  const candidates =
    drawnAmong === null ? allOf(logits) : { ids: drawnAmong, count: drawnAmong.length };
  const drawn = isSame ? distribution : distributionOf(logits, sampling, candidates);
  return { ...score, drawInterval: drawInterval(logits, tokenId, drawn) };
}

/** The interval of `drawCandidate`'s numbers in which it returns the token. */
function drawInterval(
  logits: Float32Array,
  tokenId: number,
  { support: { ids, count }, weighing }: Distribution,
): DrawInterval {
  const { weights } = scratchOf(logits.length).kernel;
  let below = 0;
  for (let i = 0; i < count; i++) {
    const id = ids === null ? i : (ids[i] as number);
    const weight = weights[i] as number;
    if (id === tokenId) return [below / weighing.sum, (below + weight) / weighing.sum];
    if (id > tokenId) break;
    below += weight;
  }
  return [below / weighing.sum, below / weighing.sum];
}

/**
 * The distribution over the ids that top-k, then top-p keep of the candidates. O(V) except for the
 * ids in the bucket where top-p cuts.
 */
function distributionOf(
  logits: Float32Array,
  { temperature, topK, topP }: SamplingDistribution,
  candidates: Candidates,
): Distribution {
  const { kernel, top } = scratchOf(logits.length);
  const raw = rawWeighing(logits, kernel);
  const isCut = topK > 0 && topK < candidates.count;
  let support = candidates;
  let kept: readonly number[] | null = null;
  if (isCut) {
    const isGreedy = topK === 1 && candidates.ids === null;
    kept = isGreedy ? [logits.indexOf(raw.maxLogit)] : largest(logits, candidates, topK, top);
    support = { ids: kept, count: topK };
  }
  let weighing = weighingOf(logits, temperature, support, raw, kernel);
  if (topP < 1) {
    const ids = nucleus(logits, temperature, topP, support, kernel.weights, weighing);
    if (ids.length < support.count) {
      kept = ids;
      support = { ids, count: ids.length };
      weighing = weigh(logits, temperature, support, kernel);
    }
  }
  return { support, kept, temperature, weighing, raw };
}

function keptDistribution(
  logits: Float32Array,
  temperature: number,
  kept: readonly number[] | null,
): Distribution {
  const { kernel } = scratchOf(logits.length);
  const raw = rawWeighing(logits, kernel);
  const support = kept === null ? allOf(logits) : { ids: kept, count: kept.length };
  const weighing = weighingOf(logits, temperature, support, raw, kernel);
  return { support, kept, temperature, weighing, raw };
}

function allOf({ length }: Float32Array): Candidates {
  return { ids: null, count: length };
}

function rawWeighing(logits: Float32Array, kernel: SoftmaxKernel): Weighing {
  return assertFinite(weigh(logits, 1, allOf(logits), kernel));
}

/** Weights of the support; reuses the last ones if they are the same. */
function weighingOf(
  logits: Float32Array,
  temperature: number,
  support: Candidates,
  raw: Weighing,
  kernel: SoftmaxKernel,
): Weighing {
  if (temperature === 1 && support.ids === null) return raw;
  return assertFinite(weigh(logits, temperature, support, kernel));
}

function scoreUnder(
  logits: Float32Array,
  tokenId: number,
  { temperature, weighing, raw }: Distribution,
  isInSupport: boolean,
): TokenScore {
  const logit = logits[tokenId];
  if (logit === undefined) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `token id ${tokenId} is outside the vocabulary [0, ${logits.length}); it belongs to another tokenizer`,
    );
  }
  const logSum = Math.log(weighing.sum);
  const rawLogProb = logit - raw.maxLogit - (raw === weighing ? logSum : Math.log(raw.sum));
  const behaviorLogProb = isInSupport
    ? (logit - weighing.maxLogit) / temperature - logSum
    : Number.NEGATIVE_INFINITY;
  return {
    behaviorLogProb,
    rawLogProb,
    entropy: Math.max(0, logSum - weighing.weightedLogs / weighing.sum),
  };
}

/** The token at which the running sum of weights, by ascending id, exceeds `target`. */
function drawCandidate({ ids, count }: Candidates, weights: Float64Array, target: number): number {
  let running = 0;
  let last = -1;
  for (let i = 0; i < count; i++) {
    const weight = weights[i] as number;
    if (weight === 0) continue;
    running += weight;
    last = i;
    if (running > target) break;
  }
  // Because of rounding, the target may be at the very end.
  return ids === null ? last : (ids[last] as number);
}

function scratchOf(vocabularySize: number): NonNullable<typeof scratch> {
  if (scratch?.masked.length === vocabularySize) return scratch;
  scratch = {
    kernel: scratch?.kernel ?? new SoftmaxKernel(),
    masked: new Int32Array(vocabularySize),
    top: new Int32Array(vocabularySize),
  };
  return scratch;
}

function assertFinite(weighing: Weighing): Weighing {
  const { maxLogit, sum } = weighing;
  if (Number.isFinite(sum) && Number.isFinite(maxLogit) && sum > 0) return weighing;
  throw new WaggleError(
    "NON_FINITE_VALUE",
    `logits must be finite, got a maximum of ${maxLogit} and a softmax sum of ${sum}; the weights or the device are faulty, or a mask allows nothing`,
  );
}

function includesSorted(ids: Int32Array | readonly number[], count: number, id: number): boolean {
  let low = 0;
  let high = count - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const value = ids[middle] as number;
    if (value === id) return true;
    if (value < id) low = middle + 1;
    else high = middle - 1;
  }
  return false;
}
