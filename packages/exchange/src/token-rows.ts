/**
 * Trajectories as the rows that reinforcement learning elsewhere trains on: one row a path of the
 * segment tree, every array as long as its tokens.
 *
 * Other trainers score a token under temperature over the full vocabulary. Where a grammar, top-k or
 * top-p left less, the recorded log-prob is of another distribution, and a ratio of the two would be
 * biased by the mass that was cut off; such tokens are taken out of the mask unless they are asked for.
 */
import { type SampledSegment, toTrainingSamples, type TrajectoryDetail } from "@waggle/protocol";

/** One path; all arrays `[T]`. */
export type TokenRow = {
  readonly record: TrajectoryDetail;
  /** Which path of the trajectory, from 0. */
  readonly index: number;
  readonly tokenIds: readonly number[];
  /** Tokens before the first one that this row trains. */
  readonly promptLength: number;
  readonly lossMask: readonly boolean[];
  /** Under the distribution that was sampled; 0 where nothing was. */
  readonly behaviorLogProbs: readonly number[];
  /** At temperature 1 over the full vocabulary; 0 where this row trains nothing. */
  readonly rawLogProbs: readonly number[];
  readonly temperatures: readonly number[];
  /** Version that sampled the token, −1 where this row trains nothing. */
  readonly policyVersions: readonly number[];
  /** Sampled tokens that were taken out of the mask. */
  readonly restrictedTokens: number;
};

export type TokenRowOptions = {
  /** Leaves tokens of a narrowed distribution in the mask. Default false. */
  readonly keepsRestricted?: boolean | undefined;
};

/** Mass that may be missing before a token counts as restricted, in nats. */
const FULL_SUPPORT_GAP = 1e-3;

/** The rows of a trajectory; none where nothing was sampled. */
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

/** Where less than the full vocabulary could be sampled. At temperature 1 the log-probs say how much less. */
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
