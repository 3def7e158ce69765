/**
 * Uploads a file of any size to an edge: in one request if it is small, otherwise in parts, because a deployed Worker
 * refuses large bodies. One part at a time is in memory.
 */
import { sha256 } from "@waggle/protocol";
import type { EdgeClient } from "./edge-client.ts";
import { PART_BYTES } from "./part-size.ts";

/** A file to upload. */
type UploadedFile = {
  readonly sha256: string;
  readonly sizeBytes: number;
  /** Exactly `length` bytes from `offset`. */
  readonly read: (offset: number, length: number) => Promise<Uint8Array>;
};

/** The edge calls of an upload. */
type UploadEdge = Pick<
  EdgeClient,
  "putObject" | "objectParts" | "putObjectPart" | "assembleObject"
>;

/**
 * Sends what the edge lacks of the file. An upload that was stopped goes on with the parts that are missing.
 *
 * @param onSent - called after each part with the bytes that the edge has.
 * @throws WaggleError `DIGEST_MISMATCH` if the file has changed since its hash was computed, `NOT_FOUND` if an operator
 *   ended the upload meanwhile.
 */
export async function uploadFile(
  edge: UploadEdge,
  file: UploadedFile,
  onSent: (bytes: number) => void = () => undefined,
  partBytes: number = PART_BYTES,
): Promise<void> {
  const { sizeBytes } = file;
  if (sizeBytes <= partBytes) {
    await edge.putObject(file.sha256, await file.read(0, sizeBytes));
    return;
  }
  const stored = new Set(await edge.objectParts(file.sha256));
  const parts: string[] = [];
  for (let offset = 0; offset < sizeBytes; offset += partBytes) {
    const bytes = await file.read(offset, Math.min(partBytes, sizeBytes - offset));
    const part = await sha256(bytes);
    if (!stored.has(part)) await edge.putObjectPart(file.sha256, part, bytes);
    stored.add(part);
    parts.push(part);
    onSent(offset + bytes.length);
  }
  await edge.assembleObject(file.sha256, parts, sizeBytes);
}
