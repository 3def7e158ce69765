/** One requirement. */
export type Requirement = {
  /** `area:claim`. */
  readonly id: string;
  /** Document or paper that the requirement comes from. */
  readonly source: string;
  /** The behavior in one or a few sentences. */
  readonly behavior: string;
  /** Tests that show it, as `file > name of the test`. */
  readonly tests: readonly string[];
};
