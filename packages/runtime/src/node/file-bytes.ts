/**
 * The bytes of a file of any size as a `ByteSource`: read by range, each time through a handle of its
 * own, so there is nothing to dispose. Not `openAsBlob`, which tells sizes modulo 2^32, nor `readFile`,
 * which refuses files above 2 GiB.
 */
import { open, stat } from "node:fs/promises";
import type { ByteSource } from "@waggle/model";
import { pastTheEnd } from "../store/blob-bytes.ts";

/** Of one read call, and of a piece: far below the 2^31 − 1 bytes that a call may ask for. */
const PIECE_BYTES = 2 ** 22;

/** @throws what `stat` throws where the file is not there. */
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
          if (bytesRead === 0) throw pastTheEnd(offset, length, offset + done); // cut meanwhile
          done += bytesRead;
        }
      } finally {
        await file.close();
      }
      return bytes;
    },
  };
}

/** The whole file from its start, of which one piece is in memory. Throws the signal's reason. */
export async function* readPieces(
  file: ByteSource,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  for (let offset = 0; offset < file.sizeBytes; offset += PIECE_BYTES) {
    signal?.throwIfAborted();
    yield await file.read(offset, Math.min(PIECE_BYTES, file.sizeBytes - offset));
  }
}
