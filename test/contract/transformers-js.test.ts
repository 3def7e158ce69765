/** Folders that `writeOnnxFolder` writes, in Transformers.js. */
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AutoModelForCausalLM, AutoTokenizer, env, type Tensor } from "@huggingface/transformers";
import { createNodePolicy, openModelFolder } from "@waggle/runtime/node";
import { toBeAllClose, TOLERANCE } from "@waggle/testing";
import { createTokenizer, type TokenizerJson } from "@waggle/text";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { NANO_MODEL } from "../../trainer/src/model/shipped-models.ts";
import { openBaseFolder } from "../../trainer/src/save-model/base-folder.ts";
import { writeOnnxFolder } from "../../trainer/src/save-model/onnx-folder.ts";
import { sampleSize } from "../fixtures/long.ts";

expect.extend({ toBeAllClose });

const PROMPTS = ["Find me the cheapest waterproof jacket, please.", "Hi."] as const;
const NEW_TOKENS = 8;
let root: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "waggle-onnx-"));
  env.allowRemoteModels = false;
  env.localModelPath = root;
});
afterAll(() => rm(root, { recursive: true }));

async function write(
  name: string,
  dtype: "f32" | "f16" | "int8" | "int4",
  shardBytes: number,
): Promise<void> {
  const base = await openBaseFolder(NANO_MODEL);
  const companions = base.paths.filter((path) => !path.includes("safetensors"));
  const folder = join(root, name);
  await mkdir(folder);
  await writeOnnxFolder(
    folder,
    base.config,
    await base.weights(),
    new Map(companions.map((path) => [path, join(NANO_MODEL, path)])),
    { dtype, shardBytes, signal: new AbortController().signal, onProgress: () => {} },
  );
}

async function open(name: string) {
  const tokenizer = await AutoTokenizer.from_pretrained(name);
  const model = await AutoModelForCausalLM.from_pretrained(name, { device: "cpu" });
  onTestFinished(async () => void (await model.dispose()));
  return {
    /** The last logits of each prompt. */
    logits: async (prompts: readonly string[]) => {
      tokenizer.padding_side = "left";
      const inputs = tokenizer([...prompts], { padding: true, add_special_tokens: false });
      const { logits } = (await model(inputs)) as { logits: Tensor };
      const rows = logits.tolist() as number[][][];
      return rows.map((row) => Float32Array.from(row.at(-1) ?? []));
    },
    /** The tokens that follow each prompt, greedily. */
    continued: async (prompts: readonly string[]) => {
      tokenizer.padding_side = "left"; // as in a pipeline
      const inputs = tokenizer([...prompts], { padding: true, add_special_tokens: false });
      const output = await model.generate({
        ...inputs,
        max_new_tokens: NEW_TOKENS,
        min_new_tokens: NEW_TOKENS,
        do_sample: false,
      } as never);
      const rows = (output as Tensor).tolist() as bigint[][];
      return rows.map((row) => row.slice(-NEW_TOKENS).map(Number));
    },
  };
}

const FORMATS = [
  { dtype: "f16", shardBytes: 1e6, files: ["model_fp16.onnx", "model_fp16.onnx_data"] },
  { dtype: "f32", shardBytes: 1e9, files: ["model.onnx"] },
  { dtype: "int8", shardBytes: 1e9, files: ["model_int8.onnx"] },
  { dtype: "int4", shardBytes: 1e9, files: ["model_q4.onnx"] },
] as const;

test.each(FORMATS.slice(0, sampleSize(1, FORMATS.length)))(
  "a folder in $dtype opens without options, and a batch gives each prompt's text",
  async ({ dtype, shardBytes, files }) => {
    await write(dtype, dtype, shardBytes);
    const written = await readdir(join(root, dtype, "onnx"));
    expect(written.toSorted().slice(0, 2)).toEqual(files);
    const { continued } = await open(dtype);
    const alone = await Promise.all(PROMPTS.map((prompt) => continued([prompt])));
    expect(await continued(PROMPTS)).toEqual(alone.flat());
  },
);

/** ONNX Runtime multiplies one row with another kernel than several. "a" is one token, so one row when it is alone. */
test.each(FORMATS.slice(-sampleSize(1, FORMATS.length)))(
  "logits of a prompt in a batch in $dtype are those of the prompt alone, up to rounding",
  async ({ dtype }) => {
    await write(`${dtype}-batch`, dtype, 1e9);
    const { logits } = await open(`${dtype}-batch`);
    const prompts = ["a", ...PROMPTS];
    const batch = await logits(prompts);
    for (const [i, prompt] of prompts.entries()) {
      const [alone] = await logits([prompt]);
      expect(batch[i]).toBeAllClose(alone ?? [], TOLERANCE.f32Reduction);
    }
    // Control: another prompt has other logits.
    expect(batch[1]).not.toBeAllClose(batch[2] ?? [], TOLERANCE.f32Reduction);
  },
);

test("greedy text is the text of our own policy", async () => {
  const folder = await openModelFolder(NANO_MODEL);
  const json = JSON.parse(new TextDecoder().decode(await folder.bytes("tokenizer.json")));
  const tokenizer = createTokenizer({ tokenizerJson: json as TokenizerJson });
  const policy = await createNodePolicy({
    config: (await openBaseFolder(NANO_MODEL)).config,
    weights: await folder.weights(),
    baseModel: "0".repeat(64),
    threads: 1,
  });
  onTestFinished(() => policy.dispose());
  await write("ours", "f32", 1e9);
  const { continued } = await open("ours");
  const theirs = await continued(PROMPTS);
  for (const [i, prompt] of PROMPTS.entries()) {
    const context = await policy.createContext();
    context.append(tokenizer.encode(prompt));
    const { tokenIds } = await context.generate({
      sampling: { temperature: 1, topK: 1, topP: 1, seed: 1 },
      stopTokenIds: [],
      maxTokens: NEW_TOKENS,
    });
    expect(theirs[i]).toEqual([...tokenIds]);
  }
});
