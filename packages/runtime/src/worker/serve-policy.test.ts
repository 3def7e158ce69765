/** A worker's answers to a page, over a message channel, with the WASM backend. */
import { residentSource, tensorMapSource, writeAdapter, writeSafetensors } from "@waggle/model";
import { FULL_SUPPORT } from "@waggle/protocol";
import type { Tensor } from "@waggle/protocol";
import createModule from "onnxruntime-web/ort-wasm-simd-threaded.mjs";
import { afterEach, expect, test } from "vitest";
import { skipOutside } from "../../../../test/fixtures/long.ts";
import { formatOf } from "../backend/cpu/cpu-backend.ts";
import { createWasmBackend } from "../backend/cpu/wasm-backend.ts";
import {
  TINY_BASE_MODEL,
  TINY_CONFIG,
  tinyAdapter,
  tinyModelFiles,
  tinyPrompt,
  tinyQuantizedFiles,
  tinyWeights,
} from "../tiny-decoder.fixture.ts";
import { WorkerClient } from "../worker-client.ts";
import type { DeviceCheck, MessageEndpoint, PublishedAdapter } from "./messages.ts";
import { servePolicy } from "./serve-policy.ts";

const ends: (() => Promise<void>)[] = [];
let check: DeviceCheck | null = null;

afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** What the page asks of the device. */
const DEVICE_REQUEST = {
  description: "this",
  threads: 1,
  dtype: null,
  contextLength: null,
  maxRunTokens: null,
  adapterStrategy: null,
  startsAdaptable: false,
  adapterRank: 16,
};

const CONFIG = tinyModelFiles().get("config.json") as Uint8Array;

/** A worker whose backends are noted by what they were opened for. */
function start() {
  const opened: string[] = [];
  const { port1, port2 } = new MessageChannel();
  const serve = () =>
    servePolicy(port2 as MessageEndpoint, {
      kind: "wasm",
      formatOf,
      openBackend: (options) => {
        opened.push(options.baseModel === TINY_BASE_MODEL ? "model" : "check");
        return createWasmBackend({ ...options, createModule });
      },
    });
  const served = serve();
  const client = new WorkerClient(Object.assign(port1, { terminate: () => port1.close() }));
  port1.start();
  port2.start();
  ends.push(async () => {
    await served.dispose();
    port1.close();
  });
  return { client, opened, port: port1, serve };
}

const openIn = (
  client: WorkerClient,
  files: ReadonlyMap<string, Uint8Array>,
  known: DeviceCheck | null,
) =>
  client.ask({
    ...DEVICE_REQUEST,
    kind: "open",
    model: files,
    baseModel: TINY_BASE_MODEL,
    cacheBytes: null,
    stopTokenIds: null,
    knownChecks: known === null ? {} : { [known.key]: known.result },
    lifeLock: null,
  });

async function open(files: ReadonlyMap<string, Uint8Array> = tinyModelFiles()) {
  const { client } = start();
  check = (await openIn(client, files, check)).check;
  return client;
}

test("a device that was checked while the model loaded is not checked again", async () => {
  const { client, opened } = start();
  const preparing = client.ask({
    ...DEVICE_REQUEST,
    kind: "prepare",
    config: CONFIG,
    knownChecks: {},
  });
  // The model may be there before the check has ended.
  const { check: found, limits } = await openIn(client, tinyModelFiles(), null);
  await preparing;
  expect(opened).toEqual(["check", "model"]);
  expect(found.result).toEqual({ verdict: "ok" });
  expect(limits).toMatchObject({ vocabularySize: TINY_CONFIG.vocabularySize });
});

test("a config that cannot be read is reported when the model is opened", async () => {
  const { client, opened } = start();
  const config = new TextEncoder().encode("{");
  await client.ask({ ...DEVICE_REQUEST, kind: "prepare", config, knownChecks: {} });
  const files = tinyModelFiles().set("config.json", config);
  await expect(openIn(client, files, null)).rejects.toMatchObject({ code: "MODEL_CORRUPT" });
  expect(opened).toEqual([]);
});

const published = (bytes: Uint8Array, rank = 4): PublishedAdapter => ({ rank, alpha: 8, bytes });

async function logProbs(client: WorkerClient): Promise<readonly number[]> {
  const requests = [{ tokenIds: tinyPrompt(12), sampling: FULL_SUPPORT }];
  const [scores] = await client.ask({ kind: "score-many", requests });
  return scores?.behaviorLogProbs ?? [];
}

test("a published adapter computes what the adapter computes", async () => {
  const client = await open();
  const base = await logProbs(client);
  const adapter = tinyAdapter(1);
  await client.ask({ kind: "set-adapter", version: 1, adapter });
  const read = await logProbs(client);
  await client.ask({ kind: "set-adapter", version: 2, adapter: null });
  expect(await logProbs(client)).toEqual(base);
  const bytes = writeAdapter(adapter, TINY_CONFIG);
  await client.ask({ kind: "set-adapter", version: 3, adapter: published(bytes) });
  expect(await logProbs(client)).toEqual(read);
  expect(read).not.toEqual(base);
});

test.each([
  ["text", new TextEncoder().encode("<html>"), "MODEL_CORRUPT"],
  ["half of the bytes", writeAdapter(tinyAdapter(1), TINY_CONFIG).slice(0, 1000), "MODEL_CORRUPT"],
  ["another rank", writeAdapter(tinyAdapter(1, 2), TINY_CONFIG), "ADAPTER_INCOMPATIBLE"],
])("a published adapter that is %s is refused, and the version stays", async (_, bytes, code) => {
  const client = await open();
  await client.ask({ kind: "set-adapter", version: 1, adapter: tinyAdapter(1) });
  const before = await logProbs(client);
  await expect(
    client.ask({ kind: "set-adapter", version: 2, adapter: published(bytes) }),
  ).rejects.toMatchObject({ code });
  expect(await client.ask({ kind: "create-session", sessionId: 1 })).toEqual({ policyVersion: 1 });
  expect(await logProbs(client)).toEqual(before);
});

test.each([
  ["is missing", null, "no config.json"],
  ["is not JSON", "{", "config.json of the model is not valid JSON"],
])("a model whose config %s is refused with the reason", async (_, text, reason) => {
  const files = tinyModelFiles();
  if (text === null) files.delete("config.json");
  else files.set("config.json", new TextEncoder().encode(text));
  await expect(open(files)).rejects.toMatchObject({
    code: "MODEL_CORRUPT",
    message: expect.stringContaining(reason),
  });
});

test.for(["int8", "int4"] as const)(
  "the bytes of a model stored in %s compute what its numbers compute, with and without an adapter",
  async (format, context) => {
    skipOutside(format === "int4", context);
    const numbers = new Map<string, Tensor>();
    const rounded = residentSource(TINY_CONFIG, tensorMapSource(tinyWeights()), format);
    for (const name of rounded.tensors.keys()) numbers.set(name, await rounded.read(name));
    expect(numbers.size).toBe(tinyWeights().size);
    const exact = await open(tinyModelFiles().set("model.safetensors", writeSafetensors(numbers)));
    const stored = await open(await tinyQuantizedFiles(format));
    for (const adapter of [null, tinyAdapter(1)]) {
      const scores: (readonly number[])[] = [];
      for (const client of [exact, stored]) {
        await client.ask({ kind: "set-adapter", version: 1, adapter });
        scores.push(await logProbs(client));
      }
      const gaps = scores[0]?.map((logProb, at) => Math.abs(logProb - (scores[1]?.[at] ?? NaN)));
      expect(Math.max(...(gaps ?? []))).toBeLessThan(1e-4);
    }
  },
);

test("an endpoint is served once, although the worker's entry is evaluated twice", async () => {
  const { client, port, serve } = start();
  let answers = 0;
  port.addEventListener("message", () => (answers += 1));
  serve();
  await client.ask({ kind: "dispose" });
  // A second answer would come before that of the next request.
  await client.ask({ kind: "dispose" });
  expect(answers).toBe(2);
});
