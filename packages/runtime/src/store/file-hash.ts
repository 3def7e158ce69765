/** Hashes the bytes of a file piece by piece, which the browser's own hash cannot. Loaded for large files only. */
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";

/** The hash of all bytes so far. */
export type FileHash = {
  update(bytes: Uint8Array): void;
  /** SHA-256 in hex. No more bytes can be added. */
  digest(): string;
};

export function createFileHash(): FileHash {
  const hash = sha256.create();
  return { update: (bytes) => void hash.update(bytes), digest: () => bytesToHex(hash.digest()) };
}
