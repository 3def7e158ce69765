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

/** Hex sha256 of what `gzip` decompresses to; `null` if that is more than `limitBytes`, or if it is not gzip. */
async function decompressedHash(gzip: Uint8Array, limitBytes: number): Promise<string | null> {
  const digest = new crypto.DigestStream("SHA-256");
  const writer = digest.getWriter();
  const reader = new Blob([gzip as Uint8Array<ArrayBuffer>])
    .stream()
    .pipeThrough(new DecompressionStream("gzip"))
    .getReader();
  let size = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      size += value.length;
      if (size > limitBytes) {
        void reader.cancel().catch(() => undefined);
        return null;
      }
      await writer.write(value);
    }
  } catch {
    return null;
  }
  await writer.close();
  return Array.from(new Uint8Array(await digest.digest), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
}
