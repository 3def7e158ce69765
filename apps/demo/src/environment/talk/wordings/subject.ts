/** What a subject of requests is: one slot, its values, and the patterns that have it. */

/** Requests with one slot, written by hand. A value of the slot is held out together with all that is said about it. */
export type Subject = {
  readonly slot: string;
  /** Empty for what is drawn from the goods: `name`, `what` or `category`. */
  readonly values: readonly string[];
  readonly patterns: readonly string[];
};

/** Values that are separated by commas. */
export function valuesOf(text: string): readonly string[] {
  return text.trim().replaceAll(/\s+/g, " ").split(", ");
}

/** The patterns of all subjects. */
export function patternsOf(subjects: readonly Subject[]): readonly string[] {
  return subjects.flatMap(({ patterns }) => patterns);
}
