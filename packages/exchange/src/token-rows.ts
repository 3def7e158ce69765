/**
 * Trajectories as token rows for other reinforcement-learning trainers: one row per path of the segment tree,
 * with one array entry per token.
 *
 * Other trainers score tokens at a temperature over the full vocabulary. Where a grammar, top-k or top-p
 * restricted sampling, the recorded log-prob belongs to a different distribution, and a ratio of the two would
 * be biased by the probability that was cut off. Such tokens are masked out unless requested.
 */
import { type SampledSegment, toTrainingSamples, type TrajectoryDetail } from "@waggle/protocol";

/** One path. All arrays are `[T]`. */
export type TokenRow = {
  readonly record: TrajectoryDetail;
  /** Index of the path in the trajectory, from 0. */
  readonly index: number;
  readonly tokenIds: readonly number[];
  /** Number of tokens before the first one that this row trains. */
  readonly promptLength: number;
  readonly lossMask: readonly boolean[];
  /** Under the distribution actually sampled; 0 for tokens that were not sampled. */
  readonly behaviorLogProbs: readonly number[];
  /** At temperature 1 over the full vocabulary; 0 for tokens that this row does not train. */
  readonly rawLogProbs: readonly number[];
  readonly temperatures: readonly number[];
  /** Version that sampled the token; −1 for tokens that this row does not train. */
  readonly policyVersions: readonly number[];
  /** Number of sampled tokens that were masked out. */
  readonly restrictedTokens: number;
};

/** What to include in the rows. */
export type TokenRowOptions = {
  /** Keeps tokens sampled with restricted support in the mask. Default false. */
  readonly keepsRestricted?: boolean | undefined;
};

/** Gap between both log-probs, in nats, above which a token counts as restricted. */
const FULL_SUPPORT_GAP = 1e-3;

/** The rows of a trajectory; empty if nothing was sampled. */
export function toTokenRows(record: TrajectoryDetail, options: TokenRowOptions = {}): TokenRow[] {
  return toTrainingSamples(record.trajectory).map((sample, index): TokenRow => {
    const { tokenIds, temperatures = 1 } = sample.sequence;
    const lossMask = [...sample.lossMask];
    const rawLogProbs = tokenIds.map(() => 0);
    const policyVersions = tokenIds.map(() => -1);
    let restrictedTokens = 0;
    for (const { segment, start } of sample.spans) {
      const restricted = restrictedOf(segment);
      for (const [t, raw] of segment.rawLogProbs.entries()) {
        rawLogProbs[start + t] = raw;
        policyVersions[start + t] = segment.policyVersion;
        if (options.keepsRestricted === true || restricted[t] !== true) continue;
        lossMask[start + t] = false;
        restrictedTokens += 1;
      }
    }
    return {
      record,
      index,
      tokenIds,
      promptLength: sample.spans[0]?.start ?? tokenIds.length,
      lossMask,
      behaviorLogProbs: sample.behaviorLogProbs,
      rawLogProbs,
      temperatures:
        typeof temperatures === "number" ? tokenIds.map(() => temperatures) : temperatures,
      policyVersions,
      restrictedTokens,
    };
  });
}

/** Whether each token was sampled with restricted support. At temperature 1 the log-probs show it. */
function restrictedOf(segment: SampledSegment): boolean[] {
  const { sampling, grammar, keptTokenIds, behaviorLogProbs, rawLogProbs } = segment;
  const couldBe =
    grammar !== null || sampling.topK > 0 || sampling.topP < 1 || keptTokenIds !== undefined;
  return segment.tokenIds.map((_, t) => {
    if (!couldBe) return false;
    if (sampling.temperature !== 1) return true;
    const gap = (behaviorLogProbs[t] as number) - (rawLogProbs[t] as number);
    return Math.abs(gap) > FULL_SUPPORT_GAP;
  });
}
