/**
 * Compressed forms of objects. An uploader compresses an object once, and the Worker stores the bytes beside it and sends
 * them as they are. The object itself stays: ranges, and clients that do not read gzip, get its own bytes.
 */
import { WaggleError } from "@waggle/protocol";
import { objectKey } from "../object-store.ts";
import { nameInSite } from "../sites/site-name.ts";

const gzipKey = (site: string, sha256: string): string => nameInSite(site, `gzip/${sha256}`);

/** Whether a response may be compressed with gzip. */
export function acceptsGzip({ headers, cf }: Request): boolean {
  // Cloudflare replaces the header with what it can decompress for the client. Development servers do not decompress.
  const original = (cf as { readonly clientAcceptEncoding?: unknown } | undefined)
    ?.clientAcceptEncoding;
  const accepted = typeof original === "string" ? original : headers.get("accept-encoding");
  return /(?:^|[\s,])gzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(accepted ?? "");
}

/** The compressed form of a site's object; `null` if it has none. */
export function findGzip(
  bucket: R2Bucket,
  site: string,
  sha256: string,
): Promise<R2ObjectBody | null> {
  return bucket.get(gzipKey(site, sha256));
}

/**
 * Stores the compressed form of a site's object, if it decompresses to that object. Pages of other sites may get it, too.
 *
 * @returns the compressed size in bytes
 * @throws WaggleError `NOT_FOUND` if the object itself is not stored, `DIGEST_MISMATCH`
 */
export async function putGzip(
  bucket: R2Bucket,
  site: string,
  sha256: string,
  gzip: Uint8Array,
): Promise<number> {
  const object = await bucket.head(objectKey(site, sha256));
  if (object === null) {
    throw new WaggleError("NOT_FOUND", "no object with this hash is stored; store it first");
  }
  if ((await decompressedHash(gzip, object.size)) !== sha256) {
    throw new WaggleError(
      "DIGEST_MISMATCH",
      "the bytes do not decompress to the object with the hash in the path; compress it again",
    );
  }
  const stored = await bucket.put(gzipKey(site, sha256), gzip, {
    httpMetadata: { contentEncoding: "gzip" },
  });
  return stored.size;
}

/** Compressed bytes that are decompressed at once. They make 1032 times as many at most, which the Worker keeps in memory. */
const SLICE_BYTES = 16_384;

/** Hex sha256 of what `gzip` decompresses to; `null` if that is more than `limitBytes`, or if it is not gzip. */
async function decompressedHash(gzip: Uint8Array, limitBytes: number): Promise<string | null> {
  const digest = new crypto.DigestStream("SHA-256");
  const hash = digest.getWriter();
  const { readable, writable } = new DecompressionStream("gzip");
  const [input, output] = [writable.getWriter(), readable.getReader()];
  let size = 0;
  const reading = (async () => {
    for (;;) {
      const { done, value } = await output.read();
      if (done) return;
      size += value.length;
      if (size > limitBytes) throw new Error("too many bytes");
      await hash.write(value);
    }
  })();
  // A decompressor takes all that it is given, whatever has been read. So each slice waits for the bytes of the one before it.
  const writing = (async () => {
    for (let at = 0; at < gzip.length; at += SLICE_BYTES) {
      await input.write(gzip.subarray(at, at + SLICE_BYTES) as Uint8Array<ArrayBuffer>);
      for (let read = -1; read !== size;) {
        read = size;
        await new Promise((resolve) => setTimeout(resolve));
        if (size > limitBytes) return;
      }
    }
    await input.close();
  })();
  try {
    await Promise.all([reading, writing]);
  } catch {
    // Not awaited, because a canceled decompressor may settle only after the response is sent.
    void output.cancel().catch(() => undefined);
    void input.abort().catch(() => undefined);
    return null;
  }
  await hash.close();
  return Array.from(new Uint8Array(await digest.digest), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
}
