/** Tries each mutant until a test kills it, and records every result. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { codeDigest } from "./code-digest.ts";
import type { TestHost } from "./host.ts";
import type { Journal } from "./journal.ts";
import type { Mutation } from "./mutant-sample.ts";
import { type MappedTest, projectOfTest, type TestMap } from "./test-map.ts";

/** Result of one mutant. */
export type MutationResult = {
  readonly id: string;
  readonly file: string;
  readonly line: number;
  readonly operator: string;
  readonly original: string;
  readonly replacement: string;
  /** `unreached`: no test runs the code. It counts against the tests, like `survived`. */
  readonly status: "killed" | "survived" | "unreached";
  /** The test that failed; null if none did. */
  readonly by: string | null;
  /** Test files that were run. The last one killed the mutant. */
  readonly tests: readonly string[];
  /** Test files that reach the code but were skipped for lack of time. */
  readonly leftOut: number;
  readonly seconds: number;
  /** Digest of the source and of the tests that decided. */
  readonly digest: string;
};

const namesOf = (tests: readonly MappedTest[]): string[] => tests.map(({ test }) => test);

/** Test files beyond this total time, as measured when they were mapped, are skipped. */
export const SECONDS_OF_TESTS = 120;

/** Tries mutants with one host and one test map. */
export class MutationRun {
  readonly #root: string;
  readonly #host: TestHost;
  readonly #map: TestMap;
  readonly #journal: Journal<MutationResult>;
  readonly #digests = new Map<string, string>();
  /** Number of mutants of a file that a test killed in this run, by `<file> <test>`. */
  readonly #kills = new Map<string, number>();

  constructor(root: string, host: TestHost, map: TestMap, journal: Journal<MutationResult>) {
    this.#root = root;
    this.#host = host;
    this.#map = map;
    this.#journal = journal;
  }

  /** The result of an earlier run, if neither the source nor the deciding tests have changed. */
  known(mutation: Mutation): MutationResult | undefined {
    const result = this.#journal.get(mutation.id);
    if (result === undefined) return undefined;
    const tests =
      result.status === "killed" ? result.tests.slice(-1) : namesOf(this.#chosen(mutation).tests);
    return result.digest === this.#digest(mutation, tests) ? result : undefined;
  }

  async try(mutation: Mutation): Promise<MutationResult> {
    const startedAt = performance.now();
    const source = readFileSync(join(this.#root, mutation.file), "utf8");
    const { start, end, replacement } = mutation;
    const patch = {
      file: mutation.file,
      source: source.slice(0, start) + replacement + source.slice(end),
    };
    const { tests, leftOut } = this.#chosen(mutation);
    const ran: string[] = [];
    let by: string | null = null;
    for (const one of this.#byKills(mutation, tests)) {
      ran.push(one.test);
      by = await this.#failure(one, patch);
      if (by !== null) break;
    }
    const result: MutationResult = {
      id: mutation.id,
      file: mutation.file,
      line: mutation.line,
      operator: mutation.operator,
      original: mutation.original,
      replacement,
      status: by !== null ? "killed" : ran.length === 0 ? "unreached" : "survived",
      by,
      tests: ran,
      leftOut: by === null ? leftOut : 0,
      seconds: Math.round((performance.now() - startedAt) / 100) / 10,
      digest: this.#digest(mutation, by === null ? namesOf(tests) : ran.slice(-1)),
    };
    this.#journal.add(mutation.id, result);
    if (by !== null) {
      const killer = `${mutation.file} ${ran.at(-1)}`;
      this.#kills.set(killer, (this.#kills.get(killer) ?? 0) + 1);
    }
    return result;
  }

  /** The test that fails with the mutant; null if none does. */
  async #failure(
    { test, seconds }: MappedTest,
    patch: { readonly file: string; readonly source: string },
  ): Promise<string | null> {
    const limitMs = 30_000 + 5_000 * seconds;
    const project = projectOfTest(test);
    const answer = await this.#host.run({ kind: "run", project, test, patch }, limitMs);
    if (answer !== null && !answer.isTimeout) return answer.failure;
    // The machine may be slow, so the test must also end in time without the mutant.
    const plain = await this.#host.run({ kind: "run", project, test, patch: null }, limitMs);
    return plain?.failure === null ? `${test} did not end` : null;
  }

  /** Test files to run, nearest first. */
  #chosen(mutation: Mutation): {
    readonly tests: readonly MappedTest[];
    readonly leftOut: number;
  } {
    const all = this.#map.testsOf(mutation);
    let seconds = 0;
    const end = all.findIndex((one) => (seconds += one.seconds) > SECONDS_OF_TESTS);
    const tests = end === -1 ? all : all.slice(0, Math.max(end, 1));
    return { tests, leftOut: all.length - tests.length };
  }

  /** Tests that killed other mutants of the file run first, because this saves the most time. */
  #byKills(mutation: Mutation, tests: readonly MappedTest[]): readonly MappedTest[] {
    const killsOf = ({ test }: MappedTest): number =>
      this.#kills.get(`${mutation.file} ${test}`) ?? 0;
    return tests.toSorted((a, b) => killsOf(b) - killsOf(a));
  }

  #digest(mutation: Mutation, tests: readonly string[]): string {
    const files = [mutation.file, ...tests.toSorted()];
    return files.map((file) => this.#digestOfFile(file)).join(" ");
  }

  /** Empty for a deleted file. */
  #digestOfFile(file: string): string {
    let digest = this.#digests.get(file);
    if (digest === undefined) {
      const path = join(this.#root, file);
      digest = existsSync(path) ? codeDigest(file, readFileSync(path, "utf8")) : "";
      this.#digests.set(file, digest);
    }
    return digest;
  }
}
