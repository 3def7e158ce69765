/**
 * Runs tests against mutants. The mistake is inserted while Vite loads the module, so that no file of the working tree
 * changes. One Vitest instance serves all mutants; each run stops at its first failing test.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Mutant } from "../test/mutants/mutant.ts";
import { PatchedTests } from "./mutation/patched-tests.ts";

/** Outcome of one mutant. */
export type MutantResult = {
  readonly id: string;
  readonly caught: boolean;
  /** The test that failed; `null` if none did. */
  readonly by: string | null;
  readonly seconds: number;
};

/** Runs mutants one at a time. */
export type MutantRunner = {
  /** @throws if a test fails without a mutant, or the mutant's text does not occur exactly once. */
  readonly run: (mutant: Mutant | null, tests: readonly string[]) => Promise<MutantResult>;
  readonly close: () => Promise<void>;
};

/** The source with the mutant applied. @throws if its text does not occur exactly once. */
export function mutated({ id, file, text, replacement }: Mutant, source: string): string {
  const places = source.split(text).length - 1;
  if (places !== 1) {
    throw new Error(
      `mutant ${id} must find its text once in ${file}, but it occurs ${places} times; update the mutant`,
    );
  }
  return source.replace(text, () => replacement);
}

/** Starts Vitest in `root`. */
export async function createMutantRunner(root: string): Promise<MutantRunner> {
  const patched = await PatchedTests.open(root, "node");
  let before: string | null = null;
  return {
    run: async (mutant, tests) => {
      const startedAt = performance.now();
      const changed = [before, mutant?.file].flatMap((file) => file ?? []);
      const source =
        mutant === null ? "" : mutated(mutant, readFileSync(join(root, mutant.file), "utf8"));
      patched.patch((file) => (file === mutant?.file ? source : null), changed);
      before = mutant?.file ?? null;
      let by: string | null = null;
      for (const test of tests) {
        by = (await patched.run(test)).failure;
        if (by !== null) break;
      }
      const seconds = (performance.now() - startedAt) / 1000;
      return { id: mutant?.id ?? "none", caught: by !== null, by, seconds };
    },
    close: () => patched.close(),
  };
}
