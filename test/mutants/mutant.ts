/** A deliberate mistake in the learning code, and the tests that must catch it. */

/** One mistake. */
export type Mutant = {
  /** Unique: `tis-does-not-weigh`. */
  readonly id: string;
  /** Path from the root of the repository. */
  readonly file: string;
  /** Occurs exactly once in the file. */
  readonly text: string;
  readonly replacement: string;
  /** The resulting error in a few words. */
  readonly breaks: string;
  /** Test files to run, in this order. */
  readonly tests: readonly string[];
};

type Line = readonly [id: string, text: string, replacement: string, breaks: string];

/** Mutants of one file that share their tests. */
export function mutantsOf(
  file: string,
  tests: readonly string[],
  lines: readonly Line[],
): readonly Mutant[] {
  return lines.map(([id, text, replacement, breaks]) => ({
    id,
    file,
    text,
    replacement,
    breaks,
    tests,
  }));
}
