/** An environment of a user's file in the commands that take `--env`. */
import {
  appendFile,
  copyFile,
  cp,
  mkdir,
  mkdtemp,
  readFile,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { environmentFrom } from "../extensions/environment-module.ts";
import { ENVIRONMENT_BASE } from "../pretrain/environment-base.ts";
import { runStudy } from "../studies/run-study.ts";
import { studyNamed } from "../studies/studies.ts";
import { type Arm, catalogued, studyIn } from "../studies/study.ts";
import type { TrialRun } from "../trials/trial.ts";
import { createProgram } from "./program.ts";

const ROOT = join(import.meta.dirname, "../../..");

let folder: string;
let site: string;
let base: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "waggle-own-"));
  await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"));
  site = join(folder, "support-desk.ts");
  base = join(folder, "bases", "support-desk");
  await copyFile(join(ROOT, "docs/examples/support-desk.ts"), site);
  await run(`train-base --env ${site} --bases ${join(folder, "bases")} --steps 1 --tasks 2`);
}, 120_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

type Lines = { readonly out: string[]; readonly progress: string[] };

/** @param stopAt - aborts once a progress line contains this text */
async function run(line: string, stopAt?: string): Promise<Lines> {
  const controller = new AbortController();
  const lines: Lines = { out: [], progress: [] };
  const listen =
    (into: string[]) =>
    (text: string): void => {
      into.push(text);
      if (stopAt !== undefined && text.includes(stopAt)) controller.abort();
    };
  const program = createProgram({
    signal: controller.signal,
    writeOut: listen(lines.out),
    writeError: listen(lines.progress),
    environment: {},
  });
  await program.parseAsync(line.split(" "), { from: "user" }).catch((error: unknown) => {
    if (!controller.signal.aborted) throw error;
  });
  return lines;
}

const trainLine = (name: string): string =>
  `train --env ${site} --model ${base} --recipe grpo --set groupSize=2 --set tasks=1 --steps 2 --tasks 2 --save-every 1 --turn-tokens 16 --rank 2 --threads 1 --run ${join(folder, name)} --json`;

test("train-base makes a base model from the demonstrations, and keeps it while they stay the same", async () => {
  const line = `train-base --env ${site} --bases ${join(folder, "bases")} --steps 1 --tasks 2 --json`;
  const { out, progress } = await run(line);
  expect(progress).toEqual(['{"event":"evaluation","done":4,"tasks":4,"secondsLeft":0}']);
  expect(JSON.parse(out[0] ?? "")).toMatchObject({
    folder: base,
    environment: "support-desk",
    sampled: { successes: expect.any(Number) },
  });
  const record = JSON.parse(await readFile(join(base, "base.json"), "utf8")) as object;
  expect(record).toMatchObject({ spec: "support-desk", demonstrations: expect.any(String) });
});

test("train-base warns about a base that solves almost nothing", async () => {
  const line = `train-base --env ${site} --bases ${join(folder, "bases")} --steps 1 --tasks 2`;
  expect((await run(line)).progress.at(-1)).toMatch(
    /^warning: this base solves almost nothing.*base\.from "default"/,
  );
});

test("train takes steps in it, and a stopped run goes on unless the file has changed", async () => {
  const whole = await run(trainLine("whole"));
  expect(JSON.parse(whole.out.at(-1) ?? "")).toMatchObject({
    recipe: "grpo",
    environment: "support-desk",
  });
  await run(trainLine("part"), '"event":"step"');
  await appendFile(site, "// changed\n");
  await expect(run(trainLine("part"))).rejects.toMatchObject({
    code: "CONFLICT",
    message: expect.stringMatching(/environmentSource was .*support-desk\.ts [0-9a-f]{16}" and is/),
  });
}, 120_000);

test("evaluate and simulate run its tasks", async () => {
  const evaluated = await run(
    `evaluate --env ${site} --model ${base} --versions 0 --tasks 2 --turn-tokens 16 --temperatures 0 --state ${join(folder, "none")}`,
  );
  expect(evaluated.out).toHaveLength(1);
  expect(JSON.parse(evaluated.out[0] ?? "")).toMatchObject({ tasks: 2 });
  expect(evaluated.progress).toEqual([
    "version 0 at temperature 1: 2 of 2 tasks",
    "version 0 greedily: 2 of 2 tasks",
  ]);
  const simulated = await run(
    `simulate --env ${site} --model ${base} --steps 1 --groups-per-step 1 --group-size 2 --evaluation-tasks 2 --turn-tokens 16 --rank 2 --threads 1 --run ${join(folder, "simulated")} --json`,
  );
  expect(JSON.parse(simulated.out[0] ?? "")).toMatchObject({ base: expect.any(Number) });
}, 120_000);

test("a study in it has runs of its own, and adds none to those of an environment that has changed", async () => {
  const output = join(folder, "studies");
  const path = join(output, "algorithm-support-desk-runs.jsonl");
  await mkdir(output);
  await writeFile(path, `${JSON.stringify({ environmentSource: "./other.ts 0123" })}\n`);
  await expect(run(`study algorithm --env ${site} --output ${output}`)).rejects.toMatchObject({
    code: "CONFLICT",
    message: expect.stringMatching(
      /algorithm-support-desk-runs\.jsonl has runs in \.\/other\.ts 0123, and the environment is now .*support-desk\.ts [0-9a-f]{16}; choose another folder with --output$/,
    ),
  });
});

test("a study in it runs to its end and names it in every run", async () => {
  const bases = join(folder, "given");
  await cp(base, join(bases, "support-desk"), { recursive: true });
  // The study makes a base of 700 steps unless the record of one says that it has them. This one has few.
  const file = join(bases, "support-desk", "base.json");
  const record = JSON.parse(await readFile(file, "utf8")) as object;
  await writeFile(file, JSON.stringify({ ...record, steps: ENVIRONMENT_BASE.steps }));
  const output = join(folder, "whole-study");
  const spec = await environmentFrom(site);
  const asked = studyNamed("planning");
  const tiny = { groupSize: 2, tasks: 1 };
  const small = ({ name }: Arm): Arm => catalogued(name, "grpo", tiny);
  const [first, second, ...others] = asked.arms;
  const arms = [small(first), small(second), ...others.map(small)] as const;
  const study = studyIn({ ...asked, tokens: 1, arms }, spec, site);
  await runStudy(study, spec, {
    seeds: 1,
    evaluationTasks: 1,
    bases,
    output,
    signal: new AbortController().signal,
    onBase: () => expect.unreachable("the base is there"),
    onRun: () => undefined,
  });
  // The command finds all runs and only reports.
  const { out } = await run(
    `study planning --env ${site} --seeds 1 --bases ${bases} --output ${output} --json`,
  );
  expect(JSON.parse(out[0] ?? "")).toMatchObject({ study: "planning-support-desk", seeds: [1] });
  const text = await readFile(join(output, "planning-support-desk-runs.jsonl"), "utf8");
  const runs = text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as TrialRun);
  expect(runs.map(({ arm }) => arm)).toEqual(asked.arms.map(({ name }) => name));
  for (const { environmentSource, sampledTokens } of runs) {
    expect(environmentSource).toMatch(/support-desk\.ts [0-9a-f]{16}$/);
    expect(sampledTokens).toBeGreaterThan(0);
  }
  const page = await readFile(join(output, "planning-support-desk.md"), "utf8");
  expect(page).toContain("All arms run in `support-desk`");
  expect(page).toContain(`waggle evaluate --env ${site}`);
}, 120_000);
