/** Tries each mutant until a test kills it, and records every result. */
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { codeDigest } from "./code-digest.ts";
import type { TestHost } from "./host.ts";
import type { Journal } from "./journal.ts";
import type { Mutation } from "./mutant-sample.ts";
import { type MappedTest, projectOfTest, type Reach, type TestMap } from "./test-map.ts";

/** What is recorded of a mutant: a test file that killed it, or the test files that passed with it. */
export type Verdict = (
  | { readonly killedBy: string }
  | {
      readonly passed: readonly string[];
      /** Set while only tests of the mutated package were tried. */
      readonly isOwnOnly?: true;
    }
) & {
  /** Digest of the source and of these test files. */
  readonly digest: string;
};

/** Result of one mutant. */
export type MutationResult = Mutation & {
  /** `unreached`: no test runs the code. It counts against the tests, like `survived`. */
  readonly status: "killed" | "survived" | "unreached";
  /** The test that failed, or its file if an earlier run tried the mutant; null if none did. */
  readonly by: string | null;
  readonly seconds: number;
};

/** Test files beyond this total time, as measured when they were mapped, are skipped. */
export const SECONDS_OF_TESTS: { readonly [reach in Reach]: number } = { own: 15, all: 45 };

/** Tries mutants with one host and one test map. */
export class MutationRun {
  readonly #root: string;
  readonly #host: TestHost;
  readonly #map: TestMap;
  readonly #verdicts: Journal<Verdict>;
  readonly #digests = new Map<string, string>();
  /** Number of mutants of a file that a test killed in this run, by `<file> <test>`. */
  readonly #kills = new Map<string, number>();

  constructor(root: string, host: TestHost, map: TestMap, verdicts: Journal<Verdict>) {
    this.#root = root;
    this.#host = host;
    this.#map = map;
    this.#verdicts = verdicts;
  }

  /**
   * The result of an earlier run, if neither the source nor the deciding tests have changed, and if the map has no
   * further test that could kill a survivor.
   */
  known(mutation: Mutation, reach: Reach = "all"): MutationResult | undefined {
    const verdict = this.#verdict(mutation);
    if (verdict === undefined) return undefined;
    if ("passed" in verdict) {
      if (reach === "all" && verdict.isOwnOnly === true) return undefined;
      const tried = new Set(verdict.passed);
      if (this.#chosen(mutation, reach).some(({ test }) => !tried.has(test))) return undefined;
    } else this.#count(mutation, verdict.killedBy);
    return resultOf(mutation, verdict);
  }

  async try(mutation: Mutation, reach: Reach = "all"): Promise<MutationResult> {
    const startedAt = performance.now();
    const source = readFileSync(join(this.#root, mutation.file), "utf8");
    const { start, end, replacement } = mutation;
    const patch = {
      file: mutation.file,
      source: source.slice(0, start) + replacement + source.slice(end),
    };
    const before = this.#verdict(mutation);
    const passed = before !== undefined && "passed" in before ? [...before.passed] : [];
    let by: string | null = null;
    let killedBy: string | null = null;
    for (const one of this.#byKills(mutation, this.#chosen(mutation, reach))) {
      if (passed.includes(one.test)) continue;
      const failure = await this.#failure(one, patch);
      if (failure === null) passed.push(one.test);
      else if (failure !== undefined) {
        [by, killedBy] = [failure, one.test];
        break;
      }
    }
    const verdict: Verdict =
      killedBy === null
        ? {
            passed,
            ...(reach === "own" ? { isOwnOnly: true } : {}),
            digest: this.#digest(mutation, passed),
          }
        : { killedBy, digest: this.#digest(mutation, [killedBy]) };
    this.#verdicts.add(mutation.id, verdict);
    if (killedBy !== null) this.#count(mutation, killedBy);
    const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
    return { ...resultOf(mutation, verdict), by, seconds };
  }

  /** The recorded verdict, if the source and its tests are unchanged. */
  #verdict(mutation: Mutation): Verdict | undefined {
    const verdict = this.#verdicts.get(mutation.id);
    if (verdict === undefined) return undefined;
    const tests = "passed" in verdict ? verdict.passed : [verdict.killedBy];
    return verdict.digest === this.#digest(mutation, tests) ? verdict : undefined;
  }

  #count({ file }: Mutation, test: string): void {
    const killer = `${file} ${test}`;
    this.#kills.set(killer, (this.#kills.get(killer) ?? 0) + 1);
  }

  /** The test that fails with the mutant; null if all pass, undefined if the file also fails without the mutant. */
  async #failure(
    { test, seconds }: MappedTest,
    patch: { readonly file: string; readonly source: string },
  ): Promise<string | null | undefined> {
    const limitMs = 60_000 + 15_000 * seconds;
    const project = projectOfTest(test);
    const answer = await this.#host.run({ kind: "run", project, test, patch }, limitMs);
    if (answer !== null && !answer.isTimeout) {
      if (answer.failure === null) return null;
      // The map may come from an earlier run, and the test may have begun to fail since then.
      const isPassing = await this.#map.passes(test, this.#host, limitMs);
      return isPassing ? answer.failure : undefined;
    }
    // The machine may be slow, so the test must end in time without the mutant, and again not with it.
    const plain = await this.#host.run({ kind: "run", project, test, patch: null }, limitMs);
    if (plain?.failure !== null) return undefined;
    const again = await this.#host.run({ kind: "run", project, test, patch }, limitMs);
    return again === null || again.isTimeout ? `${test} did not end` : again.failure;
  }

  /** Test files to run, nearest first. */
  #chosen(mutation: Mutation, reach: Reach): readonly MappedTest[] {
    const all = this.#map.testsOf(mutation, reach);
    let seconds = 0;
    const end = all.findIndex((one) => (seconds += one.seconds) > SECONDS_OF_TESTS[reach]);
    return end === -1 ? all : all.slice(0, Math.max(end, 1));
  }

  /** Tests that killed most other mutants of the file in their time run first, because this saves the most time. */
  #byKills(mutation: Mutation, tests: readonly MappedTest[]): readonly MappedTest[] {
    const killsOf = ({ test, seconds }: MappedTest): number =>
      (this.#kills.get(`${mutation.file} ${test}`) ?? 0) / (1 + seconds);
    return tests.toSorted((a, b) => killsOf(b) - killsOf(a));
  }

  #digest(mutation: Mutation, tests: readonly string[]): string {
    const files = [mutation.file, ...tests.toSorted()];
    const digests = files.map((file) => this.#digestOfFile(file)).join(" ");
    return createHash("sha256").update(digests).digest("hex").slice(0, 12);
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

function resultOf(mutation: Mutation, verdict: Verdict): MutationResult {
  if ("killedBy" in verdict) {
    return { ...mutation, status: "killed", by: verdict.killedBy, seconds: 0 };
  }
  const status = verdict.passed.length === 0 ? "unreached" : "survived";
  return { ...mutation, status, by: null, seconds: 0 };
}
