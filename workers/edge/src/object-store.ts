/**
 * R2 keys. Two prefixes: public objects by content hash, and trajectories by visitor, so that a visitor is
 * forgotten by deleting a prefix.
 */
import { WaggleError } from "@waggle/protocol";

/** Key of a public object. */
export const objectKey = (sha256: string): string => `objects/${sha256}`;

/** Key of a trajectory. */
export const trajectoryKey = (visitorId: string, digest: string): string =>
  `trajectories/${visitorId}/${digest}.json`;

/** Keys that R2 deletes in one call. */
const DELETE_BATCH = 1000;

/** Deletes every trajectory object of a visitor, including objects without a row. */
export async function deleteVisitorObjects(bucket: R2Bucket, visitorId: string): Promise<void> {
  const prefix = `trajectories/${visitorId}/`;
  for (;;) {
    const listed = await bucket.list({ prefix, limit: DELETE_BATCH });
    if (listed.objects.length === 0) return;
    await bucket.delete(listed.objects.map((object) => object.key));
  }
}

/**
 * Stores bytes under their hash. R2 verifies it while they stream in.
 * @throws WaggleError `DIGEST_MISMATCH`
 */
export async function putObject(
  bucket: R2Bucket,
  sha256: string,
  body: ReadableStream | Uint8Array,
): Promise<number> {
  try {
    const stored = await bucket.put(objectKey(sha256), body, { sha256 });
    return stored.size;
  } catch (error) {
    // R2 has no error class; its message names the checksum.
    if (error instanceof Error && /sha-?256|checksum|10037/i.test(error.message)) {
      throw new WaggleError(
        "DIGEST_MISMATCH",
        "the bytes do not have the hash in the path; send the object again",
        { cause: error },
      );
    }
    throw error;
  }
}
