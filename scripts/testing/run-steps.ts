/** Runs the steps of `npm test` and counts their tests. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT } from "../root.ts";
import type { StepResult } from "./long-run.ts";
import type { TestStep } from "./test-steps.ts";

/** A step that has ended. */
export type EndedStep = {
  readonly step: TestStep;
  readonly result: StepResult;
  readonly isGood: boolean;
};

/** Static steps that run at the same time. */
const AT_ONCE = 2;

const COUNTS = join(ROOT, ".waggle", "test-counts.json");

/** Runs steps in order, and static ones that follow each other two at a time. Returning early ends those that run. */
export async function* runSteps(
  steps: readonly TestStep[],
  isLong: boolean,
): AsyncGenerator<EndedStep> {
  const shared = mkdtempSync(join(tmpdir(), "waggle-test-"));
  const left = [...steps];
  const running = new Map<TestStep, { child: ChildProcess; ended: Promise<EndedStep> }>();
  try {
    while (left.length > 0 || running.size > 0) {
      const [next] = left;
      const areStatic = [next, ...running.keys()].every((step) => step?.isStatic === true);
      const room = areStatic ? AT_ONCE : 1;
      if (next !== undefined && running.size < room) {
        left.shift();
        running.set(next, start(next, isLong, shared));
        continue;
      }
      const ended = await Promise.race([...running.values()].map((one) => one.ended));
      running.delete(ended.step);
      yield ended;
    }
  } finally {
    for (const { child } of running.values()) child.kill();
    // A process that is still ending may write to it.
    rmSync(shared, { recursive: true, force: true, maxRetries: 5 });
  }
}

/**
 * Starts a step. What a static step prints is kept until it has ended.
 * @param shared - a folder of all steps. Node keeps compiled code there, because hundreds of processes load the same files.
 *   The packages are packed there once.
 */
function start(
  step: TestStep,
  isLong: boolean,
  shared: string,
): { child: ChildProcess; ended: Promise<EndedStep> } {
  const from = Date.now();
  const { isStatic = false, isVitest = false } = step;
  if (!isStatic) console.log(`\n── ${step.title}`);
  if (isVitest) rmSync(COUNTS, { force: true });
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${COUNTS}`];
  const [command = "", ...args] = [...step.command, ...(isVitest ? reporters : [])];
  const child = spawn(command, args, {
    cwd: ROOT,
    stdio: isStatic ? ["ignore", "pipe", "pipe"] : "inherit",
    env: {
      ...process.env,
      NODE_COMPILE_CACHE: join(shared, "compiled"),
      WAGGLE_PACKED: join(shared, "packed"),
      WRANGLER_SEND_METRICS: "false",
      ...(isLong ? { WAGGLE_LONG: "1" } : {}),
    },
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => (printed += text));
  }
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  }).then((status) => {
    const seconds = Number(((Date.now() - from) / 1000).toFixed(1));
    if (isStatic) process.stdout.write(`\n── ${step.title}\n${printed}`);
    const counts = isVitest ? countTests() : { passed: 0, failed: 0 };
    return { step, result: { seconds, ...counts }, isGood: status === 0 };
  });
  return { child, ended };
}

/** The number of tests that Vitest counted in the last step. */
function countTests(): { passed: number; failed: number } {
  if (!existsSync(COUNTS)) return { passed: 0, failed: 0 };
  const counted = JSON.parse(readFileSync(COUNTS, "utf8")) as {
    numPassedTests: number;
    numFailedTests: number;
  };
  return { passed: counted.numPassedTests, failed: counted.numFailedTests };
}
