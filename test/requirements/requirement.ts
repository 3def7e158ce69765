/** One claim of the manifest. */
export type Requirement = {
  /** `area:claim`. */
  readonly id: string;
  /** Document or paper the claim rests on. */
  readonly source: string;
  readonly behavior: string;
  readonly tests: readonly string[];
};
