/**
 * Order of the test files. Comparisons of the back ends with the plain decoder run first, because other measurements are
 * meaningless on a device that computes wrongly. The longest files follow, so that none of them runs alone at
 * the end: Vitest would begin with the files that have most bytes.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { BaseSequencer } from "vitest/node";
import type { TestSpecification } from "vitest/node";
import { ROOT } from "../root.ts";

/** The longest files, longest first: runs of every recipe, and the end-to-end files that take more than 25 s. */
const LONGEST: readonly string[] = [
  "trainer/src/loop/short-run",
  "trainer/src/expectations/distinct-updates",
  ...[
    "visitor",
    "kill",
    "trainer-kills",
    "own-project",
    "start",
    "install",
    "site-loop",
    "publish",
  ].map((name) => `test/e2e/${name}`),
].map((path) => join(ROOT, `${path}.test.ts`));

/** Vitest's sequencer, with these files first. */
export class FileOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const missing = LONGEST.filter((path) => !existsSync(path));
    if (missing.length > 0) throw new Error(`LONGEST lists missing files: ${missing.join(", ")}`);
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => rankOf(a) - rankOf(b));
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  if (moduleId.includes("agreement")) return -1;
  const rank = LONGEST.indexOf(moduleId);
  return rank < 0 ? LONGEST.length : rank;
}
