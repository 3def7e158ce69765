/** Counterparts that the test files of `npm test` already try: their tests are run and counted. */
import { join } from "node:path";
import { type TestCase, startVitest } from "vitest/node";
import { ROOT } from "../../scripts/root.ts";
// Declares the scenarios that a test reports.
import type {} from "../fixtures/conformance-suite.ts";
import { type Counterpart, type Deviation, installedVersion, type Outcome } from "./counterpart.ts";

/** Some tests of one file. */
type TestSelection = {
  /** Project of vite.config.ts. */
  readonly project: "node" | "workers" | "browser" | "e2e";
  readonly file: string;
  /** Full names of the tests with the counterpart. Default: all. */
  readonly only?: RegExp;
  /** Full names of tests that show deviations. They can fail, but are not counted as passed. */
  readonly deviating?: RegExp;
};

/** What the counterpart consists of. */
type TestedCounterpart = {
  /** Its packages. The first one gives the name. */
  readonly packages: readonly [string, ...string[]];
  readonly area: string;
  readonly tests: readonly TestSelection[];
  readonly deviations?: readonly Deviation[];
};

/** A counterpart whose cases are tests. A test that reports scenarios counts as that many cases. */
export function testedCounterpart(options: TestedCounterpart): Counterpart {
  const { packages, area, tests, deviations = [] } = options;
  const [name, ...others] = packages;
  const versions = others.map((other) => `${other} ${installedVersion(other)}`);
  return {
    name,
    area,
    version: [installedVersion(name), ...versions].join(", "),
    run: () => runTests({ tests, deviations }),
  };
}

/** Runs tests that try a counterpart, and counts them. */
export async function runTests({
  tests,
  deviations,
}: {
  readonly tests: readonly TestSelection[];
  readonly deviations: readonly Deviation[];
}): Promise<Outcome> {
  let passed = 0;
  const failed: string[] = [];
  for (const [project, own] of Map.groupBy(tests, (selection) => selection.project)) {
    const { results, errors } = await runFiles(
      project,
      own.map(({ file }) => file),
    );
    failed.push(...errors);
    for (const selection of own) {
      const outcome = count(selection, results);
      passed += outcome.passed;
      failed.push(...outcome.failed);
    }
  }
  return { passed, failed, deviations };
}

/** Counts the tests of a selection. */
function count(
  { file, only, deviating }: TestSelection,
  results: readonly TestCase[],
): Omit<Outcome, "deviations"> {
  let passed = 0;
  const failed: string[] = [];
  const chosen = results.filter(
    ({ fullName, module }) =>
      module.moduleId === join(ROOT, file) && (only === undefined || only.test(fullName)),
  );
  for (const each of chosen) {
    const { state, errors } = each.result();
    if (state !== "passed") {
      const reason = errors?.[0]?.message.split("\n")[0] ?? `its state is ${state}`;
      failed.push(`${each.fullName}: ${reason}`);
    } else if (deviating?.test(each.fullName) !== true) {
      passed += each.meta().scenarios ?? 1;
    }
  }
  if (chosen.length === 0) failed.push(`no test ran in ${file}`);
  return { passed, failed };
}

type FileResults = { readonly results: readonly TestCase[]; readonly errors: readonly string[] };

/** Runs by project and files, because some files have tests with two counterparts. */
const runs = new Map<string, Promise<FileResults>>();

function runFiles(project: string, files: readonly string[]): Promise<FileResults> {
  const key = [project, ...files].join(" ");
  const run = runs.get(key) ?? startFiles(project, files);
  runs.set(key, run);
  return run;
}

async function startFiles(project: string, files: readonly string[]): Promise<FileResults> {
  const results: TestCase[] = [];
  const vitest = await startVitest(
    "test",
    files.map((file) => join(ROOT, file)),
    {
      root: ROOT,
      project: [project],
      watch: false,
      reporters: [{ onTestCaseResult: (each) => void results.push(each) }],
    },
  );
  const errors = [
    ...vitest.state.getUnhandledErrors().map((error) => (error as Error).message),
    ...vitest.state
      .getTestModules()
      .flatMap((module) => module.errors().map(({ message }) => `${module.moduleId}: ${message}`)),
  ];
  await vitest.close();
  return { results, errors };
}
