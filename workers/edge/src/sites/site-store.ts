/**
 * The sites in D1. Credentials are stored as SHA-256; they are random, so the hash needs no salt. The site `default`
 * has a row from its first change on.
 */
import { sha256, type RotateCredentialRequest, SiteSettings, WaggleError } from "@waggle/protocol";

/** A site as it is stored. */
export type StoredSite = {
  readonly id: string;
  readonly name: string;
  readonly createdAt: number;
  readonly disabledAt: number | null;
  readonly settings: SiteSettings;
  readonly trainerCredential: string;
  readonly operatorCredential: string;
  readonly outcomesCredential: string;
  /** Credentials that were replaced, and until when (ms) they are still valid. */
  readonly previousCredentials: PreviousCredentials;
};

type Role = RotateCredentialRequest["role"];
type PreviousCredentials = {
  readonly [role in Role]?: { readonly hash: string; readonly until: number };
};

type Row = Omit<StoredSite, "settings" | "previousCredentials"> & {
  settings: string;
  previousCredentials: string;
};

/** Sites of one installation. Every isolate keeps them all in memory. */
const MOST_SITES = 500;

/** A site whose settings cannot be read is disabled, and the other sites are served. */
function stored(row: Row): StoredSite {
  const read = SiteSettings.safeParse(parsedJson(row.settings));
  // Written by `rotateCredential` alone.
  const previousCredentials = parsedJson(row.previousCredentials) as PreviousCredentials;
  if (read.success) return { ...row, settings: read.data, previousCredentials };
  const disabledAt = row.disabledAt ?? row.createdAt;
  return { ...row, settings: {}, previousCredentials, disabledAt };
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** All stored sites, by id. */
export async function listSites(db: D1Database): Promise<StoredSite[]> {
  const { results } = await db
    .prepare(
      `SELECT id, name, createdAt, disabledAt, settings, trainerCredential, operatorCredential,
         outcomesCredential, previousCredentials
       FROM sites ORDER BY id`,
    )
    .all<Row>();
  return results.map(stored);
}

/** Hash of the base model of each site that has one. */
export async function baseModelsOfSites(db: D1Database): Promise<ReadonlyMap<string, string>> {
  const { results } = await db
    .prepare("SELECT site, sha256 FROM baseModel")
    .all<{ site: string; sha256: string }>();
  return new Map(results.map(({ site, sha256 }) => [site, sha256]));
}

/** A new credential. The prefix lets scanners of source code recognize one that was committed. */
function newCredential(role: RotateCredentialRequest["role"]): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return `waggle-${role}-${[...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

/** Creates the row of a site unless it exists, as at the first change of `default`. No credential has an empty hash. */
function ensureRow(db: D1Database, id: string, now: number): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO sites (id, name, createdAt, settings, trainerCredential, operatorCredential)
       VALUES (?1, ?1, ?2, '{}', '', '') ON CONFLICT DO NOTHING`,
    )
    .bind(id, now);
}

/** Statements that make `keys` the keys of a site. A key of another site makes the batch fail. */
function writeKeys(db: D1Database, site: string, keys: readonly string[]): D1PreparedStatement[] {
  return [
    db.prepare("DELETE FROM siteKeys WHERE site = ?1").bind(site),
    db
      .prepare("INSERT INTO siteKeys (siteKey, site) SELECT value, ?1 FROM json_each(?2)")
      .bind(site, JSON.stringify([...new Set(keys)])),
  ];
}

function isTaken(error: unknown, what: string): boolean {
  return error instanceof Error && error.message.includes(`UNIQUE constraint failed: ${what}`);
}

async function write(db: D1Database, id: string, batch: D1PreparedStatement[]): Promise<void> {
  try {
    await db.batch(batch);
  } catch (error) {
    if (isTaken(error, "siteKeys")) throw keyTaken();
    if (isTaken(error, "sites.id")) {
      throw new WaggleError("CONFLICT", `site ${id} already exists; choose another id`);
    }
    throw error;
  }
}

/** The error for a key that opens sessions of another site. */
export function keyTaken(): WaggleError {
  return new WaggleError(
    "CONFLICT",
    "a site key already belongs to another site; each key opens one site",
  );
}

/** Stores a new site. @throws WaggleError `CONFLICT` */
export async function createSite(
  db: D1Database,
  site: Pick<StoredSite, "id" | "name" | "settings">,
  now: number,
): Promise<{ trainerCredential: string; operatorCredential: string }> {
  const { id, name, settings } = site;
  const count = await db.prepare("SELECT COUNT(*) AS n FROM sites").first<number>("n");
  if ((count ?? 0) >= MOST_SITES) {
    throw new WaggleError("CONFLICT", `this installation has ${MOST_SITES} sites, the most it can`);
  }
  const trainerCredential = newCredential("trainer");
  const operatorCredential = newCredential("operator");
  await write(db, id, [
    db
      .prepare(
        `INSERT INTO sites (id, name, createdAt, settings, trainerCredential, operatorCredential)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)`,
      )
      .bind(
        id,
        name,
        now,
        JSON.stringify(settings),
        await sha256(trainerCredential),
        await sha256(operatorCredential),
      ),
    ...writeKeys(db, id, settings.siteKeys ?? []),
  ]);
  return { trainerCredential, operatorCredential };
}

/** Replaces name and settings. @throws WaggleError `CONFLICT` for a key of another site */
export async function changeSite(
  db: D1Database,
  { id, name, settings }: Pick<StoredSite, "id" | "name" | "settings">,
  now: number,
): Promise<void> {
  await write(db, id, [
    ensureRow(db, id, now),
    db
      .prepare("UPDATE sites SET name = ?2, settings = ?3 WHERE id = ?1")
      .bind(id, name, JSON.stringify(settings)),
    ...writeKeys(db, id, settings.siteKeys ?? []),
  ]);
}

/** @param disabledAt `null` serves the site again */
export async function setDisabled(
  db: D1Database,
  id: string,
  disabledAt: number | null,
): Promise<void> {
  await db
    .prepare(
      "UPDATE sites SET disabledAt = ?2 WHERE id = ?1 AND (?2 IS NULL OR disabledAt IS NULL)",
    )
    .bind(id, disabledAt)
    .run();
}

/**
 * Replaces a credential.
 * @param until - how long (ms since 1970) the replaced one is still valid. The one before it is not.
 * @returns the new one, which is not stored
 */
export async function rotateCredential(
  db: D1Database,
  id: string,
  role: Role,
  until: number,
  now: number,
): Promise<string> {
  const credential = newCredential(role);
  await db.batch([
    ensureRow(db, id, now),
    db
      .prepare(
        `UPDATE sites SET ${role}Credential = ?2, previousCredentials =
           json_set(previousCredentials, '$.${role}',
                    json_object('hash', ${role}Credential, 'until', ?3))
         WHERE id = ?1`,
      )
      .bind(id, await sha256(credential), until),
  ]);
  return credential;
}
