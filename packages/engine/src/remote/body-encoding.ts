/** How request bodies are compressed. Answers are compressed as the server likes; fetch undoes it. */
import { gzip, zstdCompress } from "node:zlib";
import { promisify } from "node:util";

export type BodyEncoding = "identity" | "gzip" | "zstd";

const compressors = { gzip: promisify(gzip), zstd: promisify(zstdCompress) };

/** Below this many bytes compressing costs more than it saves. */
const SMALLEST = 1024;

export type EncodedBody = {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The `content-encoding`, or null where the body is as it was. */
  readonly encoding: "gzip" | "zstd" | null;
};

/** @param smallest bytes from which on a body is compressed; 0 compresses always. */
export async function encodeBody(
  json: unknown,
  encoding: BodyEncoding,
  smallest: number = SMALLEST,
): Promise<EncodedBody> {
  const bytes = new TextEncoder().encode(JSON.stringify(json));
  if (encoding === "identity" || bytes.length < smallest) return { bytes, encoding: null };
  return { bytes: Uint8Array.from(await compressors[encoding](bytes)), encoding };
}
