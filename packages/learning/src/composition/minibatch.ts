/**
 * From scored episodes to the rows of a minibatch: one row a training sample. What an engine computes
 * is filled in by whoever has one; nothing here runs a model.
 */
import type { TrainingSample } from "@waggle/protocol";
import { type Aggregation, tokenShares } from "../losses/aggregation.ts";
import { lossTokenCount, type TokenRows } from "../token-rows.ts";
import type { AdvantageRows, Minibatch, ScoredEpisode, ScoredGroup } from "./part.ts";

/** One training sample of an episode. */
export type Row = {
  readonly scored: ScoredEpisode;
  /** Index into the episode's samples. */
  readonly index: number;
  readonly sample: TrainingSample;
};

/** The part of a minibatch that is known before the engine has run. */
export type PlannedMinibatch = Omit<
  Minibatch,
  | "policyLogProbs"
  | "proximalLogProbs"
  | "entropies"
  | "referenceLogProbs"
  | "teacherLogProbs"
  | "candidateLogProbs"
  | "teacherCandidateLogProbs"
  | "values"
  | "proximalValues"
> & { readonly rows: readonly Row[] };

/**
 * Rows in the order of the groups. Samples without a loss token are left out, but for those of a pair.
 *
 * @param estimated - by episode id; absent = advantages of 0, which token and pair losses do not read.
 * @param pairs - (chosen, rejected) episode ids; each must have one sample.
 */
export function planMinibatch(
  groups: readonly ScoredGroup[],
  aggregation: Aggregation,
  estimated: { readonly advantages?: AdvantageRows; readonly returns?: AdvantageRows } = {},
  pairs: readonly (readonly [string, string])[] = [],
): PlannedMinibatch {
  const paired = new Set(pairs.flat());
  const rows = groups.flatMap(({ episodes }) =>
    episodes.flatMap((scored) =>
      scored.episode.samples.flatMap((sample, index): Row[] => {
        const counts = (scored.lossMask[index] ?? []).some(Boolean);
        return counts || paired.has(scored.episode.id) ? [{ scored, index, sample }] : [];
      }),
    ),
  );
  const taskOf = new Map(
    groups.flatMap(({ task, episodes }) => episodes.map(({ episode }) => [episode.id, task])),
  );
  const lossMask = rows.map(({ scored, index }) => scored.lossMask[index] as readonly boolean[]);
  const pick = (from: AdvantageRows | undefined): TokenRows =>
    rows.map(
      ({ scored, index, sample }) =>
        from?.get(scored.episode.id)?.[index] ?? new Float64Array(sample.lossMask.length),
    );
  const place = new Map(rows.map(({ scored }, b) => [scored.episode.id, b]));
  return {
    rows,
    lossMask,
    shares: tokenShares(aggregation, {
      lossMask,
      prompts: rows.map(({ scored }) => taskOf.get(scored.episode.id) ?? ""),
      rollouts: rows.map(({ scored }) => scored.episode.id),
    }),
    tokenCount: lossTokenCount(lossMask),
    weights: rows.map(({ scored, index }) => scored.tokenWeights[index] as ArrayLike<number>),
    advantages: pick(estimated.advantages),
    ...(estimated.returns === undefined ? {} : { returns: pick(estimated.returns) }),
    behaviorLogProbs: rows.map(({ sample }) => sample.behaviorLogProbs),
    episodes: rows.map(({ scored }) => scored),
    samples: rows.map(({ index }) => index),
    pairs: pairs.map(([chosen, rejected]) => [
      place.get(chosen) as number,
      place.get(rejected) as number,
    ]),
  };
}

/** An episode before any filter: its samples' own masks, every token weighed alike. */
export function scoredEpisode(
  episode: ScoredEpisode["episode"],
  score: ScoredEpisode["score"],
): ScoredEpisode {
  return {
    episode,
    score,
    lossMask: episode.samples.map(({ lossMask }) => lossMask),
    tokenWeights: episode.samples.map(({ lossMask }) => new Float64Array(lossMask.length).fill(1)),
  };
}
