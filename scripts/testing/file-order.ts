/**
 * Order of the test files. Comparisons of the back ends with the plain decoder run first, because other measurements are
 * meaningless on a device that computes wrongly. The longest end-to-end files follow, so that none of them runs alone at
 * the end: Vitest would begin with the files that have most lines.
 */
import { BaseSequencer } from "vitest/node";
import type { TestSpecification } from "vitest/node";

/** The end-to-end files that take longest, in seconds on two cores: 115, 91, 83, 61, 45, 42, 41, 35, 29. */
export const LONGEST: readonly string[] = [
  "visitor",
  "kill",
  "trainer-kills",
  "own-project",
  "hidden-tab",
  "install",
  "start",
  "site-loop",
  "publish",
].map((name) => `test/e2e/${name}.test.ts`);

/** Vitest's sequencer, with these files first. */
export class FileOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => rankOf(a.moduleId) - rankOf(b.moduleId));
  }
}

function rankOf(file: string): number {
  if (file.includes("agreement")) return -1;
  const rank = LONGEST.findIndex((path) => file.endsWith(path));
  return rank < 0 ? LONGEST.length : rank;
}
