/** Commands that are stopped and continued end like those that were never stopped. */
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { environmentNamed } from "@waggle/environments";
import { expect, onTestFinished, test } from "vitest";
import { isLong, sampleSize } from "../../../test/fixtures/long.ts";
import { createProgram } from "../commands/program.ts";
import { loggedRows } from "../metrics/metrics-row.ts";
import { NANO_MODEL } from "../model/shipped-models.ts";
import { ENVIRONMENT_BASE, environmentBase } from "../pretrain/environment-base.ts";

const DEMO = join(import.meta.dirname, "../../../apps/demo");

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "waggle-resumed-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

type Lines = { readonly out: string[]; readonly progress: string[] };

/** @param stopAt - aborts once a progress line contains this text */
async function run(line: string, stopAt?: string): Promise<Lines> {
  const controller = new AbortController();
  const lines: Lines = { out: [], progress: [] };
  const program = createProgram({
    signal: controller.signal,
    writeOut: (text) => lines.out.push(text),
    writeError: (text) => {
      lines.progress.push(text);
      if (stopAt !== undefined && text.includes(stopAt)) controller.abort();
    },
    environment: {},
  });
  await program.parseAsync(line.split(" "), { from: "user" }).catch((error: unknown) => {
    if (!controller.signal.aborted) throw error;
  });
  return lines;
}

/** Events without the values that depend on the clock. */
function eventsOf({ progress }: Lines): unknown[] {
  return progress.map((line) =>
    JSON.parse(line, (name, value: unknown) =>
      ["seconds", "minutes"].includes(name) ? undefined : value,
    ),
  );
}

test("imitate goes on with the same adapter, and refuses other settings", async () => {
  const folder = await temporaryFolder();
  const data = join(folder, "conversations.jsonl");
  const rows = Array.from({ length: sampleSize(8, 12) }, (_, i) => ({
    messages: [
      { role: "user", content: `Shop ${i}, are you open?` },
      { role: "assistant", content: "Always open!" },
    ],
  }));
  const chats = join(folder, "chats.jsonl");
  await writeFile(chats, rows.map((row) => JSON.stringify(row)).join("\n"));
  await run(`import --format trl --from ${chats} --out ${data}`);
  const line = (name: string) =>
    `imitate --data ${data} --out ${join(folder, name)} --run ${join(folder, `run-${name}`)} --model ${NANO_MODEL} --device cpu --threads 1 --epochs 2 --batch-size 4 --rank 2 --save-every 100 --json`;
  const adapterOf = (name: string) => readFile(join(folder, name, "adapter_model.safetensors"));

  const whole = await run(line("whole"));
  const stopped = await run(line("part"), '"step":2');
  await expect(run(`${line("part")} --seed 2`)).rejects.toThrow(
    /seed was 1 and is now 2.*with --no-resume/,
  );
  const resumed = await run(line("part"));
  expect([...eventsOf(stopped), ...eventsOf(resumed)]).toEqual(eventsOf(whole));
  expect(await adapterOf("part")).toEqual(await adapterOf("whole"));
  const { out: _, ...result } = JSON.parse(resumed.out[0] ?? "") as { out: string };
  expect(JSON.parse(whole.out[0] ?? "")).toMatchObject(result);
  expect(await readdir(join(folder, "run-part"))).toEqual(["metrics.jsonl"]);
  await expect(run(`${line("part")} --resume --force`)).rejects.toMatchObject({
    code: "NOT_FOUND",
  });
  await run(line("anew"), '"step":2');
  expect(eventsOf(await run(`${line("anew")} --no-resume`))).toEqual(eventsOf(whole));
}, 60_000);

// Under `npm test`, kept-run.test.ts resumes a run of train, and training-session.test.ts goes on with a version.
test.runIf(isLong())(
  "simulate goes on with the version that its policy had",
  async () => {
    const folder = await temporaryFolder();
    const line = (name: string) =>
      `simulate --env ${DEMO} --model ${NANO_MODEL} --steps 4 --groups-per-step 1 --group-size 4 --publish-every 2 --evaluation-tasks 2 --evaluate-every 3 --threads 1 --save-every 1 --rank 2 --run ${join(folder, name)} --json`;
    const whole = await run(line("whole"));
    const stopped = await run(line("part"), '"event":"evaluated","step":3');
    const resumed = await run(`${line("part")} --resume`);
    // The process was stopped in step 3, and step 3 was taken again.
    expect(eventsOf(resumed)).toEqual(eventsOf(whole).slice(-eventsOf(resumed).length));
    expect(eventsOf(resumed).length).toBeLessThan(eventsOf(stopped).length);
    expect(resumed.out).toEqual(whole.out);
  },
  120_000,
);

test("an interrupted base goes on and has the same weights", async () => {
  const folder = await temporaryFolder();
  const small = { ...ENVIRONMENT_BASE, steps: 120, batchSize: 1, width: 32, layers: 1 };
  const spec = environmentNamed("bandit");
  const run = (name: string, onStep: (step: number) => void, signal: AbortSignal) =>
    environmentBase(spec, join(folder, name), small, {
      onProgress: ({ step }) => onStep(step),
      signal,
    });
  const whole = await run("whole", () => {}, new AbortController().signal);
  const controller = new AbortController();
  const stop = (step: number): void => {
    if (step === 100) controller.abort();
  };
  await expect(run("part", stop, controller.signal)).rejects.toThrow(/abort/);
  const steps: number[] = [];
  const resumed = await run("part", (step) => steps.push(step), new AbortController().signal);
  expect(steps).toEqual([120]);
  expect(resumed.reference.sha256).toBe(whole.reference.sha256);
  for (const name of ["whole", "part"]) {
    const path = join(folder, name, "metrics.jsonl");
    const rows = loggedRows(await readFile(path, "utf8"), path);
    expect(rows.map(({ step }) => step)).toEqual([10, 100, 120]);
  }
}, 60_000);
