/**
 * Parts of objects that are larger than a request's body may be. Each part is stored under its own hash, so a repeated
 * upload sends only the parts that are missing. Assembling writes the object in one piece, whose hash R2 verifies:
 * nothing is readable under the object's hash before.
 */
import {
  MAX_PART_BYTES,
  type ObjectPartsResponse,
  Sha256,
  type UnfinishedObjectsResponse,
  WaggleError,
} from "@waggle/protocol";
import { putHashed, putObject, storedObjectBytes } from "../object-store.ts";
import { nameInSite } from "../sites/site-name.ts";

/** R2 writes at most 5 GiB in one piece. */
const MAX_OBJECT_BYTES = 5_000_000_000;

type Stores = { readonly DB: D1Database; readonly OBJECTS: R2Bucket };
type Part = ObjectPartsResponse["parts"][number];

const partsPrefix = (site: string): string => nameInSite(site, "parts/");
const partPrefix = (site: string, object: string): string => `${partsPrefix(site)}${object}/`;

/**
 * Stores one part of an object. R2 verifies the part's hash while it streams in.
 * @param sizeBytes - the length of `body`
 * @throws WaggleError `PAYLOAD_TOO_LARGE`, `DIGEST_MISMATCH`
 */
export async function putPart(
  bucket: R2Bucket,
  site: string,
  object: string,
  part: string,
  body: ReadableStream | Uint8Array,
  sizeBytes: number,
): Promise<number> {
  if (sizeBytes <= MAX_PART_BYTES) {
    return putHashed(bucket, partPrefix(site, object) + part, part, body);
  }
  throw new WaggleError(
    "PAYLOAD_TOO_LARGE",
    `the part has ${sizeBytes} bytes, the limit is ${MAX_PART_BYTES}; send smaller parts`,
  );
}

/** The stored parts of an object. */
export async function listParts(bucket: R2Bucket, site: string, object: string): Promise<Part[]> {
  const prefix = partPrefix(site, object);
  const parts: Part[] = [];
  for await (const { key, size } of listed(bucket, prefix)) {
    parts.push({ sha256: key.slice(prefix.length), sizeBytes: size });
  }
  return parts;
}

/**
 * Joins parts into their object and deletes them. An object that is already stored is left as it is, so that the call
 * can be repeated, and several trainers can upload one object.
 *
 * @param order - hashes of the parts, in the order of the object's bytes
 * @returns the object's size in bytes
 * @throws WaggleError `NOT_FOUND` if parts are missing, `PAYLOAD_TOO_LARGE`, `DIGEST_MISMATCH` if the joined bytes have
 *   another hash; the parts then stay, and nothing is stored under the hash
 */
export async function assembleObject(
  stores: Stores,
  site: string,
  object: string,
  order: readonly string[],
): Promise<number> {
  const before = await storedSize(stores, site, object);
  if (before !== null) return before;
  const sizes = new Map<string, number>();
  for (const { sha256, sizeBytes } of await listParts(stores.OBJECTS, site, object)) {
    sizes.set(sha256, sizeBytes);
  }
  const missing = order.filter((part) => !sizes.has(part)).length;
  // Another trainer's call may have joined and deleted them meanwhile.
  if (missing > 0) return (await storedSize(stores, site, object)) ?? lost(missing);
  const totalBytes = order.reduce((sum, part) => sum + (sizes.get(part) ?? 0), 0);
  if (totalBytes > MAX_OBJECT_BYTES) {
    throw new WaggleError(
      "PAYLOAD_TOO_LARGE",
      `the object has ${totalBytes} bytes, the limit is ${MAX_OBJECT_BYTES}; split the weights into several files`,
    );
  }
  const { readable, writable } = new FixedLengthStream(totalBytes);
  const stored = putObject(stores, site, object, readable);
  const joined = joinParts(stores.OBJECTS, partPrefix(site, object), order, writable);
  const [put, join] = await Promise.allSettled([stored, joined]);
  if (put.status === "rejected" || join.status === "rejected") {
    const after = await storedSize(stores, site, object);
    if (after !== null) return after;
    // A part that is gone also breaks the write, with a less telling error.
    throw join.status === "rejected" && WaggleError.is(join.reason)
      ? join.reason
      : ((put as PromiseRejectedResult).reason ?? (join as PromiseRejectedResult).reason);
  }
  await deleteParts(stores.OBJECTS, site, object);
  return put.value;
}

/** `null` if the object is not stored; otherwise parts of it that are left are deleted. */
async function storedSize(stores: Stores, site: string, object: string): Promise<number | null> {
  const sizeBytes = await storedObjectBytes(stores, site, object);
  if (sizeBytes !== null) await deleteParts(stores.OBJECTS, site, object);
  return sizeBytes;
}

function lost(count: number): never {
  throw new WaggleError(
    "NOT_FOUND",
    `${count} parts of the object are not stored: they were deleted, or never sent; upload the object again`,
  );
}

async function joinParts(
  bucket: R2Bucket,
  prefix: string,
  order: readonly string[],
  writable: WritableStream,
): Promise<void> {
  try {
    for (const part of order) {
      const object = await bucket.get(prefix + part);
      if (object === null) lost(1);
      await object.body.pipeTo(writable, { preventClose: true, preventAbort: true });
    }
    await writable.close();
  } catch (error) {
    await writable.abort(error).catch(() => undefined);
    throw error;
  }
}

/** Deletes the parts of an object. @returns how many there were */
export async function deleteParts(bucket: R2Bucket, site: string, object: string): Promise<number> {
  return deleteListed(bucket, partPrefix(site, object), () => true);
}

/**
 * Deletes parts that arrived before `before`, whose upload was given up.
 * @returns whether other parts remain
 */
export async function deleteAbandonedParts(
  bucket: R2Bucket,
  site: string,
  before: number,
): Promise<boolean> {
  await deleteListed(bucket, partsPrefix(site), ({ uploaded }) => uploaded.getTime() < before);
  const { objects } = await bucket.list({ prefix: partsPrefix(site), limit: 1 });
  return objects.length > 0;
}

/** Objects of which only parts are stored. */
export async function listUnfinished(
  bucket: R2Bucket,
  site: string,
): Promise<UnfinishedObjectsResponse["objects"]> {
  const prefix = partsPrefix(site);
  const found = new Map<string, { parts: number; sizeBytes: number; last: number }>();
  for await (const { key, size, uploaded } of listed(bucket, prefix)) {
    const sha256 = key.slice(prefix.length).split("/")[0] ?? "";
    const { parts, sizeBytes, last } = found.get(sha256) ?? { parts: 0, sizeBytes: 0, last: 0 };
    found.set(sha256, {
      parts: parts + 1,
      sizeBytes: sizeBytes + size,
      last: Math.max(last, uploaded.getTime()),
    });
  }
  return Array.from(found, ([sha256, { last, ...sums }]) => ({
    sha256: Sha256.parse(sha256),
    ...sums,
    lastPartAt: new Date(last).toISOString(),
  }));
}

async function deleteListed(
  bucket: R2Bucket,
  prefix: string,
  isChosen: (object: R2Object) => boolean,
): Promise<number> {
  const keys: string[] = [];
  for await (const object of listed(bucket, prefix)) if (isChosen(object)) keys.push(object.key);
  // R2 deletes at most 1000 keys in one call.
  for (let at = 0; at < keys.length; at += 1000) await bucket.delete(keys.slice(at, at + 1000));
  return keys.length;
}

async function* listed(bucket: R2Bucket, prefix: string): AsyncGenerator<R2Object> {
  let cursor: string | undefined;
  do {
    const page = await bucket.list({ prefix, ...(cursor !== undefined && { cursor }) });
    yield* page.objects;
    cursor = page.truncated ? page.cursor : undefined;
  } while (cursor !== undefined);
}
