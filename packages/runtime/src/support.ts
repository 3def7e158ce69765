/**
 * Ids that can be sampled: of those that a mask allows, the top k; of these, the smallest set that
 * reaches p of their probability. Ids are always ascending; among equal logits the lower id is kept
 * first.
 */
import type { SoftmaxKernel, Weighing } from "./softmax-kernel.ts";

/** Candidate ids: `ids[0 … count)`, or all of `[0, count)` if `ids` is `null`. */
export type Candidates = {
  readonly ids: Int32Array | readonly number[] | null;
  readonly count: number;
};

/** Weighs the candidates' logits: `kernel.weights` then has their weights, in order. */
export function weigh(
  logits: Float32Array,
  temperature: number,
  { ids, count }: Candidates,
  kernel: SoftmaxKernel,
): Weighing {
  kernel.reserve(count);
  const { row } = kernel;
  if (ids === null) row.set(logits);
  else for (let i = 0; i < count; i++) row[i] = logits[ids[i] as number] as number;
  return kernel.weigh(count, temperature);
}

/**
 * The ids of a mask's bits.
 *
 * @param allowed - id v is bit `v % 32` of word `v >> 5`; bits beyond the vocabulary are ignored.
 * @param into - `[V]`, filled.
 */
export function allowedIds(allowed: Uint32Array, into: Int32Array): Candidates {
  const words = Math.min(allowed.length, (into.length + 31) >> 5);
  let count = 0;
  for (let word = 0; word < words; word++) {
    let bits = allowed[word] as number;
    while (bits !== 0) {
      const lowest = bits & -bits;
      const id = 32 * word + 31 - Math.clz32(lowest);
      if (id < into.length) into[count++] = id;
      bits ^= lowest;
    }
  }
  return { ids: into, count };
}

/**
 * Ids of the k largest logits, ascending, by a min-heap of size k, which most of the row never
 * enters.
 */
export function largest(
  logits: Float32Array,
  { ids, count }: Candidates,
  k: number,
  scratch: Int32Array,
): number[] {
  const heap = scratch.subarray(0, k);
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
  for (let i = 0; i < k; i++) heap[i] = ids === null ? i : (ids[i] as number);
  for (let parent = (k >> 1) - 1; parent >= 0; parent--) sink(parent);
  let worst = logits[heap[0] as number] as number;
  for (let i = k; i < count; i++) {
    const id = ids === null ? i : (ids[i] as number);
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
const bucketMass = new Float64Array(BUCKETS);

/**
 * The smallest set, by descending weight, whose weight reaches p of the candidates'. A histogram
 * over the distance from the maximum finds the bucket of the cut; only that bucket is sorted.
 */
export function nucleus(
  logits: Float32Array,
  temperature: number,
  topP: number,
  { ids, count }: Candidates,
  weights: Float64Array,
  { maxLogit, sum }: Weighing,
): number[] {
  const bucketsPerLogit = BUCKETS_PER_NAT / temperature;
  const bucketOf = (id: number): number =>
    Math.min(BUCKETS - 1, Math.floor((maxLogit - (logits[id] as number)) * bucketsPerLogit));
  bucketMass.fill(0);
  for (let i = 0; i < count; i++) {
    const id = ids === null ? i : (ids[i] as number);
    const bucket = bucketOf(id);
    bucketMass[bucket] = (bucketMass[bucket] as number) + (weights[i] as number);
  }
  const target = topP * sum;
  let cut = 0;
  let running = 0;
  while (cut < BUCKETS - 1 && running + (bucketMass[cut] as number) < target) {
    running += bucketMass[cut] as number;
    cut++;
  }

  const kept: number[] = [];
  /** Indices of the candidates. */
  const atCut: number[] = [];
  for (let i = 0; i < count; i++) {
    const id = ids === null ? i : (ids[i] as number);
    const bucket = bucketOf(id);
    if (bucket < cut) kept.push(id);
    else if (bucket === cut) atCut.push(i);
  }
  const idAt = (i: number): number => (ids === null ? i : (ids[i] as number));
  atCut.sort((a, b) => (logits[idAt(b)] as number) - (logits[idAt(a)] as number) || a - b);
  for (const i of atCut) {
    if (running >= target && kept.length > 0) break;
    running += weights[i] as number;
    kept.push(idAt(i));
  }
  return kept.sort((a, b) => a - b);
}
