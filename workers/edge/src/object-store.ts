/**
 * The two kinds of things in R2, kept apart by prefix: public objects under their content hash, and
 * trajectories under their visitor, so that forgetting a visitor is deleting a prefix.
 */
import { WaggleError } from "@waggle/protocol";

export const objectKey = (sha256: string): string => `objects/${sha256}`;

export const trajectoryKey = (visitorId: string, digest: string): string =>
  `trajectories/${visitorId}/${digest}.json`;

/** Keys R2 deletes in one call. */
const DELETE_BATCH = 1000;

/** Deletes every trajectory object of a visitor, also ones whose row was never written. */
export async function deleteVisitorObjects(bucket: R2Bucket, visitorId: string): Promise<void> {
  const prefix = `trajectories/${visitorId}/`;
  for (;;) {
    const listed = await bucket.list({ prefix, limit: DELETE_BATCH });
    if (listed.objects.length === 0) return;
    await bucket.delete(listed.objects.map((object) => object.key));
  }
}

/**
 * Stores bytes under their hash; R2 checks it while they stream in.
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
    // R2 names the checksum in its message; it has no error class.
    if (error instanceof Error && /sha-?256|checksum|10037/i.test(error.message)) {
      throw new WaggleError(
        "DIGEST_MISMATCH",
        "an object must have the hash of its address, got other bytes; send it again",
        { cause: error },
      );
    }
    throw error;
  }
}
