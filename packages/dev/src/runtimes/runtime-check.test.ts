/** Environments in workerd and Chromium. A fake runtime imports the bundle into Node. */
import { mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { EnvironmentSpec } from "@waggle/agent/define";
import { WaggleError } from "@waggle/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isLong } from "../../../../test/fixtures/long.ts";
import { findChromium } from "../loop/chromium.ts";
import { checkRuntimes } from "./runtime-check.ts";

const ROOT = join(import.meta.dirname, "../../../..");

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "waggle-runtimes-"));
  await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** An environment with one tool, which returns `value`. */
async function saved(name: string, value: string, before = ""): Promise<string> {
  const file = join(folder, `${name}.ts`);
  await writeFile(
    file,
    `import { defineEnvironment } from "@waggle/agent/define";
${before}
export default defineEnvironment({
  name: ${JSON.stringify(name)},
  prompt: "You count.",
  tasks: ({ random }) => {
    const n = 1000.5 + Math.floor(random() * 1000);
    return { request: "Count " + n, state: { n }, data: null };
  },
  tools: {
    count: {
      description: "Count.",
      parameters: { type: "object", properties: {} },
      run: (_: object, state) => ${value},
    },
  },
  verify: ({ text }) => text === "done",
  demonstrate: () => [["count", {}], "done"],
});
`,
  );
  return file;
}

type Runtime = NonNullable<Parameters<typeof checkRuntimes>[2]>[number];

/** Imports the bundle here, after a change of its text. */
const changed = (name: string, from: string | RegExp, to: string): Runtime => ({
  name,
  place: () => "",
  replay: async (code, recorded) => {
    const file = join(await mkdtemp(join(folder, name)), "replay.mjs");
    await writeFile(file, code.replace(from, to));
    const { replay } = (await import(pathToFileURL(file).href)) as {
      replay: (text: string) => Promise<string>;
    };
    return replay(recorded);
  },
});
const same = changed("same", "", "");

async function specIn(file: string): Promise<EnvironmentSpec> {
  const { default: spec } = (await import(pathToFileURL(file).href)) as {
    default: EnvironmentSpec;
  };
  return spec;
}

async function results(file: string, runtimes?: readonly Runtime[], reward: string | null = null) {
  const spec = await specIn(file);
  return resultsOf(spec, file, runtimes, reward);
}

async function resultsOf(
  spec: EnvironmentSpec,
  file: string,
  runtimes?: readonly Runtime[],
  reward: string | null = null,
  obstacle: string | null = null,
) {
  const found: string[] = [];
  const { signal } = new AbortController();
  const options = { tasks: 100, signal, onProgress: () => {}, obstacle };
  const checked = { spec, file, exportName: "default", reward, project: folder };
  for await (const one of checkRuntimes(checked, options, runtimes)) {
    found.push(`${one.status} ${one.check}: ${one.words}`);
  }
  return found;
}

test("the first difference is shown with both values and a likely cause, and a missing runtime is skipped", async () => {
  const missing = {
    ...same,
    name: "missing",
    replay: () => Promise.reject(new WaggleError("NOT_FOUND", "install it with npx install")),
  };
  const found = await results(await saved("counter", "({ b: 1, a: Math.tanh(2) })"), [
    same,
    changed("other-result", /b: 1/, "c: 1"),
    changed("other-request", '"Count "', '"Add "'),
    changed("other-verdict", '=== "done"', '!== "done"'),
    missing,
  ]);
  expect(found).toEqual([
    "passed in same: 6 tasks with 30 turns give the same results and verdicts in same as in Node, byte for byte; their gold turns call count",
    expect.stringMatching(
      /^failed in other-result: seed 0, train: in turn 1, count gives \{"b":1,"a":0\.96\d+\} in Node and \{"c":1,"a":0\.96\d+\} in other-result\. Likely cause: Math\.tanh may differ/,
    ),
    expect.stringMatching(
      /^failed in other-request: seed 0, train: the task begins with "Count [\d.]+" in Node and "Add /,
    ),
    expect.stringMatching(
      /^failed in other-verdict: seed 0, train: the same turns are judged \{.*\} in Node and \{/,
    ),
    "skipped in missing: install it with npx install",
  ]);
});

test("a tool that only a later task calls is repeated too, and one that no task calls is named", async () => {
  const tool = (name: string): string =>
    `${name}: { description: "Count.", parameters: { ...ONE, required: ["at"] }, run: () => "${name}" },`;
  // Only a call with right arguments reaches the tool.
  const one =
    'const ONE = { type: "object", properties: { at: { const: 7 } }, additionalProperties: false };';
  const file = await saved("seldom", "1", one);
  const source = await readFile(file, "utf8");
  await writeFile(
    file,
    source
      .replace("tasks: ({ random })", "tasks: ({ random, seed })")
      .replace("data: null", 'data: seed === 60 ? "seldom" : "count"')
      .replace("tools: {", `tools: { ${tool("seldom")} ${tool("never")}`)
      .replace(
        'demonstrate: () => [["count", {}]',
        'demonstrate: ({ data }) => [[data, data === "count" ? {} : { at: 7 }]',
      ),
  );
  expect(
    await results(file, [same, changed("other", 'run: () => "seldom"', 'run: () => "SELDOM"')]),
  ).toEqual([
    "passed in same: 7 tasks with 35 turns give the same results and verdicts in same as in Node, byte for byte; their gold turns call seldom and count; no checked task calls never",
    expect.stringMatching(
      /^failed in other: seed 60, train: in turn [2-9], seldom gives "seldom" in Node and "SELDOM"/,
    ),
  ]);
});

test("where no runtime can check it, each is skipped with the reason", async () => {
  const file = await saved("obstructed", "1");
  const spec = await specIn(file);
  expect(await resultsOf(spec, file, undefined, null, "not run, because count hangs")).toEqual([
    "skipped in workerd: not run, because count hangs",
    "skipped in Chromium: not run, because count hangs",
  ]);
});

test("an import that pages do not have is named", async () => {
  const before = 'import { readFileSync } from "node:fs";';
  expect(await results(await saved("files", "readFileSync.length", before), [same])).toEqual([
    expect.stringMatching(
      /^failed in same: .* count gives 2 in Node and "Module .*node:fs.* Likely cause: node:fs is not the same/,
    ),
  ]);
});

test("the site's reward is part of the verdict", async () => {
  const reward = join(folder, "reward.ts");
  await writeFile(reward, "export default () => 0.25;");
  expect(await results(await saved("rewarded", "1"), [same], reward)).toEqual([
    expect.stringMatching(
      /^failed in same: .*the same turns are judged .* in Node and .*"reward":0\.25/,
    ),
  ]);
});

test("whether it cannot be played or cannot be bundled is told apart", async () => {
  const file = await saved("unprepared", "1");
  await writeFile(join(folder, "unbundled.ts"), 'export * from "./no-such-module.ts";');
  const spec = await specIn(file);
  const broken: EnvironmentSpec = {
    ...spec,
    task: () => {
      throw new Error("no tasks left");
    },
  };
  expect(await resultsOf(broken, file, [same, same])).toEqual([
    "failed runtimes: the environment cannot be played: no tasks left",
  ]);
  expect(await resultsOf(spec, join(folder, "unbundled.ts"), [same, same])).toEqual([
    expect.stringMatching(
      /^failed runtimes: the environment cannot be bundled for pages and Workers: \[UNRESOLVED_IMPORT\] Could not resolve '.\/no-such-module\.ts' in .*unbundled\.ts$/,
    ),
  ]);
});

test.runIf(findChromium())(
  "language and user agent are caught in workerd and in Chromium",
  async () => {
    const value = isLong()
      ? "state.n.toLocaleString()"
      : "navigator.userAgent.length + state.n.toLocaleString()";
    const [workerd, chromium] = await results(await saved("places", value));
    expect(chromium).toMatch(
      /^failed in Chromium: seed 0, train: in turn 1, count gives "[\d,]+\.\d+" in Node and "[\d.]+,\d+" in Chromium \(.*\)\. Likely cause: toLocaleString depends on the language/,
    );
    expect(workerd).toMatch(
      isLong() ? /^passed/ : /^failed in workerd: .*in workerd\. Likely cause/,
    );
  },
  120_000,
);

test.runIf(isLong() && findChromium())(
  "the examples of the docs and environments that read the runtime, in workerd and Chromium",
  async () => {
    for (const name of ["support-desk", "budget-sheet"]) {
      const found = await results(join(ROOT, `docs/examples/${name}.ts`));
      expect(found.map((one) => one.slice(0, 18))).toEqual([
        "passed in workerd:",
        "passed in Chromium",
      ]);
    }
    for (const [name, value] of [
      ["runtime", "process.version"],
      ["agent", "navigator.userAgent"],
    ] as const) {
      const found = await results(await saved(name, value));
      expect(found.map((one) => one.slice(0, 6))).toEqual(["failed", "failed"]);
    }
    // Workers have the time zone UTC, which this machine may have too.
    const [, inOtherZone] = await results(await saved("zone", "new Date(2026, 0, 1).toString()"));
    expect(inOtherZone).toMatch(/^failed in Chromium/);
    // Workers have `process`, and pages do not.
    const [, thrown] = await results(await saved("thrown", "1", "const home = process.cwd();"));
    expect(thrown).toMatch(
      /^failed in Chromium: .*process is not defined.* Likely cause: process/s,
    );
  },
  300_000,
);
