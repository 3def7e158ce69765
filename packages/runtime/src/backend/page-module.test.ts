/** What a page gets if a server does not have onnxruntime's binary, and when it is fetched. */
import { afterEach, expect, test } from "vitest";
import { localServer } from "../../../../test/fixtures/local-server.ts";
import type { LocalServer } from "../../../../test/fixtures/local-server.ts";
import { moduleFrom } from "./page-module.ts";

/** A module without code. */
const EMPTY = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);
/** In place of Emscripten's loader: instantiates, and has no other members. */
const LOADER = new URL(
  `data:text/javascript,${encodeURIComponent(
    "export default ({ instantiateWasm }) => new Promise((done) => instantiateWasm({}, (one, module) => done({ module })));",
  )}`,
);

let server: LocalServer | null = null;
afterEach(() => server?.close());

test("a binary that is not served is named, and one that is served later is fetched and compiled once", async () => {
  let isServed = false;
  let requests = 0;
  server = await localServer(() => {
    requests++;
    if (!isServed) return new Response("no", { status: 404 });
    return new Response(EMPTY, { headers: { "content-type": "application/wasm" } });
  });
  const create = moduleFrom(LOADER, new URL(`${server.origin}/engine.wasm`));
  await expect(create({ numThreads: 1 })).rejects.toThrow(/engine\.wasm is not served \(404\)/);
  isServed = true;
  create.prepare();
  const modules = [await create({ numThreads: 1 }), await create({ numThreads: 1 })];
  expect(requests).toBe(2);
  const [first, second] = modules as unknown as { module: WebAssembly.Module }[];
  expect(first?.module).toBeInstanceOf(WebAssembly.Module);
  expect(first?.module).toBe(second?.module);
});
