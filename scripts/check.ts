/**
 * `npm run check`: checks your changes within two minutes. Formatting and types are checked everywhere, lint and
 * tests only for changed files. `npm test` remains the authoritative check.
 */
import { spawnSync } from "node:child_process";
import type { Command } from "commander";
import { createCommand } from "../trainer/src/commands/command-line.ts";
import { positive } from "../trainer/src/options/option-values.ts";
import { changedFiles, startOfChanges } from "./checking/changed-files.ts";
import { runRelatedTests } from "./checking/related-tests.ts";
import { ROOT } from "./root.ts";

const program: Command = createCommand("npm run check --")
  .description("check your changes: format, types, lint, and tests that import the changed files")
  .option("--base <commit>", "commit or branch to compare with (default: origin/main or main)")
  .option("--seconds <n>", "time limit; tests that do not fit are skipped", positive, 120)
  .option("--no-tests", "run no tests")
  .parse();
const options = program.opts<{ base?: string; seconds: number; tests: boolean }>();

const began = Date.now();
const deadline = began + 1000 * options.seconds;
const say = (line: string): void =>
  console.log(`${((Date.now() - began) / 1000).toFixed(0).padStart(4)} s  ${line}`);

const from = startOfChanges(options.base);
if (from === null) {
  program.error(`error: no such commit: ${options.base ?? "main"}; set --base`);
}
const changed = changedFiles(from);
if (changed.length === 0) {
  console.log(`no changes since ${from.slice(0, 8)}; set --base to compare with another commit`);
  process.exit(0);
}
say(`${changed.length} changed files since ${from.slice(0, 8)}`);

const TEMPLATES_PROJECT = "packages/create-waggle/tsconfig.templates.json";
const isCode = (path: string): boolean => /\.(ts|mjs)$/.test(path);
const code = changed.filter(isCode);
const STEPS: readonly (readonly [title: string, command: readonly string[]])[] = [
  ["format", ["oxfmt", "--check", "."]],
  ["types", ["tsc", "-b"]],
  ["types of tests", ["tsc", "-p", "tsconfig.test.json"]],
  ...(changed.some((path) => path.startsWith("workers/"))
    ? [["types of the Worker's tests", ["tsc", "-p", "workers/edge/tsconfig.test.json"]] as const]
    : []),
  ...(changed.some((path) => path.startsWith("packages/create-waggle/templates/"))
    ? [["types of the templates", ["tsc", "-p", TEMPLATES_PROJECT]] as const]
    : []),
  ...(code.length > 0
    ? [["lint", ["oxlint", "--type-aware", "--max-warnings", "0", ...code]] as const]
    : []),
];
for (const [title, [command = "", ...args]] of STEPS) {
  say(title);
  const { status } = spawnSync(command, args, { cwd: ROOT, stdio: "inherit" });
  if (status !== 0) {
    console.error(`${title} failed${title === "format" ? "; npm run format fixes it" : ""}`);
    process.exit(1);
  }
}

if (options.tests && code.length > 0) {
  say("tests that import the changed files, closest first");
  const { related, ran, passed, failures } = await runRelatedTests(code, deadline, say);
  for (const failure of failures) console.error(`✗ ${failure}`);
  if (ran < related) console.log(`${related - ran} test files skipped for lack of time`);
  console.log(`${passed} tests passed, ${failures.length} failed; npm test runs everything`);
  process.exit(failures.length === 0 ? 0 : 1);
}
console.log("no tests were run; npm test runs everything");
