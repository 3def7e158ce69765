/** A large model as the site's policy: the page holds none of its bytes, and adapters work over it. */
import {
  decoderConfigJson,
  describeModelFolder,
  initializeAdapter,
  parseDecoderConfig,
  writeAdapter,
} from "@waggle/model";
import type { Adapter, ModelFile } from "@waggle/model";
import { FULL_SUPPORT, isObject, sha256 } from "@waggle/protocol";
import type { BaseModelReference } from "@waggle/protocol";
import { createBrowserPolicy } from "@waggle/runtime";
import type { WorkerHandle } from "@waggle/runtime";
import { afterAll, expect, test } from "vitest";
import { firstManifest } from "../../../test/fixtures/edge-answers.ts";
import { isLong } from "../../../test/fixtures/long.ts";
import { llamaFolder } from "../../../test/fixtures/llama-folder.ts";
import { createPolicyHostOpener } from "./policy-host.ts";

const EDGE_URL = "https://edge.example";
const MEGABYTE = 1e6;
/** 94 MB; `npm test` has 30 MB. */
const LAYERS = isLong() ? 12 : 4;

afterAll(async () => {
  const root = await navigator.storage.getDirectory();
  for await (const name of root.keys()) await root.removeEntry(name, { recursive: true });
});

function objectServer() {
  const objects = new Map<string, Uint8Array>();
  const requests: string[] = [];
  const fetch = (url: string): Promise<Response> => {
    const hash = url.split("/").at(-1) ?? "";
    requests.push(hash);
    const bytes = objects.get(hash) as Uint8Array<ArrayBuffer> | undefined;
    return Promise.resolve(new Response(bytes, { status: bytes === undefined ? 404 : 200 }));
  };
  return { objects, requests, fetch };
}

/** Bytes of arrays and Blobs in a message. */
function postedBytes(value: unknown): number {
  if (value instanceof Blob) return value.size;
  if (ArrayBuffer.isView(value)) return value.byteLength;
  if (value instanceof Map) return postedBytes([...value.values()]);
  if (!isObject(value) && !Array.isArray(value)) return 0;
  return Object.values(value).reduce<number>((sum, member) => sum + postedBytes(member), 0);
}

/** The default worker, whose messages from the page are measured. */
function measuredWorker(sizes: number[]): () => WorkerHandle {
  return () => {
    // Vite looks for this literal form.
    const worker = new Worker(new URL("../../runtime/src/worker/wasm.ts", import.meta.url), {
      type: "module",
    });
    const post = worker.postMessage.bind(worker);
    worker.postMessage = (message: unknown) => {
      sizes.push(postedBytes(message));
      post(message);
    };
    return worker;
  };
}

function changingAdapter(files: readonly ModelFile[]): Adapter {
  const bytes = files.find(({ path }) => path === "config.json")?.bytes;
  const config = parseDecoderConfig(JSON.parse(new TextDecoder().decode(bytes)));
  const adapter = initializeAdapter(config, { rank: 4, alpha: 8, seed: 1 });
  const tensors = new Map(adapter.tensors);
  for (const [name, { shape, data }] of tensors) {
    if (!name.includes("lora_B")) continue;
    tensors.set(name, { shape, data: data.map((_, i) => 0.02 * Math.sin(i * 12.9898)) });
  }
  return { ...adapter, tensors };
}

const REQUEST = {
  tokenIds: Array.from({ length: 24 }, (_, i) => (i * i * 7 + i * 3 + 5) % 391),
  sampling: FULL_SUPPORT,
};

const largestGap = (a: readonly number[], b: readonly number[]): number =>
  Math.max(...a.map((value, index) => Math.abs(value - (b[index] ?? Number.NaN))));

test("the worker reads a large model in pieces, and computes what bytes and a merged adapter give", async () => {
  const files = llamaFolder({
    width: 512,
    layers: LAYERS,
    heads: 8,
    keyValueHeads: 4,
    headSize: 64,
    feedForwardSize: 2048,
  });
  const baseModel = await describeModelFolder(files);
  expect(baseModel.files.reduce((sum, file) => sum + file.sizeBytes, 0)).toBeGreaterThan(
    LAYERS * 7 * MEGABYTE,
  );
  const server = objectServer();
  for (const { path, sha256: hash } of baseModel.files) {
    server.objects.set(hash, files.find((file) => file.path === path)?.bytes ?? new Uint8Array());
  }
  const posted: number[] = [];
  const open = createPolicyHostOpener({
    edgeUrl: EDGE_URL,
    device: "wasm",
    fetch: server.fetch,
    createWorker: measuredWorker(posted),
  });
  const manifest = firstManifest(baseModel);
  const host = await open(
    () => Promise.resolve(manifest),
    () => undefined,
  );
  if (host.kind !== "policy") throw new Error("the site's host must be a policy");
  expect(host.baseModel).toBe(baseModel.sha256);
  expect(Math.max(...posted)).toBeLessThan(MEGABYTE);
  const base = (await host.policy.score(REQUEST)).rawLogProbs;

  const adapter = changingAdapter(files);
  const config = parseDecoderConfig(
    JSON.parse(new TextDecoder().decode(files.find(({ path }) => path === "config.json")?.bytes)),
  );
  const bytes = writeAdapter(adapter, config);
  const reference = { sha256: await sha256(bytes), sizeBytes: bytes.length, rank: 4, alpha: 8 };
  server.objects.set(reference.sha256, bytes);
  await host.adopt({
    ...manifest,
    policy: { ...manifest.policy, version: 1, parent: 0, adapter: reference, step: 1 },
  });
  const adapted = (await host.policy.score(REQUEST)).rawLogProbs;
  await host.dispose();
  expect(largestGap(base, adapted)).toBeGreaterThan(0.01);

  const mergedPolicy = await createBrowserPolicy({
    modelFiles: new Map(files.map((file) => [file.path, file.bytes])),
    baseModel: baseModel.sha256,
    device: "wasm",
  });
  expect(largestGap(base, (await mergedPolicy.score(REQUEST)).rawLogProbs)).toBeLessThan(1e-4);
  await mergedPolicy.setAdapter(1, adapter);
  expect(largestGap(adapted, (await mergedPolicy.score(REQUEST)).rawLogProbs)).toBeLessThan(1e-4);
  await mergedPolicy.dispose();
}, 300_000);

test("a model that the device cannot hold is refused before its weights are fetched", async () => {
  const server = objectServer();
  const tiny = llamaFolder();
  const config = decoderConfigJson({
    ...parseDecoderConfig(JSON.parse(new TextDecoder().decode(tiny[0]?.bytes))),
    width: 4096,
    layers: 32,
    heads: 32,
    keyValueHeads: 8,
    headSize: 128,
    feedForwardSize: 14_336,
  });
  const small = new TextEncoder().encode(JSON.stringify(config));
  server.objects.set(await sha256(small), small);
  const weights = { path: "model.safetensors", sha256: "a".repeat(64), sizeBytes: 14e9 };
  const baseModel: BaseModelReference = {
    sha256: "b".repeat(64),
    files: [{ path: "config.json", sha256: await sha256(small), sizeBytes: small.length }, weights],
  };
  const open = createPolicyHostOpener({ edgeUrl: EDGE_URL, device: "wasm", fetch: server.fetch });
  const opened = open(
    () => Promise.resolve(firstManifest(baseModel)),
    () => undefined,
  );
  await expect(opened).rejects.toMatchObject({
    code: "MODEL_TOO_LARGE",
    message: expect.stringMatching(/^the model needs .* as f32 .* the limit is /),
  });
  expect(server.requests).toEqual([await sha256(small)]);
});
