/** How `waggle base` and `train-base --env` measure a base, also if they are stopped while they do. */
import { existsSync, readFileSync } from "node:fs";
import { appendFile, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineEnvironment } from "@waggle/agent/define";
import { environmentNamed } from "@waggle/environments";
import { expect, onTestFinished, test } from "vitest";
import { isLong } from "../../../test/fixtures/long.ts";
import { ENVIRONMENT_BASE, environmentBase } from "./environment-base.ts";
import { trainEnvironmentBase } from "./train-environment-base.ts";

/**
 * @returns makes and measures the base in a new folder, and how it went.
 */
async function baseFolder() {
  const folder = await mkdtemp(join(tmpdir(), "waggle-base-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, "base.measured.jsonl");
  const kept = (): string[] =>
    existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
  /** @param stopsAt - number of kept verdicts at which it is stopped */
  const make = async (stopsAt = Infinity, more: { readonly [option: string]: unknown } = {}) => {
    const stop = new AbortController();
    const said: string[] = [];
    const out: string[] = [];
    let verdicts = 0;
    const spec = defineEnvironment({
      name: "echo",
      prompt: "You repeat numbers.",
      tasks: ({ random }) => {
        const number = String(Math.floor(900 * random()));
        return { request: `Say ${number}.`, values: [number], state: {}, data: number };
      },
      tools: {},
      // Demonstrations are judged too, before the base is made.
      verify: ({ text, data }) => {
        verdicts += 1;
        if (kept().length >= stopsAt) stop.abort();
        return text === data;
      },
      demonstrate: ({ data }) => [data],
    });
    const options = {
      spec,
      out: join(folder, "base"),
      bases: "",
      steps: 1,
      tasks: 10,
      saveEvery: 100,
      tensorboard: false,
      json: false,
      ...more,
    };
    const write = {
      out: (line: string) => out.push(line),
      error: (line: string) => said.push(line),
    };
    const failure = await trainEnvironmentBase(options, write, stop.signal).then(
      () => null,
      (error: unknown) => error,
    );
    return { failure, verdicts, said: said.join("\n"), out: out.join("\n") };
  };
  return { folder, file, kept, make };
}

test("a stop while the base is measured keeps what was measured, and the same command goes on", async () => {
  const { folder, file, kept, make } = await baseFolder();
  const stopped = await make(1);
  expect(stopped.failure).toMatchObject({ name: "AbortError" });
  expect(stopped.said).toContain("base of echo, made once  1/1 ");
  expect(stopped.said).toMatch(
    /\nstopped; the base and what was measured are kept\. It solves \d+\.\d % of \d+ tasks greedily so far\. Run the same command again to go on, or with fewer --tasks$/,
  );
  expect(stopped.out).toBe("");
  expect(await readdir(join(folder, "base"))).toContain("model.safetensors");
  const first = kept().length;
  expect(stopped.said).toContain(` % of ${first} tasks greedily`);
  // A kill in the middle of a write leaves a part of a line.
  await appendFile(file, '{"model":"');

  // Stopped again, among the sampled tasks.
  const later = await make(12);
  expect(later.said).toContain(`the measurement goes on after ${first} of 20 tasks; --no-resume`);
  expect(later.said).toMatch(/It solves .* % of 10 tasks greedily and .* % of \d+ sampled so far/);
  const second = kept().length;
  expect(second).toBeGreaterThan(10);

  const again = await make();
  expect(again.failure).toBeNull();
  expect(again.said).not.toMatch(/made once|stopped|measured again/);
  expect(again.said).toContain("held-out tasks  20/20");
  expect(again.out).toContain("of 10 held-out tasks of echo");
  expect(await readdir(folder)).toEqual(["base"]);

  const repeated = await make();
  expect(repeated.said).toContain("the base is there already; it is measured again");
  // No task was rolled out twice. Both runs also judge the demonstrations.
  expect(repeated.verdicts - again.verdicts).toBe(second);
});

test("a base from a model plays as many tasks with tools never seen as of its environment", async () => {
  const { folder, make } = await baseFolder();
  const from = join(folder, "first");
  const recipe = { ...ENVIRONMENT_BASE, steps: 1, batchSize: 1, width: 32, layers: 1 };
  await environmentBase(environmentNamed("bandit"), from, recipe, {
    onProgress: () => {},
    signal: new AbortController().signal,
  });
  const { failure, out, said } = await make(undefined, { from, tasks: 2 });
  expect(failure).toBeNull();
  expect(said).toContain("held-out tasks  6/6");
  expect(out).toContain("of 2 held-out tasks of echo");
  expect(out).toContain("of 2 tasks with tools never seen");
}, 60_000);

// Under `npm test`, pretraining-run.test.ts begins anew without resuming.
test.runIf(isLong())(
  "--no-resume begins the measurement again, and --json prints what was measured",
  async () => {
    const { make } = await baseFolder();
    const stopped = await make(1, { json: true });
    expect(JSON.parse(stopped.said.split("\n").at(-1) ?? "")).toMatchObject({
      event: "stopped",
      greedy: { trials: expect.any(Number), rate: expect.any(Number) },
    });
    const again = await make(undefined, { resume: false });
    expect(again.failure).toBeNull();
    expect(again.said).not.toContain("the measurement goes on");
  },
);
