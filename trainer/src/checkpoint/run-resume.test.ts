/**
 * The command resumes a run saved by the previous release and takes the same step as that release did.
 */
import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createProgram } from "../commands/program.ts";

/** Written at commit b2a53fa3 by the options below; it was killed in step 3, with step 1 saved. */
const OLD = join(import.meta.dirname, "testdata/run-checkpoint-b2a53fa3.bin");
/** Was `shop`, which was built in then. */
const SOURCE = join(import.meta.dirname, "../../../apps/demo");
const OPTIONS =
  "--recipe grpo --rank 1 --steps 3 --tasks 4 --set tasks=2 --set groupSize=2 --save-every 1 --device cpu";
/** Tokens that the previous release had sampled after step 2. */
const SAMPLED_AFTER_STEP_2 = 842;

test("a killed run of the previous release resumes with the same step", async () => {
  const folder = await mkdtemp(join(tmpdir(), "waggle-resume-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await copyFile(OLD, join(folder, "checkpoint.bin"));
  const events: { [name: string]: unknown }[] = [];
  const program = createProgram({
    signal: new AbortController().signal,
    writeOut: (line) => events.push(JSON.parse(line) as { [name: string]: unknown }),
    writeError: () => {},
    environment: {},
  });
  const model = join(import.meta.dirname, "../../../packages/model/nano");
  const line = `train ${OPTIONS} --env ${SOURCE} --model ${model} --run ${folder} --json`;
  await program.parseAsync(line.split(" "), { from: "user" });
  expect(events[0]).toMatchObject({ event: "resumed", stagesDone: 0, stepsDone: 1 });
  const steps = events.filter(({ event }) => event === "step");
  expect(steps.map(({ step }) => step)).toEqual([2, 3]);
  expect(steps[0]).toMatchObject({ spent: { sampledTokens: SAMPLED_AFTER_STEP_2 } });
  expect(events.at(-1)).toMatchObject({ recipe: "grpo", environment: "shop", base: 0.25 });
}, 120_000);
