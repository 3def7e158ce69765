import { readAdapter, writeAdapter } from "@waggle/model";
import { sha256, WaggleError } from "@waggle/protocol";
import type { FileReference } from "@waggle/protocol";
import { describe, expect, test } from "vitest";
import { TINY_CONFIG, tinyAdapter } from "../tiny-decoder.fixture.ts";
import { createFallbackStorage, createMemoryStorage } from "./chunk-storage.ts";
import type { ChunkStorage } from "./chunk-storage.ts";
import { objectKey } from "./edge-objects.ts";
import { createModelStore } from "./model-store.ts";
import type { LoadProgress, ModelStoreOptions } from "./model-store.ts";

const bytesOf = (length: number, seed: number): Uint8Array =>
  Uint8Array.from({ length }, (_, i) => (i * 31 + seed * 7) % 251);

const referenceTo = async (path: string, bytes: Uint8Array): Promise<FileReference> => ({
  path,
  sha256: await sha256(bytes),
  sizeBytes: bytes.length,
});

/** Serves objects in pieces of `pieceBytes` and counts the requests. */
function fakeEdge(objects: readonly Uint8Array[], pieceBytes = 7) {
  const edge = {
    requests: [] as string[],
    isOffline: false,
    status: 200,
    change: (bytes: Uint8Array): Uint8Array => bytes,
    fetch: async (url: string, { signal }: { signal?: AbortSignal | null }) => {
      signal?.throwIfAborted();
      if (edge.isOffline) throw new TypeError("Failed to fetch");
      edge.requests.push(url);
      if (edge.status !== 200) return new Response("no", { status: edge.status });
      for (const object of objects) {
        if (!url.endsWith(`/v1/objects/${await sha256(object)}`)) continue;
        const body = edge.change(object);
        const pieces = Array.from({ length: Math.ceil(body.length / pieceBytes) }, (_, i) =>
          body.slice(i * pieceBytes, (i + 1) * pieceBytes),
        );
        return new Response(
          new ReadableStream({
            pull(controller) {
              const piece = pieces.shift();
              if (piece === undefined) controller.close();
              else controller.enqueue(piece);
            },
          }),
        );
      }
      return new Response("no", { status: 404 });
    },
  };
  return edge;
}

/** Storage that outlives the store, as a browser's outlives a page. */
const durable = (): ChunkStorage => ({ ...createMemoryStorage(), isDurable: true });

const config = bytesOf(10, 1);
const weights = bytesOf(100, 2);

const open = (edge: ReturnType<typeof fakeEdge>, storage: ChunkStorage | null = durable()) =>
  createModelStore({
    baseUrl: "https://edge.test/",
    fetch: edge.fetch as NonNullable<ModelStoreOptions["fetch"]>,
    storage: createFallbackStorage(storage),
    retryDelayMs: 0,
  });

const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => "nothing thrown",
    (error: unknown) => (WaggleError.is(error) ? error.code : String(error)),
  );

const model = async () => ({
  files: [await referenceTo("config.json", config), await referenceTo("model", weights)],
});

describe("the files of a model", () => {
  test("are fetched by hash, with progress in bytes up to the exact total", async () => {
    const edge = fakeEdge([config, weights]);
    const seen: LoadProgress[] = [];
    const arrived: string[] = [];
    const files = await open(edge).modelFiles(await model(), {
      onProgress: (p) => seen.push(p),
      onFile: (path, bytes) => arrived.push(`${path} ${bytes.length}`),
    });
    expect(arrived).toEqual(["config.json 10", "model 100"]);
    expect(files).toEqual(
      new Map([
        ["config.json", config],
        ["model", weights],
      ]),
    );
    expect(seen.map((progress) => progress.totalBytes)).toEqual(seen.map(() => 110));
    const loaded = seen.map((progress) => progress.loadedBytes);
    expect(loaded).toEqual(loaded.toSorted((a, b) => a - b));
    // Two pieces of the config and fifteen of the weights.
    expect(loaded).toHaveLength(17);
    expect(loaded.at(-1)).toBe(110);
  });

  test("are handed over when they are verified, and the load ends when they are stored", async () => {
    const events: string[] = [];
    const memory = durable();
    const isOpen = Promise.withResolvers<void>();
    const slow: ChunkStorage = {
      ...memory,
      write: async (key, name, content) => {
        if (name !== "partial.json") await isOpen.promise;
        await memory.write(key, name, content);
      },
    };
    const onFile = (path: string): number => events.push(path);
    const loading = open(fakeEdge([config, weights]), slow).modelFiles(await model(), { onFile });
    const ended = loading.then(() => events.push("stored"));
    await expect.poll(() => events).toEqual(["config.json", "model"]);
    isOpen.resolve();
    await ended;
    expect(events).toEqual(["config.json", "model", "stored"]);
  });

  test("are read offline the second time, by another store over the same storage", async () => {
    const edge = fakeEdge([config, weights]);
    const storage = durable();
    await open(edge, storage).modelFiles(await model());
    edge.isOffline = true;
    const seen: LoadProgress[] = [];
    const again = open(edge, storage);
    const files = await again.modelFiles(await model(), { onProgress: (p) => seen.push(p) });
    expect(files.get("model")).toEqual(weights);
    expect(again.isDurable).toBe(true);
    expect(seen.map((progress) => progress.loadedBytes)).toEqual([10, 110]);
    expect(edge.requests).toHaveLength(2);
  });

  test("that were damaged in storage are fetched again", async () => {
    const edge = fakeEdge([config, weights]);
    const storage = durable();
    await open(edge, storage).modelFiles(await model());
    for (const key of await storage.keys()) {
      for (const [name, size] of await storage.list(key)) {
        if (name !== "whole.json") await storage.write(key, name, new Uint8Array(size));
      }
    }
    const files = await open(edge, storage).modelFiles(await model());
    expect([files.get("config.json"), files.get("model")]).toEqual([config, weights]);
    expect(edge.requests).toHaveLength(4);
  });

  test("that do not fit into storage are kept in memory", async () => {
    const edge = fakeEdge([config, weights]);
    const full: ChunkStorage = {
      ...durable(),
      write: () => Promise.reject(new DOMException("full", "QuotaExceededError")),
    };
    for (const storage of [full, null]) {
      edge.requests.length = 0;
      const store = open(edge, storage);
      await store.modelFiles(await model());
      const files = await store.modelFiles(await model());
      expect(files.get("model")).toEqual(weights);
      expect([edge.requests.length, store.isDurable]).toEqual([2, false]);
    }
  });

  test.each([
    ["changed bytes", (bytes: Uint8Array) => bytes.map((byte) => byte ^ 1), "DIGEST_MISMATCH"],
    ["too few bytes", (bytes: Uint8Array) => bytes.slice(1), "DIGEST_MISMATCH"],
    ["too many bytes", () => bytesOf(1000, 3), "DIGEST_MISMATCH"],
  ])("with %s are refused, and not kept", async (_, change, code) => {
    const edge = fakeEdge([config, weights]);
    const storage = durable();
    edge.change = change;
    expect(await codeOf(open(edge, storage).modelFiles(await model()))).toBe(code);
    // The other file may still be under way.
    await expect.poll(() => storage.keys()).toEqual([]);
  });

  test("are reported no more after one of them has failed, and are there the next time", async () => {
    const edge = fakeEdge([config, weights]);
    const storage = durable();
    edge.change = (bytes) => (bytes === config ? bytesOf(11, 3) : bytes);
    const reported: unknown[] = [];
    const options = {
      onProgress: (progress: LoadProgress) => reported.push(progress),
      onFile: (path: string) => reported.push(path),
    };
    expect(await codeOf(open(edge, storage).modelFiles(await model(), options))).toBe(
      "DIGEST_MISMATCH",
    );
    const before = [...reported];
    const key = objectKey(await sha256(weights));
    await expect.poll(async () => [...(await storage.list(key)).keys()]).toContain("whole.json");
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(reported).toEqual(before);
    expect(reported).not.toContain("model");
    edge.change = (bytes) => bytes;
    edge.requests.length = 0;
    await open(edge, storage).modelFiles(await model(), options);
    expect(edge.requests).toHaveLength(1);
    expect(reported).toContain("model");
  });

  test("that cannot be fetched say why", async () => {
    const edge = fakeEdge([config]);
    expect(await codeOf(open(edge).modelFiles(await model()))).toBe("NOT_FOUND");
    edge.status = 503;
    const error = await open(edge)
      .modelFiles(await model())
      .catch((e: unknown) => e);
    expect(error).toMatchObject({ code: "NETWORK", retryable: true });
    edge.isOffline = true;
    expect(await codeOf(open(edge).modelFiles(await model()))).toBe("NETWORK");
    const signal = AbortSignal.abort();
    expect(await codeOf(open(edge).modelFiles(await model(), { signal }))).toContain("AbortError");
  });
});

test("an adapter is loaded by its reference and reads as the published one", async () => {
  const adapter = tinyAdapter(3);
  const bytes = writeAdapter(adapter, TINY_CONFIG);
  const { path: _, ...file } = await referenceTo("adapter", bytes);
  const loaded = await open(fakeEdge([bytes], 1000)).object(file);
  expect(readAdapter(loaded, adapter, TINY_CONFIG)).toEqual(adapter);
});

test("pruning deletes objects that are not named", async () => {
  const edge = fakeEdge([config, weights]);
  const storage = durable();
  const store = open(edge, storage);
  const { files } = await model();
  await store.modelFiles({ files });
  await store.prune([files[1]?.sha256 ?? ""]);
  expect(await storage.keys()).toEqual([`o-${files[1]?.sha256}`]);
});
