/** Log-probs of a teacher's most likely tokens. */

/** Log-probs of candidate tokens: `[T]` of `[K]` per sequence; `null` at a position without candidates. */
export type CandidateLogProbs = readonly (readonly (ArrayLike<number> | null)[])[];
