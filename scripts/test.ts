/**
 * `npm test`: prepares, then runs every check in order of cost and stops at the first failure. The last line counts the
 * tests. `npm run test:long` runs every case of the tests that `npm test` samples, and goes on after a failure.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { Option } from "commander";
import { createCommand } from "../trainer/src/commands/command-line.ts";
import { ensureChromium } from "./ensure-chromium.ts";
import { ROOT } from "./root.ts";
import { LongRun } from "./testing/long-run.ts";
import { runSteps } from "./testing/run-steps.ts";
import { type TestStep, testSteps } from "./testing/test-steps.ts";

const isLong = process.argv.includes("--long");
const all = testSteps(isLong);
const again = isLong ? "npm run test:long --" : "npm test --";
const program = createCommand(again)
  .description(
    isLong
      ? "run every check with every case, and record the result; a stopped run continues where it was"
      : "run every check; long tests run a sample of their cases, test:long runs all of them",
  )
  .addOption(
    new Option("--only <step>", "run one step").choices([...new Set(all.map(({ name }) => name))]),
  )
  .option("--long", "run every case of every test, like npm run test:long")
  .parse();
const { only } = program.opts<{ only?: string }>();

console.log(`Chromium: ${ensureChromium()}`);
mkdirSync(join(ROOT, ".waggle"), { recursive: true });
const began = Date.now();
const longRun = isLong ? new LongRun(ROOT) : null;
let passed = 0;
let failed = 0;
const chosen = all.filter(
  ({ name, isBuild = false }) => only === undefined || name === only || isBuild,
);
const isFound = (step: TestStep): boolean => longRun?.found(step.title) !== undefined;
// A run in which every step has passed is not continued. The next one starts over.
const earlier = chosen.every(isFound) ? [] : chosen.filter(isFound);
for (const { title } of earlier) {
  passed += longRun?.found(title) ?? 0;
  console.log(`── ${title}: passed in an earlier run of this commit`);
}
const steps = chosen.filter((step) => !earlier.includes(step));
for await (const { step, result, isGood } of runSteps(steps, isLong)) {
  passed += result.passed;
  failed += result.failed;
  if (!isGood) {
    process.exitCode = 1;
    // A step without tests, or a crash of the runner, counts as one failure.
    if (result.failed === 0) failed += 1;
    console.error(
      `\n${step.title} failed after ${result.seconds} s; run it alone with: ${again} --only ${step.name}`,
    );
    // The other steps of a long run are worth their time, unless nothing was built.
    if (isLong && step.isBuild !== true) continue;
    break;
  }
  longRun?.keep(step.title, result);
  console.log(`── ${step.title}: ${result.seconds} s`);
}
if (process.exitCode === undefined) {
  console.log(`\nall checks passed in ${((Date.now() - began) / 60_000).toFixed(1)} min`);
}
console.log(`${passed} passed, ${failed} failed`);
