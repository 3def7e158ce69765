/** An environment of an npm package: a project that installed it names it in `--env` of `waggle train`. */
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isLong } from "../fixtures/long.ts";
import { ROOT } from "../../scripts/root.ts";
import { tinyModel } from "../fixtures/tiny-models.ts";

const MAIN = join(ROOT, "packages", "cli", "src", "main.ts");
const ECHO = `import { defineEnvironment } from "@waggle/agent/define";
export const echo = defineEnvironment({
  name: "echo",
  prompt: "You repeat.",
  tasks: ({ pick }) => {
    const word = pick(["yes", "no"]);
    return { request: word, state: {}, data: { word } };
  },
  tools: {},
  verify: ({ text, data }) => text === data.word,
});
`;

let project: string;
beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), "waggle-packaged-"));
  const exports = { "./echo": "./lib/echo.js" };
  const files: { readonly [path: string]: string | Uint8Array } = {
    "package.json": JSON.stringify({ name: "project", type: "module" }),
    "node_modules/word-tasks/package.json": JSON.stringify({
      name: "word-tasks",
      type: "module",
      exports,
    }),
    "node_modules/word-tasks/lib/echo.js": ECHO,
    ...Object.fromEntries(tinyModel("qwen3").map(({ path, bytes }) => [`model/${path}`, bytes])),
  };
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(project, path)), { recursive: true });
    writeFileSync(join(project, path), content);
  }
  symlinkSync(join(ROOT, "node_modules", "@waggle"), join(project, "node_modules", "@waggle"));
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

// Under `npm test`, environment-module.test.ts loads an environment of an installed package.
test.runIf(isLong())(
  "waggle train runs an environment that an installed package exports",
  async () => {
    const line =
      "train --env word-tasks/echo#echo --model model --recipe grpo --set groupSize=2 --set tasks=1 --steps 1 --tasks 1 --turn-tokens 8 --rank 2 --threads 1 --run run --json";
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ["--conditions=source", "--disable-warning=ExperimentalWarning", MAIN, ...line.split(" ")],
      { cwd: project },
    );
    const last = stdout.trimEnd().split("\n").at(-1) ?? "";
    expect(JSON.parse(last)).toMatchObject({ recipe: "grpo", environment: "echo" });
  },
  120_000,
);
