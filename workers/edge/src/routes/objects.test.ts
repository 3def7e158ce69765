/** Objects over HTTP from the real Worker with real R2. */
import { SELF } from "cloudflare:test";
import { sha256 } from "@waggle/protocol";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ask, asTrainer, call, freshEdge, ORIGIN, putBytes } from "../testing/edge.ts";
import { makeSite } from "../testing/sites.ts";

test("without a range, or with one over all bytes, an object is sent as a whole", async () => {
  await freshEdge();
  const { sha256 } = await putBytes(new TextEncoder().encode("0123456789"));
  for (const headers of [{}, { range: "bytes=0-9" }]) {
    const whole = await call("GET", `/v1/objects/${sha256}`, { headers });
    expect(whole).toMatchObject({ status: 200, body: "0123456789" });
    expect(whole.headers.get("content-range")).toBeNull();
    expect(whole.headers.get("accept-ranges")).toBe("bytes");
  }
});

const Decompressor = DecompressionStream;
afterEach(() => vi.unstubAllGlobals());

/** Repeats, so that gzip makes it smaller. */
const TEXT = "waggle ".repeat(5000);
const BYTES = new TextEncoder().encode(TEXT);
const ACCEPTS = { "accept-encoding": "br, gzip" };

async function gzipOf(bytes: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([bytes as Uint8Array<ArrayBuffer>]).stream();
  return new Response(stream.pipeThrough(new CompressionStream("gzip"))).bytes() as Promise<
    Uint8Array<ArrayBuffer>
  >;
}

/** The object, and the bytes of its compressed form. */
async function compressedObject(): Promise<{ sha256: string; path: string; gzip: Uint8Array }> {
  const { sha256 } = await putBytes(BYTES);
  const gzip = await gzipOf(BYTES);
  await ask("PUT", `/v1/trainer/objects/${sha256}/gzip`, { ...asTrainer, raw: gzip });
  return { sha256, path: `/v1/objects/${sha256}`, gzip };
}

describe("an object with a compressed form", () => {
  beforeEach(async () => {
    await freshEdge();
  });

  test("is sent compressed, byte for byte as it was stored, with the length of these bytes", async () => {
    const { sha256, path, gzip } = await compressedObject();
    const response = await SELF.fetch(ORIGIN + path, {
      headers: ACCEPTS,
      // The test reads what is on the line.
      encodeResponseBody: "manual",
    } as RequestInit);
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(gzip);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-encoding": "gzip",
      "content-length": String(gzip.length),
      "cache-control": "public, max-age=31536000, immutable",
      etag: `"${sha256}-gzip"`,
      vary: expect.stringContaining("Accept-Encoding"),
    });
  });

  test("is the object once a client has decompressed it", async () => {
    const { path } = await compressedObject();
    expect((await call("GET", path, { headers: ACCEPTS })).body).toBe(TEXT);
  });

  test("is sent as it is to clients that do not accept gzip, and for ranges", async () => {
    const { sha256, path } = await compressedObject();
    for (const encoding of ["identity", "br", "gzip;q=0, br", "x-gzip"]) {
      const plain = await call("GET", path, { headers: { "accept-encoding": encoding } });
      expect(plain).toMatchObject({ status: 200, body: TEXT });
      expect(plain.headers.get("content-encoding")).toBeNull();
      expect(plain.headers.get("etag")).toBe(`"${sha256}"`);
      expect(plain.headers.get("vary")).toContain("Accept-Encoding");
    }
    const part = await call("GET", path, { headers: { ...ACCEPTS, range: "bytes=7-12" } });
    expect(part).toMatchObject({ status: 206, body: "waggle" });
    expect(part.headers.get("content-encoding")).toBeNull();
    expect(part.headers.get("content-range")).toBe(`bytes 7-12/${BYTES.length}`);
  });

  test("is sent as a whole to a client that goes on with bytes of the other form", async () => {
    const { sha256, path } = await compressedObject();
    const goOn = (tag: string) =>
      call("GET", path, { headers: { ...ACCEPTS, range: "bytes=7-12", "if-range": tag } });
    expect(await goOn(`"${sha256}"`)).toMatchObject({ status: 206, body: "waggle" });
    const whole = await goOn(`"${sha256}-gzip"`);
    expect(whole).toMatchObject({ status: 200, body: TEXT });
    expect(whole.headers.get("etag")).toBe(`"${sha256}-gzip"`);
  });

  test("has not changed for a browser that has either form", async () => {
    const { sha256, path } = await compressedObject();
    for (const tag of [`"${sha256}"`, `"${sha256}-gzip"`]) {
      const headers = { ...ACCEPTS, "if-none-match": tag };
      const unchanged = await call("GET", path, { headers });
      expect(unchanged.status).toBe(304);
      expect(unchanged.headers.get("etag")).toBe(tag);
    }
  });

  test("is asked for with HEAD, and says its form", async () => {
    const { path } = await compressedObject();
    const head = await call("HEAD", path, { ...asTrainer, headers: ACCEPTS });
    expect(head.status).toBe(200);
    expect(head.headers.get("content-encoding")).toBe("gzip");
  });

  test("is found compressed in another site, by pages", async () => {
    const desk = await makeSite("desk");
    const hash = await sha256(BYTES);
    const path = `/v1/trainer/objects/${hash}`;
    await ask("PUT", path, { ...desk.trainer, raw: BYTES });
    await ask("PUT", `${path}/gzip`, { ...desk.trainer, raw: await gzipOf(BYTES) });
    const found = await call("GET", `/v1/objects/${hash}`, { headers: ACCEPTS });
    expect(found.headers.get("content-encoding")).toBe("gzip");
    expect(found.body).toBe(TEXT);
  });
});

test("an object without a compressed form is sent as it is to every client", async () => {
  await freshEdge();
  const { sha256: hash } = await putBytes(BYTES);
  const plain = await call("GET", `/v1/objects/${hash}`, { headers: ACCEPTS });
  expect(plain).toMatchObject({ status: 200, body: TEXT });
  expect(plain.headers.get("content-encoding")).toBeNull();
});

describe("a compressed form is refused", () => {
  beforeEach(async () => {
    await freshEdge();
  });
  const put = async (hash: string, raw: Uint8Array<ArrayBuffer>, credential = asTrainer) =>
    call("PUT", `/v1/trainer/objects/${hash}/gzip`, { ...credential, raw });

  test.each([
    ["of other bytes", () => gzipOf(new TextEncoder().encode(TEXT.replace("waggle", "giggle")))],
    ["of more bytes", () => gzipOf(new TextEncoder().encode(`${TEXT}!`))],
    ["of fewer bytes", () => gzipOf(BYTES.slice(1))],
    ["that is not gzip", async () => BYTES.slice()],
    ["that is cut off", async () => (await gzipOf(BYTES)).slice(0, -20)],
  ])("%s, and nothing is stored", async (_, bytes) => {
    const { sha256: hash } = await putBytes(BYTES);
    const refused = await put(hash, await bytes());
    expect(refused).toMatchObject({ status: 400, body: { error: { code: "DIGEST_MISMATCH" } } });
    const found = await call("GET", `/v1/objects/${hash}`, { headers: ACCEPTS });
    expect(found.body).toBe(TEXT);
    expect(found.headers.get("content-encoding")).toBeNull();
  });

  test("without its object, or without the trainer's credential", async () => {
    const hash = await sha256(BYTES);
    const gzip = await gzipOf(BYTES);
    expect((await put(hash, gzip)).status).toBe(404);
    await putBytes(BYTES);
    expect((await put(hash, gzip, { token: "someone" })).status).toBe(401);
  });

  test("after the first bytes that are too many, and the rest is not decompressed", async () => {
    const { sha256: hash } = await putBytes(BYTES);
    const bomb = await gzipOf(new Uint8Array(64_000_000));
    const taken: number[] = [];
    vi.stubGlobal("DecompressionStream", function counting(format: "gzip") {
      const { readable, writable } = new Decompressor(format);
      const writer = writable.getWriter();
      const write = (bytes: BufferSource): Promise<void> => {
        taken.push(bytes.byteLength);
        return writer.write(bytes);
      };
      const getWriter = () => ({
        write,
        close: () => writer.close(),
        abort: () => writer.abort(),
      });
      return { readable, writable: { getWriter } };
    });
    const refused = await put(hash, bomb);
    expect(refused).toMatchObject({ status: 400, body: { error: { code: "DIGEST_MISMATCH" } } });
    expect(taken).not.toEqual([]);
    expect(taken.reduce((sum, bytes) => sum + bytes)).toBeLessThan(bomb.length / 2);
  });
});
