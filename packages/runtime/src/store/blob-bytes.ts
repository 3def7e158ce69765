/** The bytes of a Blob or File as a `ByteSource`: read from disk on demand. */
import type { ByteSource } from "@waggle/model";
import { WaggleError } from "@waggle/protocol";

export function openBlob(blob: Blob): ByteSource {
  return {
    sizeBytes: blob.size,
    async read(offset, length) {
      if (offset < 0 || length < 0 || offset + length > blob.size) {
        throw pastTheEnd(offset, length, blob.size);
      }
      return readBlob(blob.slice(offset, offset + length));
    },
  };
}

/** @throws WaggleError `STORAGE_UNAVAILABLE` for a file that was changed or removed meanwhile. */
export async function readBlob(blob: Blob): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return new Uint8Array(await blob.arrayBuffer());
  } catch (cause) {
    throw new WaggleError(
      "STORAGE_UNAVAILABLE",
      "the picked file changed or cannot be read; pick it again",
      { cause },
    );
  }
}

/** The error of a read that no well-formed file causes. */
export function pastTheEnd(offset: number, length: number, sizeBytes: number): WaggleError {
  return new WaggleError(
    "MODEL_CORRUPT",
    `cannot read ${length} bytes at ${offset} of ${sizeBytes}; load the file again`,
  );
}
