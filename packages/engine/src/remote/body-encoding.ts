/** Compresses request bodies. Servers choose the compression of responses, which fetch decodes. */
import { gzip, zstdCompress } from "node:zlib";
import { promisify } from "node:util";

/** Encodings of a request body. */
export type BodyEncoding = "identity" | "gzip" | "zstd";

const compressors = { gzip: promisify(gzip), zstd: promisify(zstdCompress) };

/** Below this many bytes, compression costs more than it saves. */
const SMALLEST = 1024;

/** A body as it is sent. */
export type EncodedBody = {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The `content-encoding`, or null if the body is not compressed. */
  readonly encoding: "gzip" | "zstd" | null;
};

/** @param smallest minimum bytes for compression; 0 always compresses. */
export async function encodeBody(
  json: unknown,
  encoding: BodyEncoding,
  smallest: number = SMALLEST,
): Promise<EncodedBody> {
  const bytes = new TextEncoder().encode(JSON.stringify(json));
  if (encoding === "identity" || bytes.length < smallest) return { bytes, encoding: null };
  return { bytes: Uint8Array.from(await compressors[encoding](bytes)), encoding };
}
