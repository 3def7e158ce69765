/** A rollout as the search tree stores it. */

/** A finished rollout, from the start of its task. */
export type SearchedRollout = {
  readonly id: string;
  /** `[turns]` actions; equal actions in a state lead to the same state. */
  readonly actions: readonly string[];
  /** Number of given first turns; the policy decided the turns after them. */
  readonly given: number;
  /** `[turns]` the policy's probability of each action. */
  readonly priors: readonly number[];
  /** Its reward. */
  readonly value: number;
};
