/** Which items a filter keeps. */

export type Selection = {
  /** Indices, ascending. */
  readonly kept: readonly number[];
  /** A stable word for each that was left out. */
  readonly dropped: ReadonlyMap<number, string>;
};
