import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, request, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { Connect } from "vite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { serveBuiltAssets } from "./built-assets.ts";

const WASM = Buffer.from("wasm ".repeat(2000));
let folder: string;
let server: ReturnType<typeof createServer>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "waggle-assets-"));
  mkdirSync(join(folder, "assets"));
  writeFileSync(join(folder, "assets", "ort-wasm-simd-threaded-BcD4_f-h.wasm"), WASM);
  writeFileSync(join(folder, "assets", "plain.js"), "1");
  writeFileSync(join(folder, "secret-abcdefgh.json"), "{}");
  const serve = serveBuiltAssets(folder, { "cross-origin-opener-policy": "same-origin" });
  server = createServer((asked, response) =>
    serve(asked as Connect.IncomingMessage, response, () => response.writeHead(404).end("next")),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

type Answer = { status: number | undefined; headers: IncomingHttpHeaders; body: Buffer };

/** Without `fetch`, which decodes the body and normalizes the path. */
function ask(path: string, headers: { [name: string]: string }, method = "GET"): Promise<Answer> {
  const { port } = server.address() as AddressInfo;
  return new Promise((resolve, reject) => {
    const asked = request({ host: "127.0.0.1", port, path, headers, method }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () =>
        resolve({
          status: response.statusCode,
          headers: response.headers,
          body: Buffer.concat(chunks),
        }),
      );
    });
    asked.on("error", reject).end();
  });
}

const FILE = "/assets/ort-wasm-simd-threaded-BcD4_f-h.wasm";
const GZIP = { "accept-encoding": "gzip, deflate, br" };

test("a hashed file is sent compressed, for browsers to keep", async () => {
  const { status, headers, body } = await ask(`${FILE}?import`, GZIP);
  expect(status).toBe(200);
  expect(headers).toMatchObject({
    "content-type": "application/wasm",
    "content-encoding": "gzip",
    "cache-control": "public, max-age=31536000, immutable",
    "cross-origin-opener-policy": "same-origin",
    vary: "accept-encoding",
  });
  expect(body.length).toBeLessThan(WASM.length / 10);
  expect(gunzipSync(body)).toEqual(WASM);
  const head = await ask(FILE, GZIP, "HEAD");
  expect(head.headers["content-length"]).toBe(String(body.length));
  expect(head.body).toHaveLength(0);
});

test.each([
  ["a name without a hash", "/assets/plain.js", GZIP, "GET"],
  ["a file that is missing", "/assets/missing-abcdefgh.js", GZIP, "GET"],
  ["a file outside the folder", "/assets/../secret-abcdefgh.json", GZIP, "GET"],
  ["an escaped path", "/assets/..%2Fsecret-abcdefgh.json", GZIP, "GET"],
  ["a part of a file", FILE, { ...GZIP, range: "bytes=0-1" }, "GET"],
  ["a browser without gzip", FILE, { "accept-encoding": "br, gzip;q=0" }, "GET"],
  ["another method", FILE, GZIP, "POST"],
])("%s is left to the next handler", async (_, path, headers, method) => {
  const { status, body } = await ask(path, headers, method);
  expect([status, body.toString()]).toEqual([404, "next"]);
});
