/** The steps of `npm test` and `npm run test:long`, cheapest first. */
import { globSync } from "node:fs";
import { basename, join } from "node:path";
import { ROOT } from "../root.ts";

/** A step of `npm test`. */
export type TestStep = {
  /** Name for `--only`. Several steps may share it. */
  readonly name: string;
  readonly title: string;
  readonly command: readonly string[];
  /** True for steps whose tests are counted. */
  readonly isVitest?: boolean;
  /** True for steps that change nothing, use one core for most of their time and follow each other. They run at the same time. */
  readonly isStatic?: boolean;
  /** True for the build that other steps need, also when they run alone. */
  readonly isBuild?: boolean;
};

const END_TO_END = "end to end";

const bin = (name: string): string => join(ROOT, "node_modules", ".bin", name);

const vitest = (name: string, title: string): TestStep => ({
  name,
  title,
  isVitest: true,
  command: [bin("vitest"), "run", "--project", name],
});

const source = (script: string): string[] => [process.execPath, "--conditions=source", script];
const tscOf = (config: string): string[] => [bin("tsc"), "-p", config];

const check = (name: string, title: string, ...command: readonly string[]): TestStep => ({
  name,
  title,
  command,
  isStatic: true,
});

/** One step for each end-to-end file: all of them take more than an hour, and a stopped run goes on at the next one. */
function longEndToEnd(): TestStep[] {
  const files = globSync("test/{e2e,learning}/*.test.ts", { cwd: ROOT }).toSorted();
  return files.map((file) => {
    const step = vitest("e2e", `${END_TO_END}: ${basename(file, ".test.ts")}`);
    return { ...step, command: [...step.command, file] };
  });
}

/** The steps in order. */
export function testSteps(isLong: boolean): readonly TestStep[] {
  return [...STEPS, ...(isLong ? longEndToEnd() : [vitest("e2e", END_TO_END)])];
}

const STEPS: readonly TestStep[] = [
  { name: "format", title: "formatting", command: [bin("oxfmt"), "--check", "."] },
  // Before the build: in a fresh clone, npm start has only the sources too.
  {
    name: "setup",
    title: "set-up from the sources",
    command: source("scripts/setup.ts"),
  },
  // Before the others, because lint reads types of other packages from their builds.
  { name: "types", title: "library build", command: [bin("tsc"), "-b"], isBuild: true },
  check("lint", "lint", bin("oxlint"), "--type-aware", "--max-warnings", "0"),
  check("types", "types of tests", ...tscOf("tsconfig.test.json")),
  check("packages", "packages as published", ...source("scripts/check-packages.ts")),
  check("dead-code", "dead code", bin("knip"), "--no-progress"),
  check("types", "types of the Worker's tests", ...tscOf("workers/edge/tsconfig.test.json")),
  check(
    "types",
    "types of the templates",
    ...tscOf("packages/create-waggle/tsconfig.templates.json"),
  ),
  vitest("node", "unit and golden tests"),
  {
    name: "mutants",
    title: "five of the mutants; npm run test:mutants runs all",
    command: [...source("scripts/mutants.ts"), "--sample", "5"],
  },
  vitest("workers", "edge Worker under workerd"),
  vitest("browser", "Chromium with WebGPU"),
];
