/**
 * Runs the tests that import changed files, nearest first, until time is up. Only tests in Node: those of pages and
 * of the edge start too slowly for a quick answer.
 */
import { dirname, relative } from "node:path";
import { createVitest, type TestModule, type TestSpecification } from "vitest/node";
import { ROOT } from "../stack.ts";

export type RelatedTests = {
  /** Test files that import a changed file. */
  readonly related: number;
  /** Those that ran to their end. */
  readonly ran: number;
  readonly passed: number;
  /** `<file> > <test>: <first line of the error>`. */
  readonly failures: readonly string[];
};

/** Files that one call of Vitest runs: few, so that time is looked at often. */
const BATCH = 8;

/**
 * @param changed paths from the root.
 * @param deadline in milliseconds since 1970; what runs then is cut off.
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

/** 0 for a changed test, then tests of the same folder, of the same package, and the rest. */
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
