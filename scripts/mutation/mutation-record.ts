/** The recorded runs of seeded mutants: docs/evidence/seeded-mutants.json and the page beside it. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../root.ts";
import { MUTATED_PACKAGES } from "./mutant-sample.ts";
import { type MutationResult, SECONDS_OF_TESTS } from "./mutation-run.ts";

/** Mutants of each package in a whole run. */
export const WHOLE_SAMPLE = 300;

/** Share of mutants that the tests must kill. */
export const MIN_KILLED = 0.8;

/** Counts of one package. */
export type PackageRecord = {
  readonly mutants: number;
  readonly killed: number;
  readonly survived: number;
  /** Mutants in code that no test runs. */
  readonly unreached: number;
  /** `killed / mutants`, with three decimals. */
  readonly ratio: number;
  /** Commit that was checked out. */
  readonly commit: string;
  readonly survivors: readonly string[];
};

/** By full package name. */
export type MutationRecord = { readonly [name: string]: PackageRecord };

const RECORD = join(ROOT, "docs/evidence/seeded-mutants.json");
const PAGE = join(ROOT, "docs/evidence/seeded-mutants.md");

/** Reads the record. */
export function readMutationRecord(): MutationRecord {
  return existsSync(RECORD) ? (JSON.parse(readFileSync(RECORD, "utf8")) as MutationRecord) : {};
}

/** `@waggle/learning` for `learning`. */
export function fullNameOf(name: string): string {
  const path = join(ROOT, MUTATED_PACKAGES[name] ?? "", "../package.json");
  return (JSON.parse(readFileSync(path, "utf8")) as { name: string }).name;
}

/** Counts the results. */
export function summarize(results: readonly MutationResult[]): PackageRecord {
  const count = (status: MutationResult["status"]): number =>
    results.filter((result) => result.status === status).length;
  const killed = count("killed");
  return {
    mutants: results.length,
    killed,
    survived: count("survived"),
    unreached: count("unreached"),
    ratio: results.length === 0 ? 0 : Math.round((killed / results.length) * 1000) / 1000,
    commit: execFileSync("git", ["rev-parse", "--short=8", "HEAD"], {
      cwd: ROOT,
      encoding: "utf8",
    }).trim(),
    survivors: results.filter(({ status }) => status !== "killed").map(describeMutation),
  };
}

/** `packages/a/src/b.ts:12 comparison "<" → "<=": survived`. */
export function describeMutation(result: MutationResult): string {
  const { file, line, operator, original, replacement, status, by } = result;
  const end = by === null ? status : `killed by "${by}"`;
  return `${file}:${line} ${operator} ${short(original)} → ${short(replacement)}: ${end}`;
}

const short = (text: string): string => JSON.stringify(text.replaceAll(/\s+/g, " ").slice(0, 60));

/** Replaces the recorded runs of these packages, except runs with more mutants. */
export function recordMutants(packages: MutationRecord): void {
  const record: { [name: string]: PackageRecord } = { ...readMutationRecord() };
  for (const [name, own] of Object.entries(packages)) {
    if (own.mutants >= (record[name]?.mutants ?? 0)) record[name] = own;
  }
  writeFileSync(RECORD, `${JSON.stringify(record, null, 2)}\n`);
  writeFileSync(PAGE, pageOf(record));
}

function pageOf(record: MutationRecord): string {
  const all = Object.values(record);
  const total = (key: "mutants" | "killed"): number => all.reduce((sum, one) => sum + one[key], 0);
  const percent = (ratio: number): string => `${(ratio * 100).toFixed(1)} %`;
  const rows = Object.entries(record).map(
    ([name, { mutants, killed, survived, unreached, ratio, commit }]) =>
      `| \`${name}\` | ${mutants} | ${killed} | ${survived} | ${unreached} | ${percent(ratio)} | ${commit} |`,
  );
  const isWhole = all.every(({ mutants }) => mutants >= WHOLE_SAMPLE);
  const missing = isWhole
    ? ""
    : `
The run is incomplete: the target is ${WHOLE_SAMPLE} mutants per package. The command resumes from
[\`seeded-mutants.jsonl\`](seeded-mutants.jsonl).
`;
  return `# Seeded mutants

**The tests kill ${total("killed")} of ${total("mutants")} seeded mutants (${percent(total("killed") / total("mutants"))}).**

| package | mutants | killed | survived | no test runs the code | killed | commit |
|---|---|---|---|---|---|---|
${rows.join("\n")}
${missing}
\`\`\`sh
npm run health -- --mutants
\`\`\`

A mutant is one small change of the source: another comparison, one more or one less, an empty text or
list, a condition that is always true, a statement or a call left out. A seed draws the mutants, and each
file is drawn as often as its share of lines. A mutant is killed when a test fails because of it. Tests of
every package count. [\`seeded-mutants.json\`](seeded-mutants.json) lists the mutants that no test killed.
[\`seeded-mutants.jsonl\`](seeded-mutants.jsonl) has the test file that killed each mutant, or the test files that
passed with it. The command tries a mutant again when its source or these tests have changed.

## What is not changed

- Types, tests and imports.
- Messages of errors, log lines, descriptions of schemas and texts that document a recipe.
- Defaults such as \`xs[i] ?? 0\`, which only satisfy the compiler, and branches that end in \`never\`.
- Numbers below 0.001, which are tolerances, and \`break\` at the end of the last case.
- A \`throw\` alone in an \`if\`: a condition that is always false is the same mutant.

## What this does not show

- Some survivors cannot be killed because they do not change behavior. They are counted against the tests.
- Tests in a browser and end-to-end tests are not run, so they kill nothing.
- A mutant survives when the nearest tests that run its code, up to ${SECONDS_OF_TESTS.all} seconds of them, all pass. A new
  test file does not make the command try a survivor again; delete the survivor's line.
- Golden files kill many mutants of recipes, environments and wire schemas. They notice a change; they do not
  say what is right.
- A test that does not end counts as a kill only if it ends in time without the mutant, and again not with it.
`;
}
