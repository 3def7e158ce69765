/**
 * A page that downloads a compressed model from an edge of another origin, in Chromium. The browser decompresses it, and
 * `Content-Length` is the length of the compressed bytes.
 */
import { gzipSync } from "node:zlib";
import { mulberry32, sha256 } from "@waggle/protocol";
import { chromium } from "playwright-core";
import { expect, test } from "vitest";
import { CHROMIUM_FLAGS, chromiumPath } from "../../packages/dev/src/loop/chromium.ts";
import { builtPage } from "../fixtures/built-page.ts";
import { fileServer } from "../fixtures/file-server.ts";
import { localServer } from "../fixtures/local-server.ts";

const PAGE = `
import { createModelStore } from "@waggle/runtime";
const progress = [];
globalThis.loadedBytes = () => progress.at(-1)?.[0] ?? 0;
globalThis.load = async (baseUrl, files) => {
  const arrived = [];
  const loaded = await createModelStore({ baseUrl }).modelFiles({ files }, {
    onProgress: ({ loadedBytes, totalBytes }) => progress.push([loadedBytes, totalBytes]),
    onFile: (path, bytes) => arrived.push(path + " " + bytes.length),
  });
  return { progress, arrived, sizes: [...loaded.values()].map((bytes) => bytes.length) };
};
`;

type Loaded = {
  readonly progress: readonly (readonly [number, number])[];
  readonly arrived: readonly string[];
  readonly sizes: readonly number[];
};

/** Half of the values are small, so that gzip saves some, as of weights. */
const random = mulberry32(1);
const weights = Uint8Array.from({ length: 3_000_000 }, (_, i) =>
  Math.floor(random() * (i % 2 === 0 ? 256 : 16)),
);

test("a page counts the bytes of a compressed model from another origin as they are", async () => {
  const file = {
    path: "model.safetensors",
    sha256: await sha256(weights),
    sizeBytes: weights.length,
  };
  const compressed = gzipSync(weights);
  expect(compressed.length).toBeLessThan(0.97 * weights.length);
  const encodings: (string | null)[] = [];
  const halfShown = Promise.withResolvers<void>();
  const edge = await localServer(({ headers }) => {
    encodings.push(headers.get("accept-encoding"));
    const half = Math.floor(compressed.length / 2);
    const body = new ReadableStream<Uint8Array>({
      async start(controller) {
        controller.enqueue(compressed.subarray(0, half));
        await halfShown.promise;
        controller.enqueue(compressed.subarray(half));
        controller.close();
      },
    });
    return new Response(body, {
      headers: {
        "access-control-allow-origin": "*",
        "content-encoding": "gzip",
        "content-length": String(compressed.length),
      },
    });
  });
  const server = await fileServer(await builtPage(PAGE));
  const browser = await chromium.launch({ executablePath: chromiumPath(), args: CHROMIUM_FLAGS });
  try {
    const page = await browser.newPage();
    await page.goto(server.origin);
    await page.waitForFunction(() => "load" in globalThis);
    const loading = page.evaluate(
      ([origin, reference]) =>
        (globalThis as unknown as { load: (...given: unknown[]) => Promise<Loaded> }).load(origin, [
          reference,
        ]),
      [edge.origin, file] as const,
    );
    // The second half of the file leaves the server only now, so the first half has been counted alone.
    await page.waitForFunction(() =>
      (globalThis as unknown as { loadedBytes: () => number }).loadedBytes(),
    );
    halfShown.resolve();
    const { progress, arrived, sizes } = await loading;
    expect(sizes).toEqual([weights.length]);
    expect(arrived).toEqual([`model.safetensors ${weights.length}`]);
    const loaded = progress.map(([bytes]) => bytes);
    expect(loaded[0]).toBeLessThan(0.6 * weights.length);
    expect(loaded).toEqual(loaded.toSorted((a, b) => a - b));
    expect(loaded.at(-1)).toBe(weights.length);
    expect(new Set(progress.map(([, total]) => total))).toEqual(new Set([weights.length]));
    expect(encodings).toEqual([expect.stringContaining("gzip")]);
  } finally {
    await browser.close();
    server.close();
    edge.close();
  }
});
