import { sha256 } from "@waggle/protocol";
import { cdp } from "vitest/browser";
import { afterEach, beforeEach, expect, test } from "vitest";
import { tinyModelFiles } from "../tiny-decoder.fixture.ts";
import { createFallbackStorage } from "./chunk-storage.ts";
import type { FallbackStorage } from "./chunk-storage.ts";
import { openChunkedFile } from "./chunked-file.ts";
import { downloadFile } from "./file-download.ts";
import type { DownloadOptions } from "./file-download.ts";
import { generatedBytes, generatedFetch } from "./generated-network.fixture.ts";
import type { GeneratedNetwork } from "./generated-network.fixture.ts";
import { loadModel } from "./load-model.ts";
import { openModel } from "./loaded-model.ts";
import { deleteModel, listModels } from "./model-records.ts";
import { createOpfsStorage, openBrowserStorage } from "./opfs-storage.ts";
import type { ThreadAnswer, ThreadRequest } from "./other-thread.fixture.ts";

const SIZE = 1_234_567;
const FOLDER = "opfs-storage-test";
const URL_OF_FILE = `https://generated.invalid/${SIZE}`;
const bytes = generatedBytes(SIZE);

const modelFiles = () => tinyModelFiles().set("tokenizer.json", new TextEncoder().encode("{}"));

let network: GeneratedNetwork;
beforeEach(() => {
  network = generatedFetch();
});
afterEach(async () => {
  const root = await navigator.storage.getDirectory();
  await root.removeEntry(FOLDER, { recursive: true }).catch(() => undefined);
});

/** Storage as a newly opened page sees it. */
async function openPage(): Promise<FallbackStorage> {
  const root = await navigator.storage.getDirectory();
  const directory = await root.getDirectoryHandle(FOLDER, { create: true });
  return createFallbackStorage(createOpfsStorage(directory));
}

async function load(options: Partial<DownloadOptions> = {}) {
  const storage = options.storage ?? (await openPage());
  const file = await downloadFile(
    { key: "u-1", url: URL_OF_FILE, sizeBytes: null, sha256: null, isImmutable: false },
    { storage, fetch: network.fetch, chunkBytes: 100_000, retryDelayMs: 1, ...options },
  );
  const reader = openChunkedFile(file.content, { storage, fetch: network.fetch });
  return { file, storage, bytes: await reader.read(0, reader.sizeBytes) };
}

function inOtherThread(request: ThreadRequest): Promise<ThreadAnswer> {
  const worker = new Worker(new URL("./other-thread.fixture.ts", import.meta.url), {
    type: "module",
  });
  return new Promise<ThreadAnswer>((resolve, reject) => {
    worker.addEventListener("message", (event: MessageEvent<ThreadAnswer>) => resolve(event.data));
    worker.addEventListener("error", (event) => reject(new Error(event.message)));
    worker.postMessage(request);
  }).finally(() => worker.terminate());
}

test("a file is stored in the origin's file system in chunks and read offline by the next page", async () => {
  const first = await load();
  expect(first.bytes).toEqual(bytes);
  expect(first.storage.isDurable).toBe(true);
  expect([...(await first.storage.list("u-1")).values()].toSorted((a, b) => b - a)[11]).toBe(
    100_000,
  );
  network.isOffline = true;
  const again = await load();
  expect(again.bytes).toEqual(bytes);
  expect(again.file).toEqual(first.file);
  expect(network.requests).toEqual([0]);
});

test("the next page resumes at the byte where the network broke", async () => {
  network.breakAfter = 765_432;
  await expect(load({ attempts: 1 })).rejects.toMatchObject({ code: "NETWORK", retryable: true });
  expect((await load()).bytes).toEqual(bytes);
  expect(network.requests).toEqual([0, 765_432]);
});

test("a chunk damaged or deleted in the file system is fetched again", async () => {
  const { storage, file } = await load();
  const [first, second] = [...(await storage.list("u-1")).keys()].toSorted();
  await storage.write("u-1", first as string, new Uint8Array(100_000));
  await storage.remove("u-1", second);
  expect((await load()).bytes).toEqual(bytes);
  expect(network.requests).toEqual([0, 0, 100_000]);
  network.isOffline = true;
  expect((await load()).bytes).toEqual(bytes); // they were stored again
  expect(file.sha256).toBe(await sha256(bytes));
});

test("if the browser's quota runs out during a download, the rest stays in memory", async () => {
  const setQuota = (quotaSize?: number): Promise<unknown> =>
    (cdp() as unknown as { send(method: string, params: object): Promise<unknown> }).send(
      "Storage.overrideQuotaForOrigin",
      { origin: location.origin, ...(quotaSize !== undefined && { quotaSize }) },
    );
  const { usage = 0 } = await navigator.storage.estimate();
  const storage = await openPage();
  await setQuota(usage + 500_000);
  try {
    const loaded = await load({ storage });
    expect(loaded.bytes).toEqual(bytes);
    expect(storage.isDurable).toBe(false);
    const held = loaded.file.content.chunks.map((chunk) => chunk.held !== null);
    expect([held[0], held.at(-1)]).toEqual([false, true]);
  } finally {
    await setQuota();
  }
  expect((await load()).bytes).toEqual(bytes);
  expect(network.requests[1]).toBeGreaterThan(0); // the next page resumes with what is stored
});

test("two threads that load one file concurrently fetch it once, and both get it completely", async () => {
  const request = {
    kind: "download",
    folder: FOLDER,
    url: URL_OF_FILE,
    hasOnlySyncHandles: false,
  } as const;
  const [here, ...others] = await Promise.all([
    load(),
    inOtherThread(request),
    inOtherThread(request),
  ]);
  const hash = await sha256(bytes);
  expect(here.bytes).toEqual(bytes);
  expect(others.map((other) => other.hash)).toEqual([hash, hash]);
  const requests = others.reduce((sum, other) => sum + other.requests, network.requests.length);
  expect(requests).toBe(1);
});

test("a worker of a browser without createWritable stores the same", async () => {
  const request = { kind: "download", folder: FOLDER, url: URL_OF_FILE } as const;
  const other = await inOtherThread({ ...request, hasOnlySyncHandles: true });
  expect(other).toEqual({ hash: await sha256(bytes), requests: 1 });
  network.isOffline = true;
  expect((await load()).bytes).toEqual(bytes);
});

test("a model loaded by URL is read by a worker from storage, listed, and deleted", async () => {
  const files = modelFiles();
  const fetch = (url: string) => {
    const found = files.get(url.replace("https://models.invalid/tiny/", ""));
    return Promise.resolve(
      new Response(found as Uint8Array<ArrayBuffer> | undefined, {
        status: found === undefined ? 404 : 200,
      }),
    );
  };
  const source = "https://models.invalid/tiny";
  const model = await loadModel(source, { fetch });
  expect(model.isDurable).toBe(true);
  const other = await inOtherThread({ kind: "read", model, path: "model.safetensors" });
  const weights = files.get("model.safetensors") as Uint8Array<ArrayBuffer>;
  expect(other.hash).toBe(await sha256(weights));

  const storage = await openBrowserStorage();
  const [listed] = await listModels();
  expect(listed).toMatchObject({ source, isWhole: true });
  expect(listed?.sizeBytes).toBe([...files.values()].reduce((sum, file) => sum + file.length, 0));
  await deleteModel(source);
  expect(await listModels()).toEqual([]);
  expect((await storage.keys()).filter((key) => key.startsWith("u-"))).toEqual([]);
});

test("a folder of the file system loads without a copy", async () => {
  const root = await navigator.storage.getDirectory();
  const folder = await root.getDirectoryHandle(FOLDER, { create: true });
  for (const [name, content] of modelFiles()) {
    const handle = await folder.getFileHandle(name, { create: true });
    const stream = await handle.createWritable();
    await stream.write(content as Uint8Array<ArrayBuffer>);
    await stream.close();
  }
  const model = await loadModel({ kind: "folder", folder });
  const reader = await openModel(model);
  const weights = await reader.weights();
  expect([...weights.tensors.keys()].length).toBeGreaterThan(5);
  expect(model.files.every(({ content }) => content.kind === "blob")).toBe(true);
});

test("only what an earlier version stored in the Cache API is deleted", async () => {
  const put = async (name: string) =>
    (await caches.open(name)).put("/v1/objects/0", new Response(new Uint8Array(1000)));
  await put("waggle-objects-1");
  await put("of-the-site");
  // A newly started thread, as in a new page.
  await inOtherThread({ kind: "open-storage" });
  await expect.poll(() => caches.has("waggle-objects-1")).toBe(false);
  expect(await caches.has("of-the-site")).toBe(true);
  await caches.delete("of-the-site");
});
