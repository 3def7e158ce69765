/**
 * R2 keys. Four prefixes in each site: public objects by content hash, their compressed forms, parts of objects that are
 * being uploaded, and trajectories by visitor, so that a visitor is forgotten by deleting a prefix.
 */
import { DEFAULT_SITE, WaggleError } from "@waggle/protocol";
import { nameInSite } from "./sites/site-name.ts";

/** Key of a public object. */
export const objectKey = (site: string, sha256: string): string =>
  nameInSite(site, `objects/${sha256}`);

/** Key of a trajectory. */
export const trajectoryKey = (site: string, visitorId: string, digest: string): string =>
  nameInSite(site, `trajectories/${visitorId}/${digest}.json`);

/** Keys that R2 deletes in one call. */
const DELETE_BATCH = 1000;

/** Deletes every trajectory object of a visitor, including objects without a row. */
export async function deleteVisitorObjects(
  bucket: R2Bucket,
  site: string,
  visitorId: string,
): Promise<void> {
  const prefix = nameInSite(site, `trajectories/${visitorId}/`);
  for (;;) {
    const listed = await bucket.list({ prefix, limit: DELETE_BATCH });
    if (listed.objects.length === 0) return;
    await bucket.delete(listed.objects.map((object) => object.key));
  }
}

/**
 * Finds a public object of a site. `null` is any enabled site, because a page that loads an object names none. Who knows
 * the hash may read the bytes, as with the manifest that names it.
 *
 * @param read - reads the object of one site, or something that belongs to it.
 */
export async function findObject<T>(
  { DB }: { readonly DB: D1Database },
  site: string | null,
  sha256: string,
  read: (site: string) => Promise<T | null>,
): Promise<T | null> {
  if (site !== null) return read(site);
  const first = await read(DEFAULT_SITE);
  if (first !== null) return first;
  const { results } = await DB.prepare(
    `SELECT o.site FROM objects o JOIN sites s ON s.id = o.site
     WHERE o.sha256 = ?1 AND s.disabledAt IS NULL`,
  )
    .bind(sha256)
    .all<{ site: string }>();
  for (const row of results) {
    const object = await read(row.site);
    if (object !== null) return object;
  }
  return null;
}

/**
 * Stores bytes of a site under their hash. R2 verifies it while they stream in.
 * @throws WaggleError `DIGEST_MISMATCH`
 */
export async function putObject(
  { DB, OBJECTS }: { readonly DB: D1Database; readonly OBJECTS: R2Bucket },
  site: string,
  sha256: string,
  body: ReadableStream | Uint8Array,
): Promise<number> {
  const size = await putHashed(OBJECTS, objectKey(site, sha256), sha256, body);
  await noteObject(DB, site, sha256);
  return size;
}

/** Notes which site has an object, for pages, which name no site. */
async function noteObject(db: D1Database, site: string, sha256: string): Promise<void> {
  if (site === DEFAULT_SITE) return;
  await db
    .prepare("INSERT INTO objects (sha256, site) VALUES (?1, ?2) ON CONFLICT DO NOTHING")
    .bind(sha256, site)
    .run();
}

/** Size of a site's object in bytes; `null` if it is not stored. Completes a `putObject` that was interrupted. */
export async function storedObjectBytes(
  { DB, OBJECTS }: { readonly DB: D1Database; readonly OBJECTS: R2Bucket },
  site: string,
  sha256: string,
): Promise<number | null> {
  const object = await OBJECTS.head(objectKey(site, sha256));
  if (object === null) return null;
  await noteObject(DB, site, sha256);
  return object.size;
}

/**
 * Stores bytes under a key. R2 verifies their hash while they stream in.
 * @throws WaggleError `DIGEST_MISMATCH`
 */
export async function putHashed(
  bucket: R2Bucket,
  key: string,
  sha256: string,
  body: ReadableStream | Uint8Array,
): Promise<number> {
  try {
    return (await bucket.put(key, body, { sha256 })).size;
  } catch (error) {
    // R2 has no error class; its message names the checksum.
    if (error instanceof Error && /sha-?256|checksum|10037/i.test(error.message)) {
      throw new WaggleError(
        "DIGEST_MISMATCH",
        "the bytes do not have the hash in the path; send them again",
        { cause: error },
      );
    }
    throw error;
  }
}
