import { readFile } from "node:fs/promises";
import { describeModelFolder, readModelWeights } from "@waggle/model";
import { WaggleError, sha256 } from "@waggle/protocol";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createFallbackStorage, createMemoryStorage } from "./chunk-storage.ts";
import type { ChunkStorage } from "./chunk-storage.ts";
import { FaultServer } from "./fault-server.fixture.ts";
import { loadModel } from "./load-model.ts";
import type { LoadModelOptions } from "./load-model.ts";
import { openModel } from "./loaded-model.ts";
import type { LoadedModel } from "./loaded-model.ts";
import { wasmLimits } from "./model-memory.ts";
import { deleteModel, listModels } from "./model-records.ts";
import type { ModelSource } from "./model-source.ts";
import type { ModelProgress } from "./progress-sum.ts";

const NANO = new URL("../../../model/nano/", import.meta.url);
const NAMES = [
  "config.json",
  "generation_config.json",
  "model.safetensors",
  "tokenizer.json",
  "tokenizer_config.json",
];
const nano = new Map<string, Uint8Array<ArrayBuffer>>();
const COMMIT = "c".repeat(40);

let server: FaultServer;
beforeAll(async () => {
  server = await FaultServer.start();
  for (const name of NAMES) nano.set(name, new Uint8Array(await readFile(new URL(name, NANO))));
});
afterAll(() => server.stop());

/** Serves the Hub's description of a repository, and its files under a commit. */
async function serveRepository(
  commit: string,
  files: ReadonlyMap<string, Uint8Array>,
  weightBytes = files.get("model.safetensors")?.length,
): Promise<void> {
  const siblings = [];
  for (const [name, bytes] of [...files, ["README.md", new Uint8Array(5)] as const]) {
    const lfs = name.endsWith(".safetensors")
      ? { sha256: await sha256(bytes as Uint8Array<ArrayBuffer>), size: bytes.length }
      : undefined;
    const size = name === "model.safetensors" ? weightBytes : bytes.length;
    siblings.push({ rfilename: name, size, lfs });
    server.files.set(`/org/nano/resolve/${commit}/${name}`, { bytes });
  }
  const answer = new TextEncoder().encode(JSON.stringify({ sha: commit, siblings }));
  server.files.set("/api/models/org/nano/revision/main", {
    bytes: answer,
    type: "application/json; charset=utf-8",
  });
}

beforeEach(async () => {
  server.files.clear();
  server.faults.clear();
  server.requests.length = 0;
  server.isHeadless = false;
  await serveRepository(COMMIT, nano);
  for (const [name, bytes] of nano)
    server.files.set(`/models/nano/${name}`, { bytes, etag: '"1"' });
});

const durable = (): ChunkStorage => ({ ...createMemoryStorage(), isDurable: true });
const hub = (): ModelSource => ({
  kind: "hugging-face",
  repository: "org/nano",
  endpoint: server.url,
});
const load = (
  source: ModelSource | string,
  storage: ChunkStorage,
  options: LoadModelOptions = {},
) =>
  loadModel(source, {
    storage: createFallbackStorage(storage),
    chunkBytes: 100_000,
    retryDelayMs: 1,
    attempts: 2,
    ...options,
  });
const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => "nothing thrown",
    (error: unknown) => (WaggleError.is(error) ? error.code : String(error)),
  );

async function expectNano(model: LoadedModel, storage: ChunkStorage): Promise<void> {
  const files = [...nano].map(([path, bytes]) => ({ path, bytes }));
  expect(model.baseModel).toBe((await describeModelFolder(files)).sha256);
  const reader = await openModel(structuredClone(model), {
    storage: createFallbackStorage(storage),
  });
  expect(await reader.bytes("tokenizer.json")).toEqual(nano.get("tokenizer.json"));
  const weights = await reader.weights();
  const all = await readModelWeights(nano);
  expect([...weights.tensors.keys()].toSorted()).toEqual([...all.keys()].toSorted());
  for (const [name, { shape, data }] of all) {
    const read = await weights.read(name);
    expect(read.shape).toEqual(shape);
    expect(Buffer.from(read.data.buffer).equals(Buffer.from(data.buffer))).toBe(true);
  }
}

test("a repository of the Hub loads with exact progress, and offline from then on", async () => {
  const storage = durable();
  const seen: ModelProgress[] = [];
  const model = await load(hub(), storage, { onProgress: (progress) => seen.push(progress) });
  await expectNano(model, storage);
  expect(model).toMatchObject({ isDurable: true, source: `${server.url}/org/nano@main` });
  const total = [...nano.values()].reduce((sum, bytes) => sum + bytes.length, 0);
  expect(new Set(seen.map(({ totalBytes }) => totalBytes))).toEqual(new Set([total]));
  expect(seen.at(-1)?.loadedBytes).toBe(total);
  expect(seen.every(({ loadedBytes }, i) => loadedBytes >= (seen[i - 1]?.loadedBytes ?? 0))).toBe(
    true,
  );
  expect(server.requests).toHaveLength(1 + NAMES.length);
  server.faults.set("/api/models/org/nano/revision/main", [{ kind: "status", status: 503 }]);
  await load(hub(), durable());

  const offline = () => Promise.reject(new TypeError("Failed to fetch"));
  const last: ModelProgress[] = [];
  const options = { fetch: offline, onProgress: (p: ModelProgress) => last.push(p) };
  await expectNano(await load(hub(), storage, options), storage);
  expect(last.at(-1)).toMatchObject({ loadedBytes: total, totalBytes: total });
  await expectNano(await load(hub(), storage, { fetch: offline, refresh: true }), storage);
  expect(await codeOf(load(hub(), durable(), { fetch: offline }))).toBe("NETWORK");
});

test("with refresh, a newer commit of a branch is fetched, except unchanged files", async () => {
  const storage = durable();
  const first = await load(hub(), storage);
  const changed = new Map(nano).set("generation_config.json", new Uint8Array([123, 125]));
  await serveRepository("d".repeat(40), changed);
  expect((await load(hub(), storage)).baseModel).toBe(first.baseModel);
  server.requests.length = 0;
  const second = await load(hub(), storage, { refresh: true });
  expect(second.baseModel).not.toBe(first.baseModel);
  expect(server.requests.some((request) => request.includes("safetensors"))).toBe(false);
});

test("with refresh, changed files of a folder on a plain server are fetched again", async () => {
  const storage = durable();
  const url = `${server.url}/models/nano`;
  const first = await load(url, storage);
  server.files.set("/models/nano/generation_config.json", {
    bytes: new Uint8Array([123, 125]),
    etag: '"2"',
  });
  expect((await load(url, storage)).baseModel).toBe(first.baseModel);
  server.requests.length = 0;
  const second = await load(url, storage, { refresh: true });
  expect(second.baseModel).not.toBe(first.baseModel);
  expect(server.requests.filter((request) => request.startsWith("GET"))).toEqual([
    "GET /models/nano/generation_config.json",
  ]);

  // a file that changes during the download is never a mixture of two versions
  const path = "/models/nano/model.safetensors";
  const changed = (nano.get("model.safetensors") as Uint8Array).slice();
  changed.fill(1, -300_000);
  server.files.set(path, { bytes: changed, etag: '"2"' });
  server.faults.set(path, [{ kind: "cut", afterBytes: 150_000 }]);
  expect(await codeOf(load(url, storage, { refresh: true, attempts: 1 }))).toBe("NETWORK");
  const third = await load(url, storage);
  const weights = third.files.find((file) => file.path === "model.safetensors");
  expect(weights?.sha256).toBe(await sha256(changed));
  expect(server.requests.at(-1)).toMatch(/^GET .*model\.safetensors [1-9]\d*-$/);
});

test("a folder on a plain server loads, in one file or in shards, also without HEAD", async () => {
  const storage = durable();
  await expectNano(await load(`${server.url}/models/nano/`, storage), storage);

  const index = { weight_map: { "model.norm.weight": "part-1.safetensors" } };
  const shards = new Map<string, Uint8Array>([
    ["config.json", nano.get("config.json") as Uint8Array],
    ["tokenizer.json", nano.get("tokenizer.json") as Uint8Array],
    ["model.safetensors.index.json", new TextEncoder().encode(JSON.stringify(index))],
    ["part-1.safetensors", nano.get("model.safetensors") as Uint8Array],
  ]);
  for (const [name, bytes] of shards) server.files.set(`/sharded/${name}`, { bytes });
  server.isHeadless = true;
  const model = await load({ kind: "url", baseUrl: `${server.url}/sharded` }, storage);
  expect(model.files.map(({ path }) => path)).toEqual([...shards.keys()].toSorted());
  const reader = await openModel(model, { storage: createFallbackStorage(storage) });
  const { tensors } = await reader.weights();
  expect([...tensors.keys()]).toEqual(["model.norm.weight"]);
});

describe("on a server of another origin whose 404 has no CORS headers", () => {
  /** As a page sees it. */
  const crossOrigin: NonNullable<LoadModelOptions["fetch"]> = async (url, init) => {
    const response = await fetch(url, init);
    if (response.status === 404) throw new TypeError("Failed to fetch");
    return response;
  };
  const url = () => `${server.url}/models/nano`;

  test("a folder loads without the optional files that are not there", async () => {
    server.files.delete("/models/nano/generation_config.json");
    const storage = durable();
    const { files } = await load(url(), storage, { fetch: crossOrigin });
    const paths = files.map(({ path }) => path);
    expect(paths).toEqual(NAMES.filter((name) => name !== "generation_config.json"));
  });

  test("a folder without its tokenizer is refused with the file's name", async () => {
    server.files.delete("/models/nano/tokenizer.json");
    await expect(load(url(), durable(), { fetch: crossOrigin })).rejects.toMatchObject({
      code: "MODEL_CORRUPT",
      message: expect.stringContaining("has no tokenizer.json"),
    });
  });

  test("a file counts as missing only if the server still answers", async () => {
    const failing: typeof crossOrigin = async (one, init) => {
      if (!one.endsWith("config.json") || isAway) throw new TypeError("Failed to fetch");
      isAway = true;
      return fetch(one, init);
    };
    let isAway = false;
    expect(await codeOf(load(url(), durable(), { fetch: failing }))).toBe("NETWORK");
  });
});

test("a picked folder loads without a copy, from the files next to the topmost config", async () => {
  const files = [...nano].map(([name, bytes]) =>
    Object.assign(new File([bytes], name), { webkitRelativePath: `my/nano/${name}` }),
  );
  const other = Object.assign(new File(["{}"], "config.json"), {
    webkitRelativePath: "my/nano/checkpoint-1/config.json",
  });
  const storage = durable();
  const seen: ModelProgress[] = [];
  const model = await load({ kind: "folder", folder: [other, ...files] }, storage, {
    onProgress: (progress) => seen.push(progress),
  });
  await expectNano(model, storage);
  expect(await storage.keys()).toEqual([]);
  expect(seen.at(-1)?.loadedBytes).toBe(seen.at(-1)?.totalBytes);
});

test("an edge's objects load by hash and are not listed as models", async () => {
  const files = [...nano].map(([path, bytes]) => ({ path, bytes }));
  const model = await describeModelFolder(files);
  for (const { path, sha256: hash } of model.files) {
    server.files.set(`/v1/objects/${hash}`, { bytes: nano.get(path) as Uint8Array });
  }
  const storage = durable();
  await expectNano(await load({ kind: "objects", baseUrl: server.url, model }, storage), storage);
  expect(await listModels({ storage: createFallbackStorage(storage) })).toEqual([]);
});

describe("before the weights are fetched", () => {
  const wasWeightFetched = () => server.requests.some((request) => request.includes("safetensors"));

  test("a model that is too large is refused", async () => {
    const limits = { ...wasmLimits(), totalBytes: 1_000_000 };
    const memory = { dtype: "f32", limits } as const;
    expect(await codeOf(load(hub(), durable(), { memory }))).toBe("MODEL_TOO_LARGE");
    expect(wasWeightFetched()).toBe(false);
    const room = { ...memory, limits: { ...limits, totalBytes: 1e9 } };
    expect(await codeOf(load(hub(), durable(), { memory: room }))).toBe("nothing thrown");
  });

  test("a large model is measured against the page's own device, a small one is not", async () => {
    const config = JSON.parse(new TextDecoder().decode(nano.get("config.json")));
    const deep = JSON.stringify({ ...config, num_hidden_layers: 30_000 });
    const files = new Map(nano).set("config.json", new TextEncoder().encode(deep));
    const memory = { device: "auto" } as const;
    await serveRepository(COMMIT, files);
    expect(await codeOf(load(hub(), durable(), { memory }))).toBe("nothing thrown");
    for (const [bytes, code] of [
      [15e6, "DIGEST_MISMATCH"], // of its weights, which were fetched
      [20e6, "MODEL_TOO_LARGE"], // stored in 4 bits: 160 MB when expanded
    ] as const) {
      const quantization_config = { quant_method: "waggle", block_size: 32, format: "int4" };
      const stored = JSON.stringify({ ...JSON.parse(deep), quantization_config });
      files.set("config.json", new TextEncoder().encode(stored));
      await serveRepository(COMMIT, files, bytes);
      expect(await codeOf(load(hub(), durable(), { memory }))).toBe(code);
    }
    files.set("config.json", new TextEncoder().encode(deep));
    server.requests.length = 0;
    await serveRepository(COMMIT, files, 14e9);
    expect(await codeOf(load(hub(), durable(), { memory }))).toBe("MODEL_TOO_LARGE");
    expect(wasWeightFetched()).toBe(false);
    expect(await codeOf(load(hub(), durable(), { memory: null }))).toBe("DIGEST_MISMATCH");
  });

  test.each([
    ["of an unsupported type", '{"model_type":"mamba"}', "MODEL_UNSUPPORTED"],
    ["whose config is not JSON", "<html>", "MODEL_CORRUPT"],
  ])("a model %s is refused", async (_, text, code) => {
    await serveRepository(COMMIT, new Map(nano).set("config.json", new TextEncoder().encode(text)));
    expect(await codeOf(load(hub(), durable()))).toBe(code);
    expect(wasWeightFetched()).toBe(false);
  });

  test("a folder without one of its files is refused", async () => {
    server.files.delete("/models/nano/tokenizer.json");
    expect(await codeOf(load(`${server.url}/models/nano`, durable()))).toBe("MODEL_CORRUPT");
    expect(await codeOf(load(`${server.url}/elsewhere`, durable()))).toBe("NOT_FOUND");
    expect(wasWeightFetched()).toBe(true); // by HEAD
    expect(server.requests.some((request) => request.startsWith("GET"))).toBe(false);
  });
});

test("given hashes are checked, for remote and for picked files", async () => {
  const right = await sha256(nano.get("config.json") as Uint8Array<ArrayBuffer>);
  const url = `${server.url}/models/nano`;
  expect(await codeOf(load(url, durable(), { hashes: { "config.json": right } }))).toBe(
    "nothing thrown",
  );
  const hashes = { "config.json": "0".repeat(64) };
  expect(await codeOf(load(url, durable(), { hashes }))).toBe("DIGEST_MISMATCH");
  const files = [...nano].map(([name, bytes]) => new File([bytes], name));
  expect(await codeOf(load({ kind: "folder", folder: files }, durable(), { hashes }))).toBe(
    "DIGEST_MISMATCH",
  );
});

test("models in storage are listed with sizes and deleted, except shared files", async () => {
  const storage = createFallbackStorage(durable());
  const options = { storage, chunkBytes: 100_000, retryDelayMs: 1, attempts: 1 };
  await loadModel(hub(), options);
  server.faults.set("/models/nano/model.safetensors", [{ kind: "cut", afterBytes: 250_000 }]);
  const url = `${server.url}/models/nano`;
  const hashes = {
    "config.json": await sha256(nano.get("config.json") as Uint8Array<ArrayBuffer>),
  };
  expect(await codeOf(loadModel(url, { ...options, hashes }))).toBe("NETWORK");
  const [whole, begun] = (await listModels({ storage })).toSorted((a) => (a.isWhole ? -1 : 1));
  const total = [...nano.values()].reduce((sum, bytes) => sum + bytes.length, 0);
  expect(whole).toEqual({ source: `${server.url}/org/nano@main`, sizeBytes: total, isWhole: true });
  expect(begun).toMatchObject({ source: url, isWhole: false });
  expect(begun?.sizeBytes).toBeGreaterThan(0);
  expect(begun?.sizeBytes).toBeLessThan(total);

  await deleteModel(url, { storage });
  expect(await listModels({ storage })).toEqual([whole]);
  await deleteModel(`${server.url}/org/nano@main`, { storage });
  expect(await listModels({ storage })).toEqual([]);
  const left = (await storage.keys()).filter((key) => key !== "models");
  expect(left).toEqual([]);
});
