/**
 * Maps test files to the code that they run, by running each once with marked sources. The map is stored in a journal, so
 * that a stopped run continues and only changed tests are mapped again.
 */
import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { codeDigest } from "./code-digest.ts";
import { dependentWorkspaces } from "./dependents.ts";
import type { TestHost } from "./host.ts";
import type { Journal } from "./journal.ts";
import { MUTATED_PACKAGES, type Mutation } from "./mutant-sample.ts";
import { readSites } from "./mutation-sites.ts";
import type { ProjectName } from "./patched-tests.ts";

/** Tests that can run in a Vitest process. Browser tests, and tests that start programs, cannot. */
const TESTS = ["{packages,apps}/*/src/**/*.test.ts", "{trainer,workers/*}/src/**/*.test.ts"];
const LEFT_OUT = ["**/node_modules/**", "**/dist/**", "**/*.browser.test.ts"];
const MAPPING_LIMIT_MS = 600_000;

/** A test file with the marks that it reached. */
export type MappedTest = {
  readonly test: string;
  /** Digest of the test file when it was mapped. */
  readonly digest: string;
  readonly seconds: number;
  /** Reached marks by source file, and the number of marks that the file had. */
  readonly reached: { readonly [file: string]: { readonly of: number; readonly marks: number[] } };
};

/** Whether tests of the same package only, or of all packages, may kill a mutant. */
export type Reach = "own" | "all";

/** The project that runs a test file. */
export const projectOfTest = (test: string): ProjectName =>
  test.startsWith("workers/") ? "workers" : "node";

type MappedSources = {
  /** Source folders relative to the root. */
  readonly folders?: readonly string[];
  /** Patterns of test files relative to the root. */
  readonly tests?: readonly string[];
};

/** The map of the present tests. */
export class TestMap {
  readonly #folders: readonly string[];
  readonly #root: string;
  readonly #journal: Journal<MappedTest>;
  readonly #tests: readonly string[];
  /** Present number of marks per source file. */
  readonly #marks = new Map<string, number>();
  readonly #digests = new Map<string, string>();
  /** Whether a test passes without a mutant, as far as this process has tried it. */
  readonly #passes = new Map<string, boolean>();

  constructor(
    root: string,
    journal: Journal<MappedTest>,
    { folders = Object.values(MUTATED_PACKAGES), tests = TESTS }: MappedSources = {},
  ) {
    this.#root = root;
    this.#journal = journal;
    this.#folders = folders;
    const isNear = (test: string): boolean => folders.some((one) => test.startsWith(`${one}/`));
    this.#tests = globSync(tests, { cwd: root, exclude: LEFT_OUT })
      .toSorted()
      // Tests beside the sources first.
      .toSorted((a, b) => Number(isNear(b)) - Number(isNear(a)));
  }

  /**
   * Test files that have changed since they were mapped, or were never mapped.
   *
   * @param sources only tests that can run code of these folders. Default: all tests.
   */
  missing(sources?: readonly string[]): string[] {
    const workspaces = sources && [...dependentWorkspaces(this.#root, sources)];
    return this.#tests.filter((test) => {
      if (workspaces?.some((folder) => test.startsWith(`${folder}/`)) === false) return false;
      return this.#current(test) === undefined && !this.#passes.has(test);
    });
  }

  /** @returns why the test fails without a mutant; null if it passes. Only passing tests are used. */
  async map(test: string, host: TestHost): Promise<string | null> {
    const project = projectOfTest(test);
    const answer = await host.run(
      { kind: "map", project, test, folders: this.#folders },
      MAPPING_LIMIT_MS,
    );
    const reached: { [file: string]: { of: number; marks: number[] } } = {};
    for (const mark of answer?.reached ?? []) {
      const [file = "", number = "0"] = mark.split(":");
      (reached[file] ??= { of: this.#marksOf(file), marks: [] }).marks.push(Number(number));
    }
    const failure = answer === null ? "it took too long" : answer.failure;
    this.#passes.set(test, failure === null);
    // A busy machine may have caused the failure, so the next run tries again.
    if (answer === null || failure !== null) return failure;
    const digest = this.#digestOf(test);
    this.#journal.add(test, { test, digest, seconds: answer.seconds, reached });
    return null;
  }

  /** Whether a test passes without a mutant. It is run once, unless this process has mapped it. */
  async passes(test: string, host: TestHost, limitMs: number): Promise<boolean> {
    let isPassing = this.#passes.get(test);
    if (isPassing === undefined) {
      const project = projectOfTest(test);
      const answer = await host.run({ kind: "run", project, test, patch: null }, limitMs);
      isPassing = answer?.failure === null;
      this.#passes.set(test, isPassing);
    }
    return isPassing;
  }

  /**
   * Test files that run the mutated code, nearest first. Among these the ones that run most of its file come first;
   * half the marks need a quarter of the time.
   */
  testsOf({ file, mark }: Mutation, reach: Reach = "all"): MappedTest[] {
    return this.#mapped()
      .filter(({ reached }) => {
        const own = reached[file];
        if (own === undefined) return false;
        // Marks of a source that changed since then may have moved.
        return own.of !== this.#marksOf(file) || own.marks.includes(mark);
      })
      .map((mapped) => {
        const use = (mapped.reached[file]?.marks.length ?? 0) ** 2 / (1 + mapped.seconds);
        return { mapped, far: distance(file, mapped.test), use };
      })
      .filter(({ far }) => reach === "all" || far < 2)
      .toSorted((a, b) => a.far - b.far || b.use - a.use)
      .map(({ mapped }) => mapped);
  }

  #mapped(): MappedTest[] {
    return this.#tests.flatMap((test) => {
      const isFailing = this.#passes.get(test) === false;
      return (isFailing ? undefined : this.#current(test)) ?? [];
    });
  }

  /** Undefined if the test has changed since it was mapped. */
  #current(test: string): MappedTest | undefined {
    const known = this.#journal.get(test);
    return known?.digest === this.#digestOf(test) ? known : undefined;
  }

  #digestOf(test: string): string {
    let digest = this.#digests.get(test);
    if (digest === undefined) {
      digest = codeDigest(test, this.#read(test));
      this.#digests.set(test, digest);
    }
    return digest;
  }

  #marksOf(file: string): number {
    let count = this.#marks.get(file);
    if (count === undefined) {
      count = readSites(file, this.#read(file)).marks;
      this.#marks.set(file, count);
    }
    return count;
  }

  #read(file: string): string {
    return readFileSync(join(this.#root, file), "utf8");
  }
}

/** 0 for the test with the same name, then 1 for the same package, and 2 for the rest. */
function distance(source: string, test: string): number {
  const packageOf = (path: string): string => path.split("/src/")[0] ?? path;
  const isOwn = dirname(source) === dirname(test);
  if (isOwn && basename(test).startsWith(basename(source, ".ts"))) return 0;
  return packageOf(source) === packageOf(test) ? 1 : 2;
}
