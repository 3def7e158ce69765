/** The steps of `npm test`, cheapest first. */
import { join } from "node:path";
import { ROOT } from "../root.ts";

/** A step of `npm test`. */
export type TestStep = {
  /** Name for `--only`. Several steps may share it. */
  readonly name: string;
  readonly title: string;
  readonly command: readonly string[];
  /** True for steps whose tests are counted. */
  readonly isVitest?: boolean;
};

const bin = (name: string): string => join(ROOT, "node_modules", ".bin", name);

const vitest = (name: string, title: string): TestStep => ({
  name,
  title,
  isVitest: true,
  command: [bin("vitest"), "run", "--project", name],
});

/** The steps in order. */
export const TEST_STEPS: readonly TestStep[] = [
  { name: "format", title: "formatting", command: [bin("oxfmt"), "--check", "."] },
  // Before the build: in a fresh clone, npm start has only the sources too.
  {
    name: "setup",
    title: "set-up from the sources",
    command: [process.execPath, "--conditions=source", "scripts/setup.ts"],
  },
  // Before lint, because lint reads types of other packages from their builds.
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
    name: "types",
    title: "types of the templates",
    command: [bin("tsc"), "-p", "packages/create-waggle/tsconfig.templates.json"],
  },
  {
    name: "packages",
    title: "packages as published",
    command: [process.execPath, "--conditions=source", "scripts/check-packages.ts"],
  },
  vitest("node", "unit and golden tests"),
  {
    name: "mutants",
    title: "five of the mutants; npm run test:mutants runs all",
    command: [process.execPath, "--conditions=source", "scripts/mutants.ts", "--sample", "5"],
  },
  vitest("workers", "edge Worker under workerd"),
  vitest("browser", "Chromium with WebGPU"),
  vitest("e2e", "end to end"),
];
