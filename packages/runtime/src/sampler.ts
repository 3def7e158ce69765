/**
 * From one row of logits to one token, with the numbers that training needs about it. The same code
 * samples and scores, so a recorded log-prob and a teacher-forced one differ only by the logits.
 * Sums accumulate in f64.
 */
import { WaggleError } from "@waggle/protocol";
import type { Sampling } from "@waggle/protocol";

/** The shape of a sampling distribution, without its seed. */
export type SamplingDistribution = Omit<Sampling, "seed">;

/** Numbers of one token, in nats. */
export type TokenScore = {
  /** log π under temperature and kept set. −Infinity where the token is not in the kept set. */
  readonly behaviorLogProb: number;
  /** log π at temperature 1 over the full vocabulary. */
  readonly rawLogProb: number;
  /** Entropy under temperature and kept set. */
  readonly entropy: number;
};

export type SampledToken = TokenScore & {
  readonly tokenId: number;
  /** Ids that could be sampled, ascending; `null` where all could. */
  readonly keptTokenIds: readonly number[] | null;
};

/** A softmax over a kept set: π(v) = exp(logit(v) / temperature − max) / sum. */
type Softmax = { readonly max: number; readonly sum: number; readonly entropy: number };

/**
 * Draws one token.
 *
 * @param logits - `[V]` finite or −Infinity.
 * @param random - a number in [0, 1); called once.
 * @throws WaggleError `NON_FINITE_VALUE` when no token has a finite logit, or one is NaN or +Infinity.
 */
export function sampleToken(
  logits: Float32Array,
  sampling: SamplingDistribution,
  random: () => number,
): SampledToken {
  const kept = supportOf(logits, sampling);
  const softmax = softmaxOver(logits, sampling.temperature, kept);
  const tokenId = drawFrom(logits, sampling.temperature, kept, softmax, random() * softmax.sum);
  return {
    tokenId,
    ...scoreUnder(logits, tokenId, sampling.temperature, kept, softmax),
    keptTokenIds: kept,
  };
}

/**
 * The numbers of a token that is already known.
 *
 * @param logits - `[V]`.
 * @param kept - ids that could be sampled, ascending, `null` for all; absent = what top-k and top-p
 *   keep of these logits.
 * @throws WaggleError `INVALID_ARGUMENT` when a kept set is given that lacks the token.
 */
export function scoreToken(
  logits: Float32Array,
  tokenId: number,
  sampling: SamplingDistribution,
  kept?: readonly number[] | null,
): TokenScore {
  const support = kept === undefined ? supportOf(logits, sampling) : kept;
  if (kept && !includesSorted(kept, tokenId)) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `a kept set must hold its token, got ${kept.length} ids without ${tokenId}; pass the ids recorded with the sample, ascending`,
    );
  }
  const softmax = softmaxOver(logits, sampling.temperature, support);
  return scoreUnder(logits, tokenId, sampling.temperature, support, softmax);
}

/**
 * The ids that top-k, then top-p keep, ascending; `null` where neither restricts. Among equal logits
 * the lower id is kept first. O(V) except for the ids in the bucket where top-p cuts.
 *
 * @param logits - `[V]`.
 */
export function supportOf(
  logits: Float32Array,
  { temperature, topK, topP }: SamplingDistribution,
): readonly number[] | null {
  const byCount = topK > 0 && topK < logits.length ? largest(logits, topK) : null;
  const kept = topP < 1 ? nucleus(logits, temperature, topP, byCount) : byCount;
  return kept !== null && kept.length < logits.length ? kept : null;
}

function scoreUnder(
  logits: Float32Array,
  tokenId: number,
  temperature: number,
  kept: readonly number[] | null,
  softmax: Softmax,
): TokenScore {
  const logit = logits[tokenId];
  if (logit === undefined) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `a token id must be in [0, ${logits.length}), got ${tokenId}; it belongs to another tokenizer`,
    );
  }
  const inSupport = kept === null || includesSorted(kept, tokenId);
  const behaviorLogProb = inSupport
    ? logit / temperature - softmax.max - Math.log(softmax.sum)
    : Number.NEGATIVE_INFINITY;
  const isRaw = temperature === 1 && kept === null;
  const raw = isRaw ? softmax : softmaxOver(logits, 1, null);
  return {
    behaviorLogProb,
    rawLogProb: isRaw ? behaviorLogProb : logit - raw.max - Math.log(raw.sum),
    entropy: softmax.entropy,
  };
}

function softmaxOver(
  logits: Float32Array,
  temperature: number,
  kept: readonly number[] | null,
): Softmax {
  const count = kept === null ? logits.length : kept.length;
  let maxLogit = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < count; i++) {
    const logit = logits[kept === null ? i : (kept[i] as number)] as number;
    if (logit > maxLogit) maxLogit = logit;
  }
  const max = maxLogit / temperature;
  let sum = 0;
  let weighted = 0;
  for (let i = 0; i < count; i++) {
    const logit = logits[kept === null ? i : (kept[i] as number)] as number;
    const difference = logit / temperature - max;
    const weight = Math.exp(difference);
    sum += weight;
    // exp underflows to 0 long before the difference overflows; 0 · −Infinity would be NaN.
    if (weight !== 0) weighted += weight * difference;
  }
  if (!Number.isFinite(sum) || !Number.isFinite(max)) {
    throw new WaggleError(
      "NON_FINITE_VALUE",
      `logits must be finite, got a maximum of ${maxLogit} and a softmax sum of ${sum}; the weights or the device are faulty`,
    );
  }
  return { max, sum, entropy: Math.max(0, Math.log(sum) - weighted / sum) };
}

/** The token where the running sum of weights, in ascending id order, passes `target`. */
function drawFrom(
  logits: Float32Array,
  temperature: number,
  kept: readonly number[] | null,
  { max }: Softmax,
  target: number,
): number {
  const count = kept === null ? logits.length : kept.length;
  let running = 0;
  let last = -1;
  for (let i = 0; i < count; i++) {
    const id = kept === null ? i : (kept[i] as number);
    const weight = Math.exp((logits[id] as number) / temperature - max);
    if (weight === 0) continue;
    running += weight;
    last = id;
    if (running > target) return id;
  }
  return last; // rounding left the target at the very end
}

/** Ids of the k largest logits, ascending: a min-heap of k that most of the row never enters. */
function largest(logits: Float32Array, k: number): number[] {
  const heap = new Int32Array(k);
  const isWorse = (a: number, b: number): boolean => {
    const difference = (logits[a] as number) - (logits[b] as number);
    return difference < 0 || (difference === 0 && a > b);
  };
  const sink = (start: number): void => {
    for (let parent = start; ;) {
      let child = 2 * parent + 1;
      if (child >= k) return;
      if (child + 1 < k && isWorse(heap[child + 1] as number, heap[child] as number)) child++;
      const childId = heap[child] as number;
      const parentId = heap[parent] as number;
      if (!isWorse(childId, parentId)) return;
      heap[parent] = childId;
      heap[child] = parentId;
      parent = child;
    }
  };
  for (let id = 0; id < k; id++) heap[id] = id;
  for (let parent = (k >> 1) - 1; parent >= 0; parent--) sink(parent);
  let worst = logits[heap[0] as number] as number;
  for (let id = k; id < logits.length; id++) {
    if ((logits[id] as number) > worst) {
      heap[0] = id;
      sink(0);
      worst = logits[heap[0] as number] as number;
    }
  }
  return Array.from(heap.sort());
}

const BUCKETS = 512;
const BUCKETS_PER_NAT = 8;

/**
 * The smallest set, by descending probability, whose mass reaches p of the candidates' mass. A
 * histogram over the distance from the maximum finds the bucket of the cut; only that one is sorted.
 */
function nucleus(
  logits: Float32Array,
  temperature: number,
  topP: number,
  candidates: readonly number[] | null,
): number[] {
  const { max, sum } = softmaxOver(logits, temperature, candidates);
  const count = candidates === null ? logits.length : candidates.length;
  const idAt = (i: number): number => (candidates === null ? i : (candidates[i] as number));
  const bucketOf = (id: number): number =>
    Math.min(
      BUCKETS - 1,
      Math.floor((max - (logits[id] as number) / temperature) * BUCKETS_PER_NAT),
    );
  const massOf = (id: number): number => Math.exp((logits[id] as number) / temperature - max);

  const mass = new Float64Array(BUCKETS);
  for (let i = 0; i < count; i++) {
    const bucket = bucketOf(idAt(i));
    mass[bucket] = (mass[bucket] as number) + massOf(idAt(i));
  }
  const target = topP * sum;
  let cut = 0;
  let running = 0;
  while (cut < BUCKETS - 1 && running + (mass[cut] as number) < target) {
    running += mass[cut] as number;
    cut++;
  }

  const kept: number[] = [];
  const atCut: number[] = [];
  for (let i = 0; i < count; i++) {
    const bucket = bucketOf(idAt(i));
    if (bucket < cut) kept.push(idAt(i));
    else if (bucket === cut) atCut.push(idAt(i));
  }
  atCut.sort((a, b) => (logits[b] as number) - (logits[a] as number) || a - b);
  for (const id of atCut) {
    if (running >= target && kept.length > 0) break;
    running += massOf(id);
    kept.push(id);
  }
  return kept.sort((a, b) => a - b);
}

function includesSorted(ids: readonly number[], id: number): boolean {
  let low = 0;
  let high = ids.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const value = ids[middle] as number;
    if (value === id) return true;
    if (value < id) low = middle + 1;
    else high = middle - 1;
  }
  return false;
}
