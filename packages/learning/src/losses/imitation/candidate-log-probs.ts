/** Log-probs of a teacher's likeliest tokens, as a loss reads them. */

/** Log-probs of candidate tokens: per sequence `[T]` of `[K]`, `null` where a position has none. */
export type CandidateLogProbs = readonly (readonly (ArrayLike<number> | null)[])[];
