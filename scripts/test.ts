/**
 * `npm test`: set-up, then every check in order of cost; ends at the first that fails. Each step says
 * how long it took.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { Command } from "commander";
import { ensureChromium } from "./ensure-chromium.ts";
import { ROOT } from "./stack.ts";

const program = new Command("npm test --")
  .description("Runs every check of the project; `--only <step>` runs one.")
  .option("--only <step>", "format, lint, dead-code, types, packages, node, workers, browser, e2e")
  .parse(process.argv.slice(2), { from: "user" });
const { only } = program.opts<{ only?: string }>();

const bin = (name: string) => join(ROOT, "node_modules", ".bin", name);
const STEPS: readonly { name: string; command: readonly string[]; title: string }[] = [
  { name: "format", title: "formatting", command: [bin("oxfmt"), "--check", "."] },
  // Before lint: what it knows of other packages' types is in their builds.
  { name: "types", title: "library build", command: [bin("tsc"), "-b"] },
  { name: "lint", title: "lint", command: [bin("oxlint"), "--type-aware", "--max-warnings", "0"] },
  { name: "dead-code", title: "dead code", command: [bin("knip"), "--no-progress"] },
  { name: "types", title: "types of tests", command: [bin("tsc"), "-p", "tsconfig.test.json"] },
  {
    name: "types",
    title: "types of the Worker's tests",
    command: [bin("tsc"), "-p", "workers/edge/tsconfig.test.json"],
  },
  {
    name: "packages",
    title: "packages as published",
    command: [process.execPath, "--conditions=source", "scripts/check-packages.ts"],
  },
  {
    name: "node",
    title: "unit and golden tests",
    command: [bin("vitest"), "run", "--project", "node"],
  },
  {
    name: "workers",
    title: "edge Worker under workerd",
    command: [bin("vitest"), "run", "--project", "workers"],
  },
  {
    name: "browser",
    title: "Chromium with WebGPU",
    command: [bin("vitest"), "run", "--project", "browser"],
  },
  { name: "e2e", title: "end to end", command: [bin("vitest"), "run", "--project", "e2e"] },
];

const known = new Set(STEPS.map((step) => step.name));
if (only !== undefined && !known.has(only)) {
  console.error(`--only must be one of ${[...known].join(", ")}, got ${only}`);
  process.exit(2);
}

console.log(`Chromium: ${ensureChromium()}`);
const began = Date.now();
for (const step of STEPS.filter(({ name }) => only === undefined || name === only)) {
  const from = Date.now();
  console.log(`\n── ${step.title}`);
  const [command = "", ...args] = step.command;
  const { status } = spawnSync(command, args, {
    cwd: ROOT,
    stdio: "inherit",
    env: { ...process.env, WRANGLER_SEND_METRICS: "false" },
  });
  const seconds = ((Date.now() - from) / 1000).toFixed(1);
  if (status !== 0) {
    console.error(
      `\n${step.title} failed after ${seconds} s; run it alone with: npm test -- --only ${step.name}`,
    );
    process.exit(1);
  }
  console.log(`── ${step.title}: ${seconds} s`);
}
console.log(`\nall checks passed in ${((Date.now() - began) / 60_000).toFixed(1)} min`);
