/**
 * Which test files run which code, found by running each once over marked sources. The map is kept in a journal,
 * so that a stopped run goes on where it was and only changed tests are mapped again.
 */
import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { codeDigest } from "./code-digest.ts";
import type { TestHost } from "./host.ts";
import type { Journal } from "./journal.ts";
import { MUTATED_PACKAGES, type Mutation } from "./mutant-sample.ts";
import { readSites } from "./mutation-sites.ts";
import type { ProjectName } from "./patched-tests.ts";

/** Tests that can notice a mutant in a process of Vitest: not those of pages, and not those that start programs. */
const TESTS = ["{packages,apps}/*/src/**/*.test.ts", "{trainer,workers/*}/src/**/*.test.ts"];
const LEFT_OUT = ["**/node_modules/**", "**/dist/**", "**/*.browser.test.ts"];
const MAPPING_LIMIT_MS = 600_000;

export type MappedTest = {
  readonly test: string;
  /** Of the test file when it was mapped. */
  readonly digest: string;
  readonly seconds: number;
  /** Marks by source file, and how many the file had. */
  readonly reached: { readonly [file: string]: { readonly of: number; readonly marks: number[] } };
};

export const projectOfTest = (test: string): ProjectName =>
  test.startsWith("workers/") ? "workers" : "node";

type MappedSources = {
  /** Folders of sources, from the root. */
  readonly folders?: readonly string[];
  /** Patterns of test files, from the root. */
  readonly tests?: readonly string[];
};

export class TestMap {
  readonly #folders: readonly string[];
  readonly #root: string;
  readonly #journal: Journal<MappedTest>;
  readonly #tests: readonly string[];
  /** How many marks a source file has now. */
  readonly #marks = new Map<string, number>();

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
      // Those beside the sources first.
      .toSorted((a, b) => Number(isNear(b)) - Number(isNear(a)));
  }

  /** Test files that were not mapped as they are now. */
  missing(): string[] {
    return this.#tests.filter((test) => {
      const known = this.#journal.get(test);
      return known === undefined || known.digest !== codeDigest(test, this.#read(test));
    });
  }

  /** @returns why the test fails without a mutant; null where it passes. Only then it is used. */
  async map(test: string, host: TestHost): Promise<string | null> {
    const project = projectOfTest(test);
    const digest = codeDigest(test, this.#read(test));
    const answer = await host.run(
      { kind: "map", project, test, folders: this.#folders },
      MAPPING_LIMIT_MS,
    );
    const reached: { [file: string]: { of: number; marks: number[] } } = {};
    for (const mark of answer?.reached ?? []) {
      const [file = "", number = "0"] = mark.split(":");
      (reached[file] ??= { of: this.#marksOf(file), marks: [] }).marks.push(Number(number));
    }
    if (answer === null) return "it took too long";
    // A failure may be a busy machine's: the next run tries again.
    if (answer.failure !== null) return answer.failure;
    this.#journal.add(test, { test, digest, seconds: answer.seconds, reached });
    return null;
  }

  /** Test files that run the mutated code, nearest first, and the quicker of equally near ones. */
  testsOf({ file, mark }: Mutation): MappedTest[] {
    return this.#mapped()
      .filter(({ reached }) => {
        const own = reached[file];
        if (own === undefined) return false;
        // Marks of a source that changed since may have moved.
        return own.of !== this.#marksOf(file) || own.marks.includes(mark);
      })
      .map((mapped) => ({ mapped, far: distance(file, mapped.test) }))
      .toSorted((a, b) => a.far - b.far || a.mapped.seconds - b.mapped.seconds)
      .map(({ mapped }) => mapped);
  }

  #mapped(): MappedTest[] {
    return this.#tests.flatMap((test) => this.#journal.get(test) ?? []);
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

/** 0 for the test of the same name, then the same folder, the same package, and the rest. */
function distance(source: string, test: string): number {
  const packageOf = (path: string): string => path.split("/src/")[0] ?? path;
  if (dirname(source) === dirname(test)) {
    return basename(test).startsWith(basename(source, ".ts")) ? 0 : 1;
  }
  return packageOf(source) === packageOf(test) ? 2 : 3;
}
