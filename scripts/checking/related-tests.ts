/**
 * Runs the tests that import changed files, closest first, until the time is up. Only tests in Node: browser and
 * edge tests start too slowly for a quick check.
 */
import { dirname, relative } from "node:path";
import { createVitest, type TestModule, type TestSpecification } from "vitest/node";
import { ROOT } from "../root.ts";

/** Counts and failures. */
export type RelatedTests = {
  /** Number of test files that import a changed file. */
  readonly related: number;
  /** Number of test files that finished. */
  readonly ran: number;
  readonly passed: number;
  /** `<file> > <test>: <first line of the error>`. */
  readonly failures: readonly string[];
};

/** Files per Vitest run. Small, so that the deadline is checked often. */
const BATCH = 8;

/**
 * @param changed paths relative to the root.
 * @param deadline in milliseconds since 1970. A run in progress is cut off then.
 */
export async function runRelatedTests(
  changed: readonly string[],
  deadline: number,
  say: (line: string) => void,
): Promise<RelatedTests> {
  const vitest = await createVitest("test", {
    root: ROOT,
    watch: false,
    project: ["node"],
    related: [...changed],
    passWithNoTests: true,
    reporters: [],
  });
  const found = await vitest.getRelevantTestSpecifications();
  const waiting = found.toSorted((a, b) => distance(a, changed) - distance(b, changed));
  const related = waiting.length;
  const failures: string[] = [];
  let ran = 0;
  let passed = 0;
  const timer = setTimeout(() => void vitest.cancelCurrentRun("keyboard-input"), left(deadline));
  while (waiting.length > 0 && left(deadline) > 0) {
    const { testModules } = await vitest.runTestSpecifications(waiting.splice(0, BATCH));
    for (const module of testModules) {
      if (module.state() === "queued" || module.state() === "pending") continue;
      ran += 1;
      passed += [...module.children.allTests("passed")].length;
      failures.push(...failuresOf(module));
    }
    say(`${ran} of ${related} test files, ${passed} tests passed, ${failures.length} failed`);
    vitest.state.filesMap.clear();
  }
  clearTimeout(timer);
  await vitest.close();
  return { related, ran, passed, failures };
}

const left = (deadline: number): number => Math.max(0, deadline - Date.now());

/** 0 for a changed test, then 1 for the same folder, 2 for the same package, and 3 for the rest. */
function distance({ moduleId }: TestSpecification, changed: readonly string[]): number {
  const test = relative(ROOT, moduleId);
  const packageOf = (path: string): string => path.split("/src/")[0] ?? path;
  if (changed.includes(test)) return 0;
  if (changed.some((path) => dirname(path) === dirname(test))) return 1;
  return changed.some((path) => packageOf(path) === packageOf(test)) ? 2 : 3;
}

function failuresOf(module: TestModule): string[] {
  const file = module.relativeModuleId;
  const line = (message = "no message"): string => message.split("\n")[0] ?? "";
  const tests = [...module.children.allTests("failed")].map(
    (test) => `${file} > ${test.fullName}: ${line(test.result().errors?.[0]?.message)}`,
  );
  return [...module.errors().map(({ message }) => `${file}: ${line(message)}`), ...tests];
}
