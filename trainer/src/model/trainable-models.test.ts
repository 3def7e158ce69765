/** Decoder types and number formats: trainable ones sample as they train, the others are refused by name. */
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FULL_SUPPORT } from "@waggle/protocol";
import { convertModel } from "@waggle/runtime/node";
import { expect, onTestFinished, test } from "vitest";
import { skipOutside } from "../../../test/fixtures/long.ts";
import { readBaseModel } from "./base-model.ts";
import { heldAs, modelUnder } from "./frozen-base.ts";
import { openEngine, openPolicy } from "./open-model.ts";
import { createProgram } from "../commands/program.ts";

const ROOT = join(import.meta.dirname, "../../..");

/** A golden decoder with the tokenizer of the nano model. */
async function folderOf(modelType: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "waggle-type-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const name of ["config.json", "model.safetensors"]) {
    await cp(join(ROOT, "test/golden/decoder", modelType, name), join(folder, name));
  }
  for (const name of ["tokenizer.json", "tokenizer_config.json"]) {
    await cp(join(ROOT, "packages/model/nano", name), join(folder, name));
  }
  return folder;
}

/** The same with weights that are stored in 4 bits, as `waggle model` writes them. */
async function quantizedFolder(modelType: string): Promise<string> {
  const source = await folderOf(modelType);
  const out = join(source, "int4");
  await convertModel({ source, format: "int4", out });
  return out;
}

async function runCommand(args: readonly string[]): Promise<string[]> {
  const lines: string[] = [];
  const program = createProgram({
    signal: new AbortController().signal,
    writeOut: (line) => lines.push(line),
    writeError: () => {},
    environment: {},
  });
  await program.parseAsync(args, { from: "user" });
  return lines;
}

test.for([
  ["qwen3", "f32"],
  ["llama", "int8"],
  ["qwen2", "f32"],
  ["qwen2", "int8"],
  ["smollm3", "f32"],
  ["smollm3", "int4"],
  ["llama", "stored int4"],
] as const)(
  "a trained %s in %s samples as it trains: log-probs agree to 1e-4",
  async ([modelType, format], context) => {
    skipOutside(modelType === "qwen3" || format === "int8", context);
    const isStored = format === "stored int4";
    const base = isStored ? "int4" : format;
    const folder = await (isStored ? quantizedFolder(modelType) : folderOf(modelType));
    const model = await modelUnder(base, "cpu", folder);
    const shape = { rank: 2, alpha: 4 };
    const engine = await openEngine(model, "cpu", { ...shape, seed: 1 }, { threads: 1, base });
    onTestFinished(() => engine.dispose());
    const policy = await openPolicy(isStored ? model : heldAs(model, base), 1);
    onTestFinished(() => policy.dispose());
    const tokenIds = Array.from({ length: 24 }, (_, t) => (7 * t * t + 3 * t) % 100);
    const sequences = [{ tokenIds }];
    const untrained = await engine.forward({ sequences });
    await engine.backward({ sequences }, { logProb: [new Float32Array(24).fill(-1)] });
    await engine.optimStep({ learningRate: 0.02 });
    await policy.setAdapter(1, { ...shape, tensors: await engine.parameters() });
    const session = await policy.createContext();
    session.append(tokenIds);
    const scores = await session.score({ sampling: FULL_SUPPORT });
    const [logProbs = new Float32Array()] = (await engine.forward({ sequences })).logProb;
    const gaps = tokenIds.map((_, t) =>
      t === 0 ? 0 : Math.abs((scores.rawLogProbs[t] as number) - (logProbs[t] as number)),
    );
    expect(Math.max(...gaps)).toBeLessThan(1e-4);
    const moved = [...logProbs].map((value, t) => value - (untrained.logProb[0]?.[t] as number));
    expect(Math.max(...moved)).toBeGreaterThan(0.01);
  },
);

test.for(["gemma3_text", "lfm2"])(
  "a %s, which cannot be trained, is refused by every command that trains, and by plan",
  async (modelType, context) => {
    skipOutside(modelType === "lfm2", context);
    const folder = await folderOf(modelType);
    const data = join(folder, "conversations.jsonl");
    await writeFile(data, "");
    const edge = ["--edge", "http://127.0.0.1:9", "--credential", "none"];
    const commands = [
      ["train-edge", ...edge],
      ["simulate", "--env", "form", "--steps", "1"],
      ["train", "--recipe", "grpo"],
      ["imitate", "--data", data, "--out", join(folder, "out")],
      ["plan"],
    ];
    for (const command of commands) {
      await expect(runCommand([...command, "--model", folder])).rejects.toMatchObject({
        code: "CAPABILITY_MISSING",
        message: expect.stringContaining(`${modelType} supports only inference`) as string,
      });
    }
  },
);

test("commands that only sample read the numbers of weights that are stored in 4 bits", async () => {
  const folder = await quantizedFolder("qwen2");
  const { storedFormat, weights } = await readBaseModel(folder);
  const original = await readBaseModel(join(folder, ".."));
  expect(storedFormat).toBe(null);
  expect(weights).toEqual(heldAs(original, "int4").weights);
});

test("weights that are stored in 4 bits are trained only as such, and the refusal says what to pass", async () => {
  const folder = await quantizedFolder("qwen3");
  const data = join(folder, "conversations.jsonl");
  await writeFile(data, "");
  const commands = [
    ["train-edge", "--credential", "none"],
    ["simulate", "--env", "form", "--steps", "1"],
    ["train", "--recipe", "grpo"],
    ["imitate", "--data", data, "--out", join(folder, "out")],
  ];
  const refused = (args: readonly string[], message: string): Promise<void> =>
    expect(runCommand(args)).rejects.toMatchObject({ code: "MODEL_UNSUPPORTED", message });
  const original = "--model <folder> with the original model, from which it was converted";
  for (const command of commands) {
    await refused(
      [...command, "--model", folder],
      `the weights in ${folder} are stored in int4 and cannot be trained in f32; pass --base int4 to train an adapter over them, or ${original}`,
    );
  }
  const server = ["--device", "http://127.0.0.1:9", "--model", folder];
  await refused(
    [...(commands[1] ?? []), ...server],
    `the weights in ${folder} are stored in int4, but --device http://127.0.0.1:9 trains the original model; pass ${original}`,
  );
});
