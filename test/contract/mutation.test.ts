/** Seeded mutants: tests kill a mutant that they cover and no other. A few real mutants are tried as well. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { isLong, sampleSize } from "../fixtures/long.ts";
import { dependentWorkspaces } from "../../scripts/mutation/dependents.ts";
import { TestHost } from "../../scripts/mutation/host.ts";
import { Journal } from "../../scripts/mutation/journal.ts";
import { sampleMutations } from "../../scripts/mutation/mutant-sample.ts";
import { readMutationRecord } from "../../scripts/mutation/mutation-record.ts";
import { MutationRun } from "../../scripts/mutation/mutation-run.ts";
import { readSites } from "../../scripts/mutation/mutation-sites.ts";
import { TestMap } from "../../scripts/mutation/test-map.ts";

const ROOT = join(import.meta.dirname, "../..");
const FOLDER = "test/fixtures/mutation";

const host = new TestHost();
afterAll(() => host.stop());

async function runOf(folders: readonly string[], tests: readonly string[]): Promise<MutationRun> {
  const map = new TestMap(ROOT, new Journal(null), { folders, tests });
  for (const one of map.missing()) expect(await map.map(one, host)).toBeNull();
  return new MutationRun(ROOT, host, map, new Journal(null));
}

test(
  "a mutant that tests cover is killed, and an uncovered one survives",
  {
    timeout: 300_000,
  },
  async () => {
    const run = await runOf([FOLDER], [`${FOLDER}/guarded-cases.ts`]);
    const mutations = sampleMutations(ROOT, FOLDER, 100, 1).filter(
      ({ file }) => file === `${FOLDER}/guarded.ts`,
    );
    const find = (original: string, replacement: string) => {
      const found = mutations.find(
        (one) => one.original === original && one.replacement === replacement,
      );
      if (found === undefined) throw new Error(`there is no mutant ${original} → ${replacement}`);
      return found;
    };
    expect(await run.try(find("/", "*"))).toMatchObject({
      status: "killed",
      by: "a quarter of eight",
    });
    expect(await run.try(find("all === 0", "true"))).toMatchObject({ status: "killed" });
    expect(await run.try(find("-1", "1"))).toMatchObject({ status: "unreached", by: null });
    // No test has a case on the boundary `> 0`.
    expect(await run.try(find(">=", ">"))).toMatchObject({ status: "survived", by: null });
    expect(run.known(find("/", "*"))).toMatchObject({
      status: "killed",
      by: `${FOLDER}/guarded-cases.ts`,
    });
  },
);

test(
  "a mutant that never ends is killed, and the next one is tried",
  { timeout: 120_000 },
  async () => {
    const answer = await host.run(
      {
        kind: "run",
        project: "node",
        test: `${FOLDER}/guarded-cases.ts`,
        patch: { file: `${FOLDER}/guarded.ts`, source: "while (true);" },
      },
      2_000,
    );
    expect(answer).toBeNull();
  },
);

const REAL_MUTANTS = sampleSize(1, 8);
/** Every test of the folder is mapped first. */
const REAL_SOURCES = isLong() ? "packages/evaluation/src" : "packages/evaluation/src/release";

test(`tests kill most real mutants (${REAL_MUTANTS} tried)`, { timeout: 300_000 }, async () => {
  const run = await runOf([REAL_SOURCES], [`${REAL_SOURCES}/**/*.test.ts`]);
  const results = [];
  for (const mutation of sampleMutations(ROOT, REAL_SOURCES, REAL_MUTANTS, 1)) {
    results.push(await run.try(mutation));
  }
  const killed = results.filter(({ status }) => status === "killed").length;
  expect(killed / REAL_MUTANTS).toBeGreaterThan(0.5);
});

test("only tests of dependent workspaces are mapped", () => {
  expect([...dependentWorkspaces(ROOT, ["workers/edge/src"])]).toEqual([
    "workers/edge",
    "packages/dev",
    "packages/cli",
  ]);
  const ofProtocol = dependentWorkspaces(ROOT, ["packages/protocol/src"]);
  expect(ofProtocol.size).toBeGreaterThan(10);
  expect(ofProtocol).toContain("trainer");
  const map = new TestMap(ROOT, new Journal(null));
  const missing = map.missing(["workers/edge/src"]);
  expect(missing.length).toBeGreaterThan(20);
  expect(missing.filter((test) => !/^(workers.edge|packages.(dev|cli))\//.test(test))).toEqual([]);
});

test("a seed always gives the same mutants, and a shorter sample is a prefix of a longer one", () => {
  const longer = sampleMutations(ROOT, "packages/protocol/src", 40, 1).map(({ id }) => id);
  const shorter = sampleMutations(ROOT, "packages/protocol/src", 10, 1).map(({ id }) => id);
  expect(shorter).toEqual(longer.slice(0, 10));
  expect(new Set(longer).size).toBe(40);
  expect(sampleMutations(ROOT, "packages/protocol/src", 10, 2).map(({ id }) => id)).not.toEqual(
    shorter,
  );
});

/** `original → replacement` of every mutation of a source. */
const changesOf = (source: string): string[] =>
  readSites("a.ts", source).sites.map(
    ({ start, end, text }) => `${source.slice(start, end)} → ${text}`,
  );

test("types, messages and logging are not mutated", () => {
  expect(changesOf('import { a } from "b"; type C = "d" | 1; export type { C };')).toEqual([]);
  expect(changesOf('const a = <T extends "b">(c: T[1]): c is 2 => c as 3;')).toEqual([]);
  expect(changesOf('log("a", 1); console.error("b"); f({ description: "c" });')).toEqual([
    'f({ description: "c" }); → ;',
  ]);
  expect(changesOf('if (a) throw new TypeError("b " + 1);')).toEqual(["a → true", "a → false"]);
  expect(changesOf('throw new WaggleError("CODE", "text", { cause: 1 });')).toEqual([
    'throw new WaggleError("CODE", "text", { cause: 1 }); → ;',
    '"CODE" → ""',
  ]);
});

test("changes that are equivalent by rule are skipped", () => {
  expect(changesOf("const b = a[i] ?? 0;")).toEqual([]);
  expect(changesOf("const [b = 0] = a;")).toEqual([]);
  expect(changesOf("switch (a) { default: throw new Error(a satisfies never); }")).toEqual([]);
  expect(changesOf("const tiny = 1e-6;")).toEqual([]);
  expect(changesOf("const b = a.get(i) ?? 2;")).toEqual([
    "a.get(i) ?? 2 → (a.get(i))",
    "a.get(i) ?? 2 → (2)",
    "2 → 3",
    "2 → (1)",
  ]);
});

test("the page agrees with the recorded runs", () => {
  const page = readFileSync(join(ROOT, "docs/evidence/seeded-mutants.md"), "utf8");
  for (const { mutants, killed, survivors } of Object.values(readMutationRecord())) {
    expect(page).toContain(`| ${mutants} | ${killed} |`);
    expect(survivors).toHaveLength(mutants - killed);
  }
});
