import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Option } from "commander";
import { expect, onTestFinished, test } from "vitest";
import { isLong, skipOutside } from "../../../test/fixtures/long.ts";
import { readAdapterFolder } from "../model/adapter-folder.ts";
import { readBaseModel } from "../model/base-model.ts";
import { createProgram } from "./program.ts";

const DEMO = join(import.meta.dirname, "../../../apps/demo");

const MODEL = join(import.meta.dirname, "../../../packages/model/nano");

type Written = { readonly out: string[]; readonly progress: string[] };

function run(...args: string[]): Promise<Written> {
  return runUntil(() => false, ...args);
}

/** Stops, as Ctrl-C would, after a line that matches. */
async function runUntil(
  isLast: (line: string) => boolean,
  ...args: readonly string[]
): Promise<Written> {
  const out: string[] = [];
  const progress: string[] = [];
  const stopping = new AbortController();
  const into = (lines: string[]) => (line: string) => {
    lines.push(line);
    if (isLast(line)) stopping.abort();
  };
  const program = createProgram({
    signal: stopping.signal,
    writeOut: into(out),
    writeError: into(progress),
    environment: {},
  });
  for (const command of [program, ...program.commands]) {
    command.exitOverride().configureOutput({ writeErr: () => {} });
  }
  await program.parseAsync(["node", "main.ts", ...args]);
  return { out, progress };
}

test.each([
  ["--swap", "token"],
  ["--max-lag", "2"],
  ["--max-running", "3"],
])("train refuses %s without --async", async (flag, value) => {
  await expect(run("train", "--recipe", "grpo", flag, value)).rejects.toThrow(/needs --async/);
});

test("train refuses a missing recipe file", async () => {
  await expect(run("train", "--recipe", "./absent.ts")).rejects.toThrow(/there is no file/);
});

test("train reports that a recipe does not fit an environment before it makes a base", async () => {
  const bases = join(tmpdir(), "waggle-no-bases");
  await expect(
    run("train", "--recipe", "memory-r1", "--env", "calculator", "--bases", bases),
  ).rejects.toThrow(/run the recipe in diary/);
  await expect(stat(bases)).rejects.toThrow(/ENOENT/);
});

test("train uses the recipe's listed environment if none is named", async () => {
  const taken = ["--out", MODEL];
  await expect(run("train", "--recipe", "memory-r1", ...taken)).rejects.toMatchObject({
    code: "CONFLICT",
  });
});

// Under `npm test`, the next test stops and resumes the same command.
test.runIf(isLong())(
  "a stopped train finishes its step, and the same command resumes it",
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "waggle-stopped-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const [out, kept] = [join(folder, "out"), join(folder, "run")];
    const args = ["train", "--recipe", "opt-sft", "--env", DEMO, "--model", MODEL, "--tasks", "1"];
    args.push("--threads", "1", "--json", "--out", out, "--run", kept, "--steps", "2");
    const stepped = (line: string): boolean => line.startsWith('{"event":"step"');
    await expect(runUntil(stepped, ...args)).rejects.toMatchObject({ name: "AbortError" });
    const lines = (await run(...args)).out;
    expect(lines.find((line) => line.includes('"resumed"'))).toMatch(/"stepsDone":1/);
    expect(lines.filter(stepped)).toHaveLength(1);
    const { adapter } = await readAdapterFolder(out, (await readBaseModel(MODEL)).config);
    const moved = [...adapter.tensors].filter(([name]) => name.includes("lora_B"));
    expect(moved.some(([, { data }]) => data.some((value) => value !== 0))).toBe(true);
  },
);

test("train uses the options of the optimizer and the adapter, and resumes only with the same ones", async () => {
  const folder = await mkdtemp(join(tmpdir(), "waggle-optimizer-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const out = join(folder, "out");
  const args = ["train", "--recipe", "opt-sft", "--env", DEMO, "--model", MODEL, "--tasks", "1"];
  args.push("--threads", "1", "--json", "--out", out, "--run", join(folder, "run"), "--steps", "2");
  const own = { "--learning-rate": "0.01", "--warmup-steps": "4", "--beta2": "0.99" };
  const more = { ...own, "--alpha": "3", "--microbatch-tokens": "100" };
  const stepped = (line: string): boolean => line.startsWith('{"event":"step"');
  const given = Object.entries(more).flat();
  await expect(runUntil(stepped, ...args, ...given)).rejects.toMatchObject({ name: "AbortError" });
  // One option of the optimizer and one of the adapter; `npm run test:long` has all.
  for (const flag of isLong() ? Object.keys(more) : ["--learning-rate", "--alpha"]) {
    const name = flag === "--alpha" ? "adapterShape" : attributeOf(flag);
    const others = Object.entries({ ...more, [flag]: "0.5" }).flat();
    if (flag.endsWith("steps") || flag.endsWith("tokens")) others[others.indexOf("0.5")] = "5";
    await expect(run(...args, ...others)).rejects.toMatchObject({
      code: "CONFLICT",
      message: expect.stringContaining(`${name} was `) as string,
    });
  }
  const lines = (await run(...args, ...given)).out.filter(stepped);
  const [step] = lines.map((line) => JSON.parse(line) as { metrics: { learningRate: number } });
  // The second of four steps of warm-up.
  expect(step?.metrics.learningRate).toBeCloseTo(0.005, 12);
  const { adapter } = await readAdapterFolder(out, (await readBaseModel(MODEL)).config);
  expect(adapter.alpha).toBe(3);
  await expect(run(...args, "--adapter", out, "--alpha", "3")).rejects.toThrow(
    /--alpha <n>' cannot be used with option '--adapter <folder>'/,
  );
});

/** `learningRate` for `--learning-rate`. */
function attributeOf(flag: string): string {
  return new Option(flag).attributeName();
}

test("train lists all recipes under a header, or one recipe with its parts", async () => {
  const all = (await run("train", "--list")).out;
  const [head = ""] = all;
  expect(head.split(/\s+/)).toEqual(["--recipe", "--env", "mechanism", "paper"]);
  const begins = [head.indexOf("--env"), head.indexOf("paper")];
  const isAligned = (line: string): boolean =>
    begins.every((at) => line[at - 1] === " " && line[at] !== " ");
  expect(all.filter((line) => !isAligned(line))).toEqual([]);
  const set = ["--set", "groupSize=4"];
  const { out } = await run("train", "--list", "--recipe", "memory-r1", ...set);
  expect(out.join("\n")).toMatch(
    /^settings {5}groupSize=4, epsilon=0\.2.*, scale=population \(population\|sample\|none\)/m,
  );
  expect(out.join("\n")).toMatch(/^loss {9}pg-clip, /m);
  expect(out.join("\n")).toMatch(/^environment {2}diary$/m);
  const [json = ""] = (await run("train", "--list", "--recipe", "cmat", "--json")).out;
  expect(JSON.parse(json)).toMatchObject({
    recipe: "cmat",
    parts: { rollout: ["team", "group"] },
    choices: { outcome: ["score", "success"] },
    inferred: [
      { slot: "reward", part: "outcome" },
      { slot: "loss", part: "ce" },
    ],
  });
  await expect(
    run("train", "--list", "--recipe", "grpo", "--set", "scale=deviation"),
  ).rejects.toThrow(/setting scale of recipe grpo must be one of population, sample, none/);
});

/** `simulate` with one small step. */
const ONE_STEP: readonly string[] = [
  "simulate",
  "--env",
  DEMO,
  "--model",
  MODEL,
  "--steps",
  "1",
  "--groups-per-step",
  "1",
  "--seed",
  "3",
  "--group-size",
  "4",
  "--evaluation-tasks",
  "1",
  "--threads",
  "1",
  "--json",
];

test("simulate learns from its own rollouts and ends with one JSON object", async () => {
  const { out, progress } = await run(
    "simulate",
    "--env",
    DEMO,
    "--model",
    MODEL,
    "--steps",
    "2",
    "--groups-per-step",
    "1",
    "--group-size",
    "4",
    "--evaluation-tasks",
    "4",
    "--threads",
    "1",
    "--json",
    "--learning-rate",
    "1e-3",
    "--warmup-steps",
    "2",
    "--microbatch-tokens",
    "512",
    "--max-gradient-norm",
    "0.1",
    "--weight-decay",
    "0.01",
  );
  expect(out).toHaveLength(1);
  expect(JSON.parse(out[0] ?? "")).toMatchObject({ base: expect.any(Number), pValue: 1 });
  const events = progress.map(
    (line) =>
      JSON.parse(line) as { event: string; step: number; metrics?: { learningRate: number } },
  );
  const rates = events.flatMap(({ metrics }) => (metrics ? [metrics.learningRate] : []));
  expect(rates).toEqual([5e-4, 1e-3]);
  expect(events.map(({ event, step }) => `${event} ${step}`)).toEqual([
    "evaluated 0",
    "step 1",
    "step 2",
    "evaluated 2",
  ]);
});

test.for(["f16", "int8", "int4"])(
  "simulate samples and trains with a base in %s",
  async (base, context) => {
    skipOutside(base === "int4", context);
    const { progress } = await run(...ONE_STEP, "--base", base);
    const events = progress.map(
      (line) => JSON.parse(line) as { event: string; metrics?: { [name: string]: number } },
    );
    const [step] = events.filter(({ event }) => event === "step");
    // The engine reproduces the sampled log-probs: both use the quantized numbers.
    expect(step?.metrics?.["tokens"]).toBeGreaterThan(0);
    expect(step?.metrics?.["policyDriftMean"]).toBeLessThan(2e-5);
  },
);

test.each([
  ["--base", "int8"],
  ["--precision", "f16"],
])("%s %s is only for ONNX Runtime engines", async (...asked) => {
  const args = ["simulate", "--env", DEMO, "--model", MODEL, "--steps", "1", ...asked];
  for (const device of ["reference-wasm", "http://127.0.0.1:9"]) {
    await expect(run(...args, "--device", device)).rejects.toMatchObject({
      code: "CAPABILITY_MISSING",
    });
  }
});

test("simulate trains in f16 on rollouts sampled in float32, and says so", async () => {
  const { progress } = await run(...ONE_STEP, "--precision", "f16");
  const [step] = progress
    .map((line) => JSON.parse(line) as { event: string; metrics?: { [name: string]: number } })
    .filter(({ event }) => event === "step");
  expect(step?.metrics?.["overflows"]).toBe(0);
  expect(step?.metrics?.["policyDriftMean"]).toBeLessThan(1e-3);
});

test.each([
  ["a recipe that does not exist", ["train-edge", "--recipe", "magic"]],
  ["a count that is not whole", ["train-edge", "--groups-per-step", "1.5"]],
  ["an empty number", ["train-edge", "--learning-rate", ""]],
  ["a device that does not exist", ["train-edge", "--device", "abacus"]],
])("refuses %s", async (_, args) => {
  await expect(run(...args)).rejects.toThrow(/argument|choices|unknown recipe/i);
});

test.each(["trial", "study"])("%s without a name lists the names", async (command) => {
  const { out } = await run(command);
  expect(out.length).toBeGreaterThan(1);
  expect(out.join("\n")).toMatch(command === "trial" ? /staleness {2}Does/ : /planning {2,}Should/);
});

test("refuses a missing credential and a folder without a model", async () => {
  const folder = await mkdtemp(join(tmpdir(), "waggle-program-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await expect(run("status")).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
  await expect(run("train-edge", "--model", folder)).rejects.toThrow(/which has a config\.json/);
});

test("plan reports what training would take, and a limit below it is refused before a step", async () => {
  const { out } = await run("plan", "--model", MODEL, "--rank", "4", "--length", "128", "--json");
  const plan = JSON.parse(out[0] ?? "") as { totalBytes: number; parts: Record<string, number> };
  expect(Object.values(plan.parts).reduce((sum, bytes) => sum + bytes, 0)).toBe(plan.totalBytes);
  const table = (await run("plan", "--model", MODEL, "--models", "2", "--value-heads", "1")).out;
  expect(table.map((line) => line.split(" ")[0])).toEqual([
    "model",
    "trains",
    "step",
    "",
    ...Object.keys(plan.parts),
    "total",
  ]);
  expect(table[0]).toMatch(/nano: qwen3, 1\.09 M parameters, 5 layers of width 128$/);
  expect(table[1]).toContain("2 adapters of rank 16 and 1 value head each");
  const sampler = async (base: string): Promise<number> => {
    const [json = ""] = (await run("plan", "--model", MODEL, "--sampler", "--base", base, "--json"))
      .out;
    const { parts, totalBytes } = JSON.parse(json) as typeof plan;
    expect(Object.values(parts).reduce((sum, bytes) => sum + bytes, 0)).toBe(totalBytes);
    return parts["sampler"] ?? 0;
  };
  // The sampler has one float32 graph over a quantized base, and two over a float32 base.
  expect(await sampler("int8")).toBeGreaterThan(3 * 4 * 1.09e6);
  expect(await sampler("f32")).toBe(2 * (await sampler("int8")));
  const limited = (...args: readonly string[]) => run("plan", "--model", MODEL, ...args);
  expect((await limited("--memory-limit", "4000")).out.at(-1)).toBe("fits into 4000 MB");
  const fitting = (await limited("--memory-limit", "4000", "--json")).out;
  expect(fitting.map((line) => JSON.parse(line) as object)).toMatchObject([{ fits: true }]);
  await expect(limited("--memory-limit", "50")).rejects.toMatchObject({
    code: "OUT_OF_MEMORY",
    message: expect.stringContaining("shorten the sequences") as string,
  });
  await expect(run("plan", "--model", join(MODEL, "nowhere"))).rejects.toMatchObject({
    code: "NOT_FOUND",
    message: expect.stringContaining(
      "has no config.json; pass a Hugging Face model folder",
    ) as string,
  });
  for (const command of ["simulate", "train"]) {
    await expect(
      run(...`${command} --env ${DEMO} --model ${MODEL} --threads 1 --memory-limit 50`.split(" ")),
    ).rejects.toMatchObject({
      code: "OUT_OF_MEMORY",
      // only what these commands can set
      message: expect.not.stringMatching(/checkpointing|maxMicrobatch/) as string,
    });
  }
});
