/**
 * Runs tests against mutants. The mistake is inserted while Vite loads the module, so that no file of the working tree
 * changes. One Vitest instance serves all mutants; each run stops at its first failing test.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { TestModule } from "vitest/node";
import { createVitest } from "vitest/node";
import type { Mutant } from "../test/mutants/mutant.ts";

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
  let current: Mutant | null = null;
  const conditions = { conditions: ["source", "node"] };
  const vitest = await createVitest(
    "test",
    {
      root,
      config: false,
      watch: false,
      bail: 1,
      reporters: [],
      include: [],
      maxWorkers: 1,
      testTimeout: 60_000,
      provide: { isLong: false },
      // A cached module would not load the mutant, and a mutant must not be cached.
      fsModuleCache: false,
      env: { ORT_DISABLE_TELEMETRY: "1" },
    },
    {
      resolve: conditions,
      ssr: { resolve: conditions },
      plugins: [
        {
          name: "mutant",
          enforce: "pre",
          transform: (code, id) =>
            current !== null && id.split("?")[0] === join(root, current.file)
              ? mutated(current, code)
              : null,
        },
      ],
    },
  );
  const project = vitest.getRootProject();
  return {
    run: async (mutant, tests) => {
      const startedAt = performance.now();
      const changed = [current, mutant].flatMap((one) => (one === null ? [] : [one.file]));
      // Throws early if the text is missing.
      if (mutant !== null) mutated(mutant, readFileSync(join(root, mutant.file), "utf8"));
      current = mutant;
      for (const file of changed) vitest.invalidateFile(join(root, file));
      let by: string | null = null;
      for (const test of tests) {
        vitest.state.filesMap.clear();
        const specification = project.createSpecification(join(root, test));
        const { testModules, unhandledErrors } = await vitest.runTestSpecifications([
          specification,
        ]);
        by = failureOf(testModules) ?? (unhandledErrors.length > 0 ? "an unhandled error" : null);
        vitest.state.errorsSet.clear();
        if (by !== null) break;
      }
      const seconds = (performance.now() - startedAt) / 1000;
      return { id: mutant?.id ?? "none", caught: by !== null, by, seconds };
    },
    close: () => vitest.close(),
  };
}

function failureOf(modules: readonly TestModule[]): string | null {
  for (const module of modules) {
    for (const test of module.children.allTests("failed")) return test.fullName;
    const [error] = module.errors();
    if (error !== undefined) return `${module.relativeModuleId}: ${error.message}`;
    if (!module.ok()) return module.relativeModuleId;
  }
  return null;
}
