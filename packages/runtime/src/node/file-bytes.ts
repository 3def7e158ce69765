/**
 * The bytes of a file of any size as a `ByteSource`. Each read opens its own handle, so there is
 * nothing to dispose of. `openAsBlob` reports sizes modulo 2^32, and `readFile` refuses files above
 * 2 GiB.
 */
import { open, stat } from "node:fs/promises";
import type { ByteSource } from "@waggle/model";
import { pastTheEnd } from "../store/blob-bytes.ts";

/** Size of a read call and of a piece: far below the limit of 2^31 − 1 bytes. */
const PIECE_BYTES = 2 ** 22;

/** @throws the error of `stat` if the file does not exist. */
export async function openFileBytes(path: string): Promise<ByteSource> {
  const { size: sizeBytes } = await stat(path);
  return {
    sizeBytes,
    async read(offset, length) {
      if (offset < 0 || length < 0 || offset + length > sizeBytes) {
        throw pastTheEnd(offset, length, sizeBytes);
      }
      const bytes = new Uint8Array(length);
      const file = await open(path);
      try {
        for (let done = 0; done < length;) {
          const wanted = Math.min(PIECE_BYTES, length - done);
          const { bytesRead } = await file.read(bytes, done, wanted, offset + done);
          if (bytesRead === 0) throw pastTheEnd(offset, length, offset + done); // truncated meanwhile
          done += bytesRead;
        }
      } finally {
        await file.close();
      }
      return bytes;
    },
  };
}

/** Reads the whole file, with one piece in memory. Throws the signal's reason. */
export async function* readPieces(
  file: ByteSource,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  for (let offset = 0; offset < file.sizeBytes; offset += PIECE_BYTES) {
    signal?.throwIfAborted();
    yield await file.read(offset, Math.min(PIECE_BYTES, file.sizeBytes - offset));
  }
}
