/** The variants of a decoder's training graph. */

/** What a graph computes and takes. Each combination is built when first needed. */
export type GraphVariant = {
  readonly pass: "forward" | "backward";
  /** Number of blocks of attention's queries. */
  readonly blocks: number;
  /** Some temperature is not 1, or some kept set is not the whole vocabulary. */
  readonly tempered: boolean;
  /** Some kept set is not the whole vocabulary; implies `tempered`. */
  readonly masked: boolean;
  /** Backward only: derivatives of the entropy are given. */
  readonly entropy: boolean;
  /** Backward only, tempered: derivatives of the raw log-prob or of candidates are given. */
  readonly raw: boolean;
  /** Raw log-probs of candidates are asked for, or their derivatives are given. */
  readonly candidates: boolean;
  /** Rows whose logits are needed: the first P of K, or every one. */
  readonly logits: "all" | "some" | "none";
  /** The final hidden states are an output, for value heads. */
  readonly hidden: boolean;
  /** Backward only: a gradient of the final hidden states is given. */
  readonly hiddenGradient: boolean;
};
