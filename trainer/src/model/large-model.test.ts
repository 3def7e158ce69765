/** Models with files larger than 2 and 4 GiB: sparse ones, which take little disk or time. */
import { cp, mkdtemp, open, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  decoderConfigJson,
  initializeDecoder,
  safetensorsHeaderBytes,
  type TensorDescription,
} from "@waggle/model";
import { expect, onTestFinished, test } from "vitest";
import { isLong } from "../../../test/fixtures/long.ts";
import { openBaseModel, readBaseModel } from "./base-model.ts";
import { openEngine } from "./open-model.ts";
import { openBaseFolder } from "../save-model/base-folder.ts";
import { TINY } from "../edge-training/training.fixture.ts";

const NANO = join(import.meta.dirname, "../../../packages/model/nano");
const WEIGHTS = initializeDecoder(TINY, 3);

/**
 * A tiny decoder whose tensors are at the end of a file, after a padding tensor that no decoder uses.
 */
async function folderWith(paddingBytes: number): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "waggle-large-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const described = new Map<string, TensorDescription>([
    ["padding", { dtype: "F32", shape: [paddingBytes / 4] }],
  ]);
  for (const [name, { shape }] of WEIGHTS) described.set(name, { dtype: "F32", shape });
  const header = safetensorsHeaderBytes(described);
  const file = await open(join(folder, "model.safetensors"), "w");
  await file.write(header, 0, header.length, 0);
  let at = header.length + paddingBytes;
  for (const { data } of WEIGHTS.values()) {
    await file.write(data, 0, data.byteLength, at);
    at += data.byteLength;
  }
  await file.close();
  await writeFile(join(folder, "config.json"), JSON.stringify(decoderConfigJson(TINY)));
  for (const name of ["tokenizer.json", "tokenizer_config.json"]) {
    await cp(join(NANO, name), join(folder, name));
  }
  return folder;
}

test.runIf(isLong())(
  "--model hashes a file above 2 GiB and reads only the decoder's tensors",
  async () => {
    const padding = 2 ** 31 + 4096;
    const model = await readBaseModel(await folderWith(padding));
    expect(model.weights).toEqual(WEIGHTS);
    const file = model.reference.files.find(({ path }) => path === "model.safetensors");
    expect(file?.sizeBytes).toBeGreaterThan(padding);
    expect(model.files.map(({ path }) => path)).not.toContain("model.safetensors");
  },
);

test("--base opens a file of 4.8 GB and reads the tensors at its end", async () => {
  const base = await openBaseFolder(await folderWith(4_800_000_000));
  const weights = await base.weights();
  for (const [name, tensor] of WEIGHTS) expect(await weights.read(name)).toEqual(tensor);
});

test("an opened model has no weights in memory; an engine over an int8 base reads them itself", async () => {
  const folder = await folderWith(4096);
  const model = await openBaseModel(folder);
  const options = { rank: 2, alpha: 4, seed: 1 };
  const start = () => openEngine(model, "cpu", options, { threads: 1, base: "int8" });
  const engine = await start();
  const inMemory = { ...model, weights: WEIGHTS };
  const plain = await openEngine(inMemory, "cpu", options, { threads: 1, base: "int8" });
  const batch = { sequences: [{ tokenIds: [3, 1, 4, 1, 5, 9] }] };
  expect((await engine.forward(batch)).logProb).toEqual((await plain.forward(batch)).logProb);
  await engine.dispose();
  await plain.dispose();
  await truncate(join(folder, "model.safetensors"), 4096);
  await expect(start()).rejects.toMatchObject({ code: "MODEL_CORRUPT" });
});
