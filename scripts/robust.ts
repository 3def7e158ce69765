/**
 * `npm run test:robust`: lists every fault that the tests inject into real components, one row each. Runs all cases of
 * each test, unlike `npm test`. `--json` prints one line of JSON per fault and the totals last.
 */
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestCase } from "vitest/node";
import { startVitest } from "vitest/node";
import type { FaultRow } from "../test/fixtures/fault.ts";
import { createCommand } from "../trainer/src/commands/command-line.ts";
import { ensureChromium } from "./ensure-chromium.ts";
import { robustPages } from "./robust-page.ts";
import { ROOT } from "./root.ts";

const program = createCommand("npm run test:robust --")
  .description("inject every known fault into real components and count the losses")
  .option("--json", "print JSON lines; the last one has the totals")
  .option("--record", "write the pages in docs/evidence if nothing failed")
  .parse();
const { json = false, record: records = false } = program.opts<{
  json?: boolean;
  record?: boolean;
}>();
const began = Date.now();
const say = (text: string) => (json ? console.error(text) : console.log(text));

const files = globSync(
  [
    "{packages,apps,workers}/*/src/**/*.test.ts",
    "trainer/src/**/*.test.ts",
    "test/{architecture,golden,contract,e2e}/**/*.test.ts",
  ],
  // Its 200 faults are run by test:faults.
  { cwd: ROOT, exclude: ["test/e2e/kill.test.ts"] },
).filter((file) => readFileSync(join(ROOT, file), "utf8").includes("fixtures/fault.ts"));

ensureChromium();
process.env["WAGGLE_LONG"] = "1";
const rows: FaultRow[] = [];
const failures: string[] = [];

function record(test: TestCase): void {
  const { state, errors } = test.result();
  const { fault, faultItem } = test.meta();
  if (state === "passed" && fault !== undefined) {
    rows.push(fault);
    const { item, title, before, after } = fault;
    if (json) console.log(JSON.stringify({ ...fault, failed: false }));
    else say(`✓ ${item}  ${title}\n       before: ${before}\n       after:  ${after}`);
  } else if (state === "failed" && faultItem !== undefined) {
    failures.push(test.fullName);
    const reason = errors?.[0]?.message.split("\n")[0] ?? "no reason given";
    if (json) console.log(JSON.stringify({ title: test.fullName, failed: true, reason }));
    else say(`✗ ${test.fullName}: ${reason}`);
  }
}

say(`${files.length} files with faults`);
const vitest = await startVitest(
  "test",
  files.map((file) => join(ROOT, file)),
  {
    root: ROOT,
    watch: false,
    reporters: [{ onTestCaseResult: record }],
  },
);
const isBroken = vitest.state.getUnhandledErrors().length > 0;
await vitest.close();
const sum = (of: (row: FaultRow) => number) => rows.reduce((total, row) => total + of(row), 0);
const totals = {
  faults: rows.length,
  failed: failures.length,
  lost: sum((row) => row.lost),
  twice: sum((row) => row.twice),
  trainerExits: sum((row) => row.trainerExits),
};
if (records && totals.failed === 0) {
  const minutes = (Date.now() - began) / 60_000;
  const { page, appendix } = robustPages(rows, totals, minutes);
  writeFileSync(join(ROOT, "docs/evidence/robust.md"), page);
  writeFileSync(join(ROOT, "docs/evidence/appendix/robust.md"), appendix);
}
console.log(JSON.stringify(totals));
process.exit(totals.failed === 0 && rows.length > 0 && !isBroken ? 0 : 1);
