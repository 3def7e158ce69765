/**
 * The sampling distribution in its plainest form, as the reference for samplers: full sorts, f64
 * logits. Shares no code with `sampler.ts`.
 */
import type { SamplingDistribution, TokenScore } from "../sampler.ts";

/**
 * Ids that can be sampled, ascending: of those that the mask allows, the top k; of these, the
 * smallest set whose probability reaches p. Among equal logits the lower id comes first.
 *
 * @param logits - `[V]`.
 * @param allowed - bits of ids as in `GrammarMatcher.nextMask`, `null` for all.
 */
export function plainSupport(
  logits: Float64Array,
  { temperature, topK, topP }: SamplingDistribution,
  allowed: Uint32Array | null,
): number[] {
  const isAllowed = (id: number): boolean =>
    allowed === null || (((allowed[id >> 5] as number) >>> (id % 32)) & 1) === 1;
  const candidates = [...logits.keys()].filter(isAllowed);
  if (topK === 0 && topP >= 1) return candidates;
  const sorted = candidates.sort((a, b) => (logits[b] as number) - (logits[a] as number) || a - b);
  const top = topK > 0 ? sorted.slice(0, topK) : sorted;
  if (topP >= 1) return top.sort((a, b) => a - b);
  const normalizer = logSumExp(top.map((id) => (logits[id] as number) / temperature));
  const kept: number[] = [];
  let mass = 0;
  for (const id of top) {
    if (mass >= topP) break;
    kept.push(id);
    mass += Math.exp((logits[id] as number) / temperature - normalizer);
  }
  return kept.sort((a, b) => a - b);
}

/** Scores of `tokenId` where the ids of `support` could be sampled. */
export function plainScore(
  logits: Float64Array,
  tokenId: number,
  temperature: number,
  support: readonly number[],
): TokenScore {
  const scaled = support.map((id) => (logits[id] as number) / temperature);
  const normalizer = logSumExp(scaled);
  const logProbs = scaled.map((value) => value - normalizer);
  const at = support.indexOf(tokenId);
  return {
    behaviorLogProb: at === -1 ? Number.NEGATIVE_INFINITY : (logProbs[at] as number),
    rawLogProb: (logits[tokenId] as number) - logSumExp([...logits]),
    entropy: -logProbs.reduce((sum, value) => sum + Math.exp(value) * value, 0),
  };
}

/**
 * Distance of another kept set from the plain one, 0 if they are equal. For the worst id in which
 * they differ, it is the distance from the edge: in nats if both sets have the same size, otherwise
 * in mass from top-p. Ids within rounding of an edge may be on either side.
 */
export function keptGap(
  logits: Float64Array,
  distribution: SamplingDistribution,
  allowed: Uint32Array | null,
  kept: readonly number[],
): number {
  const { temperature, topK, topP } = distribution;
  const scaled = (id: number): number => (logits[id] as number) / temperature;
  const possible = plainSupport(logits, { temperature, topK: 0, topP: 1 }, allowed);
  const top = plainSupport(logits, { temperature, topK, topP: 1 }, allowed);
  const support = plainSupport(logits, distribution, allowed);
  const lowest = Math.min(...support.map(scaled));
  const next = Math.max(...possible.filter((id) => !support.includes(id)).map(scaled));
  const normalizer = logSumExp(top.map(scaled));
  const massOver = (id: number): number =>
    top
      .filter((other) => scaled(other) > scaled(id))
      .reduce((sum, other) => sum + Math.exp(scaled(other) - normalizer), 0);
  const gapOf = (id: number, distance: number): number => {
    if (!possible.includes(id)) return Number.POSITIVE_INFINITY;
    const inNats = kept.length === support.length ? distance : Number.POSITIVE_INFINITY;
    return topP < 1 ? Math.min(inNats, Math.abs(massOver(id) - topP)) : inNats;
  };
  const missing = support.filter((id) => !kept.includes(id));
  const added = kept.filter((id) => !support.includes(id));
  return Math.max(
    0,
    ...missing.map((id) => gapOf(id, scaled(id) - next)),
    ...added.map((id) => gapOf(id, lowest - scaled(id))),
  );
}

function logSumExp(values: readonly number[]): number {
  const largest = values.reduce((most, value) => Math.max(most, value));
  const sum = values.reduce((total, value) => total + Math.exp(value - largest), 0);
  return largest + Math.log(sum);
}
