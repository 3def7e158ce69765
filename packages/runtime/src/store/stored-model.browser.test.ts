import { FULL_SUPPORT } from "@waggle/protocol";
import { afterEach, expect, test } from "vitest";
import { createBrowserPolicy } from "../browser-policy.ts";
import type { BrowserPolicyOptions } from "../browser-policy.ts";
import {
  TINY_BASE_MODEL,
  tinyModelFiles,
  tinyPrompt,
  tinyQuantizedFiles,
} from "../tiny-decoder.fixture.ts";
import { loadModel } from "./load-model.ts";
import type { LoadedModel } from "./loaded-model.ts";
import { deleteModel } from "./model-records.ts";

const SOURCE = "https://models.invalid/stored";

/** Log-probs of a prompt under a model that a worker opens. */
async function scores(
  modelFiles: BrowserPolicyOptions["modelFiles"],
  dtype?: "f32" | "int4",
): Promise<readonly number[]> {
  const policy = await createBrowserPolicy({
    modelFiles,
    baseModel: TINY_BASE_MODEL,
    device: "wasm",
    ...(dtype !== undefined && { dtype }),
  });
  const request = { tokenIds: tinyPrompt(40), sampling: FULL_SUPPORT };
  const { rawLogProbs } = await policy.score(request);
  await policy.dispose();
  return rawLogProbs;
}

/** Loads files into the browser's storage, in chunks that split tensors, as from a server. */
function store(files: ReadonlyMap<string, Uint8Array>): Promise<LoadedModel> {
  const fetch = (url: string) => {
    const found = files.get(url.slice(SOURCE.length + 1));
    const body = found as Uint8Array<ArrayBuffer> | undefined;
    return Promise.resolve(new Response(body, { status: found === undefined ? 404 : 200 }));
  };
  return loadModel(SOURCE, { fetch, chunkBytes: 10_000 });
}
afterEach(() => deleteModel(SOURCE));

const largestGap = (a: readonly number[], b: readonly number[]): number =>
  Math.max(...a.map((value, index) => Math.abs(value - (b[index] ?? Number.NaN))));

const withTokenizer = (files: Map<string, Uint8Array>) =>
  files.set("tokenizer.json", new TextEncoder().encode("{}"));

test("a worker computes the same with a model from storage as with one from bytes", async () => {
  const stored = await store(withTokenizer(tinyModelFiles()));
  expect(stored.isDurable).toBe(true);
  expect(await scores(stored)).toEqual(await scores(tinyModelFiles()));
});

test("a model stored in int4 runs in int4, like one quantized in the page", async () => {
  const files = await tinyQuantizedFiles("int4");
  const stored = await store(withTokenizer(files));
  expect(stored.storedFormat).toBe("int4");
  const fromStorage = await scores(stored);
  const inPage = await scores(tinyModelFiles(), "int4");
  const exact = await scores(tinyModelFiles());
  // they differ by the rounding of scales to float16, far less than by that of weights to 4 bits
  expect(largestGap(fromStorage, inPage)).toBeLessThan(largestGap(exact, inPage) / 5);
  await expect(scores(stored, "f32")).rejects.toMatchObject({ code: "MODEL_CORRUPT" });
  expect(await scores(files)).toEqual(fromStorage);
});
