/**
 * Reads a trajectory's object. An unusable object becomes a result with a reason, so that it does not fail the
 * lease or page with the other records.
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

/** The trajectory, or the reason why its object is unusable. */
export type StoredTrajectory =
  | { readonly ok: true; readonly trajectory: Trajectory }
  | { readonly ok: false; readonly reason: UnusableObject };

const unusable = (reason: UnusableObject): StoredTrajectory => ({ ok: false, reason });

/** @throws WaggleError `STORAGE_UNAVAILABLE` if the bucket does not respond */
export async function readStoredTrajectory(
  bucket: R2Bucket,
  key: string,
  digest: string,
): Promise<StoredTrajectory> {
  const object = await boundary("storage", () => bucket.get(key));
  if (object === null) return unusable("object-missing");
  // Checked before any byte is read, because a Worker has only 128 MB.
  if (object.size > UPLOAD_LIMITS.bodyBytes) {
    await object.body.cancel();
    return unusable("object-too-large");
  }
  const bytes = await bytesOf(bucket, key, object);
  if (bytes === null) return unusable("object-unreadable");
  // The object is the canonical JSON that was digested.
  if ((await sha256(bytes)) !== digest) return unusable("object-damaged");
  const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
  if ((value as { schemaVersion?: unknown }).schemaVersion !== TRAJECTORY_SCHEMA_VERSION) {
    return unusable("schema-unsupported");
  }
  const parsed = Trajectory.safeParse(value);
  return parsed.success ? { ok: true, trajectory: parsed.data } : unusable("schema-invalid");
}

/**
 * The bytes of an object, with one retry. `null` if the bucket responds but the bytes stay unreadable, since
 * one such object must not block the others.
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
