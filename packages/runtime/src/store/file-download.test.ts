import { mulberry32, sha256, WaggleError } from "@waggle/protocol";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createFallbackStorage, createMemoryStorage } from "./chunk-storage.ts";
import type { ChunkStorage } from "./chunk-storage.ts";
import { chunkName, openChunkedFile } from "./chunked-file.ts";
import { FaultServer } from "./fault-server.fixture.ts";
import { downloadFile } from "./file-download.ts";
import type { DownloadOptions, RemoteFile } from "./file-download.ts";

const CHUNK = 1000;
const bytes = Uint8Array.from({ length: 4321 }, (_, i) => (i * 31 + (i >> 8)) % 251);
const PATH = "/model.safetensors";

let server: FaultServer;
beforeAll(async () => {
  server = await FaultServer.start();
});
afterAll(() => server.stop());
beforeEach(() => {
  server.files.set(PATH, { bytes, etag: '"1"' });
  server.faults.clear();
  server.requests.length = 0;
});

const durable = (): ChunkStorage => ({ ...createMemoryStorage(), isDurable: true });

const remote = (known: Partial<RemoteFile> = {}): RemoteFile => ({
  key: "u-model",
  url: server.url + PATH,
  sizeBytes: null,
  sha256: null,
  isImmutable: false,
  ...known,
});

const load = (
  storage: ChunkStorage | null,
  known: Partial<RemoteFile> = {},
  options: Partial<DownloadOptions> = {},
) =>
  downloadFile(remote(known), {
    storage: createFallbackStorage(storage),
    fetch: (url, init) => fetch(url, init),
    chunkBytes: CHUNK,
    retryDelayMs: 1,
    ...options,
  });

async function contentOf(
  storage: ChunkStorage | null,
  file: Awaited<ReturnType<typeof load>>,
): Promise<Uint8Array> {
  const reader = openChunkedFile(file.content, { storage: createFallbackStorage(storage) });
  return reader.read(0, reader.sizeBytes);
}

const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => "nothing thrown",
    (error: unknown) => (WaggleError.is(error) ? error.code : String(error)),
  );

test("a file is stored in chunks with hashes, its own hash, and progress up to its size", async () => {
  const storage = durable();
  const seen: number[] = [];
  const file = await load(storage, {}, { onLoaded: (loaded) => seen.push(loaded) });
  expect(file.sha256).toBe(await sha256(bytes));
  expect(file.content.chunks.map((chunk) => chunk.sizeBytes)).toEqual([
    1000, 1000, 1000, 1000, 321,
  ]);
  expect(file.content.chunks[4]?.sha256).toBe(await sha256(bytes.slice(4000)));
  expect(await contentOf(storage, file)).toEqual(bytes);
  expect(seen.at(-1)).toBe(4321);
  expect(seen).toEqual(seen.toSorted((a, b) => a - b));
});

describe("a broken download", () => {
  test("resumes at the byte where it broke, and nothing is sent twice", async () => {
    server.faults.set(PATH, [
      { kind: "cut", afterBytes: 1234 },
      { kind: "status", status: 503 },
      { kind: "cut", afterBytes: 2000 },
    ]);
    const storage = durable();
    expect(await contentOf(storage, await load(storage))).toEqual(bytes);
    expect(server.requests).toEqual([
      `GET ${PATH}`,
      `GET ${PATH} 1234-`,
      `GET ${PATH} 1234-`,
      `GET ${PATH} 3234-`,
    ]);
  });

  test("resumes at the byte in the next page, after an abort", async () => {
    server.faults.set(PATH, [{ kind: "stall", afterBytes: 2500 }]);
    const storage = durable();
    const abort = new AbortController();
    const options = {
      signal: abort.signal,
      onLoaded: (loaded: number) => void (loaded === 2500 && abort.abort()),
    };
    expect(await codeOf(load(storage, {}, options))).toContain("AbortError");
    const seen: number[] = [];
    const file = await load(storage, {}, { onLoaded: (loaded) => seen.push(loaded) });
    expect(await contentOf(storage, file)).toEqual(bytes);
    expect(server.requests[1]).toBe(`GET ${PATH} 2500-`);
    expect(seen[0]).toBe(2500);
    const names = [...(await storage.list("u-model")).keys()];
    expect(names).toHaveLength(6); // five chunks and the record; temporary data is gone
  });

  test("starts again if the file has changed meanwhile", async () => {
    server.faults.set(PATH, [{ kind: "cut", afterBytes: 1500 }]);
    const storage = durable();
    await codeOf(load(storage, {}, { attempts: 1 }));
    const changed = bytes.map((byte) => byte ^ 1).slice(0, 3000);
    server.files.set(PATH, { bytes: changed, etag: '"2"' });
    expect(await contentOf(storage, await load(storage))).toEqual(changed);
    expect(server.requests).toEqual([`GET ${PATH}`, `GET ${PATH} 1500-`]);
  });

  test.each([
    ["without an ETag", { hasRanges: true }, [`GET ${PATH}`, `GET ${PATH}`]],
    [
      "on a server without ranges",
      { etag: '"1"', hasRanges: false },
      [`GET ${PATH}`, `GET ${PATH} 1500-`],
    ],
  ])("of a file %s starts again", async (_, kind, requests) => {
    server.files.set(PATH, { bytes, ...kind });
    server.faults.set(PATH, [{ kind: "cut", afterBytes: 1500 }]);
    const storage = durable();
    expect(await contentOf(storage, await load(storage))).toEqual(bytes);
    expect(server.requests).toEqual(requests);
  });

  test("resumes without an ETag if the hash is known", async () => {
    server.files.set(PATH, { bytes });
    server.faults.set(PATH, [{ kind: "cut", afterBytes: 1500 }]);
    await load(durable(), { sha256: await sha256(bytes) });
    expect(server.requests).toEqual([`GET ${PATH}`, `GET ${PATH} 1500-`]);
  });

  test("does not continue with chunks damaged in storage", async () => {
    server.faults.set(PATH, [{ kind: "cut", afterBytes: 3500 }]);
    const storage = durable();
    await codeOf(load(storage, {}, { attempts: 1 }));
    await storage.write(
      "u-model",
      chunkName(1, await sha256(bytes.slice(1000, 2000))),
      new Uint8Array(CHUNK),
    );
    expect(await contentOf(storage, await load(storage))).toEqual(bytes);
    expect(server.requests[1]).toBe(`GET ${PATH} 1000-`);
  });

  test("that stalls is retried, and finally fails with a retryable error", async () => {
    server.faults.set(PATH, [{ kind: "stall", afterBytes: 1700 }]);
    const storage = durable();
    expect(await contentOf(storage, await load(storage, {}, { stallMs: 60 }))).toEqual(bytes);
    expect(server.requests).toEqual([`GET ${PATH}`, `GET ${PATH} 1700-`]);
    server.faults.set(
      PATH,
      Array.from({ length: 2 }, () => ({ kind: "stall", afterBytes: 0 }) as const),
    );
    const hanging = load(durable(), {}, { stallMs: 60, attempts: 2 }).catch((e: unknown) => e);
    expect(await hanging).toMatchObject({ code: "NETWORK", retryable: true });
  });
});

describe("a download that differs from its description is refused and not kept:", () => {
  test.each([
    ["too many bytes", { sizeBytes: 4000 }],
    ["too few bytes", { sizeBytes: 5000 }],
    ["other bytes", { sha256: "0".repeat(64) }],
  ])("%s", async (_, known) => {
    const storage = durable();
    expect(await codeOf(load(storage, known))).toBe("DIGEST_MISMATCH");
    expect(await storage.keys()).toEqual([]);
  });

  test("the rest of a body that ends early is fetched", async () => {
    server.faults.set(PATH, [{ kind: "short", bytes: 1100 }]);
    const storage = durable();
    const file = await load(storage, { sizeBytes: bytes.length });
    expect(await contentOf(storage, file)).toEqual(bytes);
    expect(server.requests).toEqual([`GET ${PATH}`, `GET ${PATH} 1100-`]);
  });
});

test.each([
  [404, "NOT_FOUND", 1],
  [403, "FORBIDDEN", 1],
  [400, "NETWORK", 1],
  [503, "NETWORK", 3],
  [429, "NETWORK", 3],
])("status %i is %s after %i requests", async (status, code, requests) => {
  server.faults.set(
    PATH,
    Array.from({ length: 9 }, () => ({ kind: "status", status }) as const),
  );
  expect(await codeOf(load(durable(), {}, { attempts: 3 }))).toBe(code);
  expect(server.requests).toHaveLength(requests);
});

test.each([
  ["never answered", "https://unreached.test", 3],
  ["answered before", "https://reached.test", 5],
])("a server that %s (%s) gets %i requests before it is NETWORK", async (_, origin, most) => {
  let requests = 0;
  const hello = async () => new Response(bytes);
  const options = { chunkBytes: CHUNK, retryDelayMs: 1, storage: createFallbackStorage(null) };
  if (most === 5) await downloadFile(remote({ url: `${origin}/a` }), { ...options, fetch: hello });
  const unreachable = () => {
    requests++;
    throw new TypeError("Failed to fetch");
  };
  const failed = downloadFile(remote({ key: "u-b", url: `${origin}/b` }), {
    ...options,
    fetch: unreachable,
  });
  await expect(failed).rejects.toMatchObject({ code: "NETWORK", retryable: true });
  expect(requests).toBe(most);
});

test("an HTML page instead of the file counts as not found", async () => {
  server.files.set(PATH, { bytes, type: "text/html; charset=utf-8" });
  expect(await codeOf(load(durable()))).toBe("NOT_FOUND");
});

test("a compressed body has no size until it is complete", async () => {
  const text = new Uint8Array(5000).fill(65);
  server.files.set(PATH, { bytes: text, isGzipped: true });
  const totals: number[] = [];
  const storage = durable();
  const file = await load(storage, {}, { onTotal: (total) => totals.push(total) });
  expect(await contentOf(storage, file)).toEqual(text);
  expect(totals).toEqual([]);
});

/** As the weights of a model: compression makes them a little smaller. */
function compressible(length: number): Uint8Array {
  const random = mulberry32(1);
  return Uint8Array.from({ length }, () => (random() < 1 / 13 ? 60 : Math.floor(256 * random())));
}

test("a compressed body of a known size counts bytes as they are, and goes on with a range", async () => {
  const weights = compressible(300_000);
  server.files.set(PATH, { bytes: weights, isGzipped: true });
  const known = { sizeBytes: weights.length, sha256: await sha256(weights), isImmutable: true };
  const storage = durable();
  const leaving = new AbortController();
  const [totals, loaded]: [number[], number[]] = [[], []];
  const options: Partial<DownloadOptions> = {
    onTotal: (total) => totals.push(total),
    onLoaded: (count) => {
      loaded.push(count);
      if (count > 100_000) leaving.abort(new Error("left"));
    },
    chunkBytes: 1_000_000,
  };
  const first = load(storage, known, { ...options, signal: leaving.signal });
  await expect(first).rejects.toThrow("left");
  const reached = loaded.at(-1) ?? 0;
  expect(reached).toBeLessThan(weights.length);
  const file = await load(storage, known, options);
  expect(await sha256(await contentOf(storage, file))).toBe(known.sha256);
  // It goes on at a byte of the file, not of the compressed body.
  expect(server.requests).toEqual([`GET ${PATH}`, `GET ${PATH} ${reached}-`]);
  expect(new Set(totals)).toEqual(new Set([weights.length]));
  expect(loaded).toEqual(loaded.toSorted((one, other) => one - other));
  expect(loaded.at(-1)).toBe(weights.length);
});

test("a file of one chunk is there before it is stored", async () => {
  const events: string[] = [];
  const memory = durable();
  const storage: ChunkStorage = {
    ...memory,
    write: async (key, name, content) => {
      if (name !== "partial.json") events.push(name === "whole.json" ? name : "chunk");
      await memory.write(key, name, content);
    },
  };
  const options = { chunkBytes: bytes.length + 1, onBytes: () => events.push("bytes") };
  await load(storage, { sizeBytes: bytes.length, sha256: await sha256(bytes) }, options);
  expect(events).toEqual(["bytes", "chunk", "whole.json"]);
  events.length = 0;
  const wrong = load(durable(), { sha256: "0".repeat(64) }, options);
  expect(await codeOf(wrong)).toBe("DIGEST_MISMATCH");
  expect(events).toEqual([]);
});

describe("a chunk that was damaged in storage", () => {
  async function damaged(): Promise<[ChunkStorage, Awaited<ReturnType<typeof load>>]> {
    const storage = durable();
    const file = await load(storage);
    const name = chunkName(2, file.content.chunks[2]?.sha256 ?? "");
    await storage.write("u-model", name, new Uint8Array(CHUNK));
    server.requests.length = 0;
    return [storage, file];
  }

  test("is detected when read, fetched again by itself, and stored", async () => {
    const [storage, file] = await damaged();
    expect(await contentOf(storage, file)).toEqual(bytes);
    expect(server.requests).toEqual([`GET ${PATH} 2000-2999`]);
    expect(await contentOf(storage, file)).toEqual(bytes);
    expect(server.requests).toHaveLength(1);
  });

  test("is taken from the whole file if the server has no ranges", async () => {
    const [storage, file] = await damaged();
    server.files.set(PATH, { bytes, hasRanges: false });
    expect(await contentOf(storage, file)).toEqual(bytes);
  });

  test("is an error if the server has other bytes by now, or none", async () => {
    const [storage, file] = await damaged();
    server.files.set(PATH, { bytes: bytes.map((byte) => byte ^ 1) });
    expect(await codeOf(contentOf(storage, file))).toBe("DIGEST_MISMATCH");
    server.faults.set(PATH, [{ kind: "status", status: 503 }]);
    expect(await codeOf(contentOf(storage, file))).toBe("NETWORK");
    server.files.set(PATH, { bytes });
    expect(await contentOf(storage, file)).toEqual(bytes);
  });
});

test("chunks that do not fit into storage stay in memory, and can be posted to another thread", async () => {
  const storage = durable();
  let writes = 0;
  const small: ChunkStorage = {
    ...storage,
    write: (...chunk) =>
      ++writes > 3
        ? Promise.reject(new DOMException("full", "QuotaExceededError"))
        : storage.write(...chunk),
  };
  const file = await load(small);
  expect(file.content.chunks.map(({ held }) => held !== null)).toEqual([
    false,
    false,
    true,
    true,
    true,
  ]);
  // a worker has the durable storage and the posted chunks
  expect(await contentOf(storage, structuredClone(file))).toEqual(bytes);
  // the next page resumes with the stored chunks
  server.requests.length = 0;
  await load(storage);
  expect(server.requests).toEqual([`GET ${PATH} 2000-`]);
});

test("if there is too little room, nothing is written to storage", async () => {
  const storage = { ...durable(), freeBytes: () => Promise.resolve(1_000_000) };
  const file = await load(storage, { sizeBytes: bytes.length });
  expect(file.content.chunks.every(({ held }) => held !== null)).toBe(true);
  expect(await storage.keys()).toEqual([]);
});

test("two tabs that load one file fetch it once", async () => {
  const storage = durable();
  const files = await Promise.all([load(storage), load(storage)]);
  for (const file of files) expect(await contentOf(storage, file)).toEqual(bytes);
  expect(server.requests).toHaveLength(1);
});

test("a waiting tab sees the other one's progress, and continues when that one closes", async () => {
  server.faults.set(PATH, [{ kind: "stall", afterBytes: 2500 }]);
  const storage = durable();
  const closing = new AbortController();
  const first = codeOf(load(storage, {}, { signal: closing.signal }));
  const seen: number[] = [];
  const second = load(
    storage,
    {},
    {
      onLoaded: (loaded) => {
        seen.push(loaded);
        if (loaded === 2000) closing.abort(); // the two chunks that the first tab has stored
      },
    },
  );
  expect(await contentOf(storage, await second)).toEqual(bytes);
  expect(await first).toContain("AbortError");
  expect(server.requests).toEqual([`GET ${PATH}`, `GET ${PATH} 2500-`]);
  expect(seen.slice(0, 2)).toEqual([2000, 2500]);
});
