/** The result of a filter over items. */

/** The kept indexes, and the reasons of the dropped ones. */
export type Selection = {
  /** Indexes, ascending. */
  readonly kept: readonly number[];
  /** A stable reason code for each dropped index. */
  readonly dropped: ReadonlyMap<number, string>;
};
