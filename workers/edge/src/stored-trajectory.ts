/**
 * Reads the object of a trajectory back. An object that cannot be used is a result with a reason: it
 * must not fail the lease or the page that other records are in.
 */
import {
  boundary,
  sha256,
  Trajectory,
  TRAJECTORY_SCHEMA_VERSION,
  UPLOAD_LIMITS,
} from "@waggle/protocol";

type UnusableObject =
  | "object-missing"
  | "object-unreadable"
  | "object-too-large"
  | "object-damaged"
  | "schema-unsupported"
  | "schema-invalid";

export type StoredTrajectory =
  | { readonly ok: true; readonly trajectory: Trajectory }
  | { readonly ok: false; readonly reason: UnusableObject };

const unusable = (reason: UnusableObject): StoredTrajectory => ({ ok: false, reason });

/** @throws WaggleError `STORAGE_UNAVAILABLE` when the bucket does not answer */
export async function readStoredTrajectory(
  bucket: R2Bucket,
  key: string,
  digest: string,
): Promise<StoredTrajectory> {
  const object = await boundary("storage", () => bucket.get(key));
  if (object === null) return unusable("object-missing");
  // Before a byte is read: a Worker has 128 MB.
  if (object.size > UPLOAD_LIMITS.bodyBytes) {
    await object.body.cancel();
    return unusable("object-too-large");
  }
  const bytes = await bytesOf(bucket, key, object);
  if (bytes === null) return unusable("object-unreadable");
  // The object is the canonical JSON that the digest was made of.
  if ((await sha256(bytes)) !== digest) return unusable("object-damaged");
  const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
  if ((value as { schemaVersion?: unknown }).schemaVersion !== TRAJECTORY_SCHEMA_VERSION) {
    return unusable("schema-unsupported");
  }
  const parsed = Trajectory.safeParse(value);
  return parsed.success ? { ok: true, trajectory: parsed.data } : unusable("schema-invalid");
}

/**
 * The bytes of an object, read a second time where the first read fails. `null` where the bucket answers
 * and the bytes still cannot be read: one such object must not hold up the others.
 */
async function bytesOf(
  bucket: R2Bucket,
  key: string,
  first: R2ObjectBody,
): Promise<Uint8Array | null> {
  try {
    return new Uint8Array(await first.arrayBuffer());
  } catch {
    const second = await boundary("storage", () => bucket.get(key));
    const bytes = await second?.arrayBuffer().catch(() => null);
    return bytes ? new Uint8Array(bytes) : null;
  }
}
