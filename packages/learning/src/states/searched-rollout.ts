/** A rollout as the search tree keeps it. */

/** A finished rollout, from the start of its task. */
export type SearchedRollout = {
  readonly id: string;
  /** `[turns]` what was done; equal actions in one state lead to one state. */
  readonly actions: readonly string[];
  /** So many of its turns were given: the policy decided those after them. */
  readonly given: number;
  /** `[turns]` chance that the policy gave each of them. */
  readonly priors: readonly number[];
  /** What came of it. */
  readonly value: number;
};
