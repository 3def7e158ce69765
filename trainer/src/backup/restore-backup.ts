/**
 * Restores a backup into an empty edge. Every file is compared with the manifest before anything is
 * sent. The edge leaves out what it has, so that a restore that was stopped is finished by running it again.
 */
import { open } from "node:fs/promises";
import {
  BACKUP_TABLES,
  BackupRow,
  type BackupTable,
  type CreateSiteResponse,
  DEFAULT_SITE,
  RESTORE_ROWS,
  type Site,
  type SiteSettings,
  UPLOAD_LIMITS,
  WaggleError,
} from "@waggle/protocol";
import type { EdgeClient } from "../edge/edge-client.ts";
import { uploadFile } from "../edge/object-upload.ts";
import type { SiteClient } from "../edge/site-client.ts";
import type { BackupClient } from "./backup-client.ts";
import {
  type BackupManifest,
  filePath,
  readManifest,
  type SiteBackup,
  tablePath,
} from "./backup-manifest.ts";
import { hashFile, linesOf } from "./hashed-file.ts";

type FileEdge = Parameters<typeof uploadFile>[0] & Pick<EdgeClient, "storedForm">;

/** What a restore needs besides the folder. */
export type RestoreOptions = {
  readonly edge: BackupClient;
  readonly sites: SiteClient;
  /** The edge as the trainer of a site, for the model files. */
  readonly trainerOf: (site: string) => FileEdge;
  /** Gets each new site at once, because only its creation says its credentials. */
  readonly created: (site: CreateSiteResponse) => void;
  readonly report: (line: string) => void;
};

/** What a restore did. */
export type Restoration = {
  readonly stored: number;
  /** Rows of visitors who were forgotten. */
  readonly forgotten: number;
  readonly manifest: BackupManifest;
};

/**
 * Restores every site of a backup.
 *
 * @throws WaggleError `NOT_FOUND` without a complete backup, `DIGEST_MISMATCH` for a changed file, `CONFLICT` if the edge has
 *   other data
 */
export async function restoreBackup(
  folder: string,
  { edge, sites, trainerOf, created, report }: RestoreOptions,
): Promise<Restoration> {
  const manifest = await readManifest(folder);
  if (manifest?.finishedAt == null) {
    throw new WaggleError("NOT_FOUND", `${folder} has no complete backup`);
  }
  await verify(folder, manifest);
  const known = new Set((await sites.list()).map(({ id }) => id));
  for (const { site } of manifest.sites) {
    if (known.has(site.id)) await requireOwn(edge, folder, site.id);
  }
  let [stored, forgotten] = [0, 0];
  for (const each of manifest.sites) {
    const { site } = each;
    const { id, name, settings } = site;
    if (!known.has(id)) created(await sites.create({ id, name, settings }));
    else if (id === DEFAULT_SITE) await restoreSettings(sites, site);
    await sendFiles(folder, each, trainerOf(id));
    for (const table of tablesOf(each)) {
      for await (const rows of batchesOf(tablePath(folder, id, table))) {
        const answer = await edge.restore(id, table, rows);
        stored += answer.stored;
        forgotten += answer.forgotten;
      }
      report(`${id}: ${table}`);
    }
    if (site.disabledAt !== null) await sites.disable(id);
  }
  return { stored, forgotten, manifest };
}

/** The tables that the release of the backup had. A finished backup lacks no other. */
function tablesOf({ tables }: SiteBackup): BackupTable[] {
  return BACKUP_TABLES.filter((table) => tables[table] !== undefined);
}

/** Compares every file with the manifest. @throws WaggleError `DIGEST_MISMATCH` */
async function verify(folder: string, manifest: BackupManifest): Promise<void> {
  for (const each of manifest.sites) {
    const { site, tables, files } = each;
    for (const table of tablesOf(each)) {
      await verifyFile(tablePath(folder, site.id, table), tables[table]?.sha256);
    }
    for (const { sha256 } of files) await verifyFile(filePath(folder, sha256), sha256);
  }
}

async function verifyFile(path: string, expected: string | undefined): Promise<void> {
  const found = await hashFile(path).catch(() => null);
  if (found !== null && found.sha256 === expected) return;
  throw new WaggleError(
    "DIGEST_MISMATCH",
    `${path} is ${found === null ? "missing" : "not the file of the manifest"}; nothing was restored`,
  );
}

/** Names of rows that only this backup has. */
const NAMES: {
  readonly [table in "policies" | "trajectories"]: (row: BackupRow["row"]) => string;
} = {
  policies: ({ version, publishedAt }) => `${version} ${publishedAt}`,
  trajectories: ({ digest }) => String(digest),
};

/**
 * Compares the first page of versions and of trajectories with the backup.
 *
 * @throws WaggleError `CONFLICT` if the edge has some that the backup lacks
 */
async function requireOwn(edge: BackupClient, folder: string, site: string): Promise<void> {
  for (const table of ["policies", "trajectories"] as const) {
    const { rows } = await edge.page(site, table, null);
    const foreign = new Set(rows.map(({ row }) => NAMES[table](row)));
    if (foreign.size === 0) continue;
    for await (const line of linesOf(tablePath(folder, site, table))) {
      foreign.delete(NAMES[table](BackupRow.parse(JSON.parse(line)).row));
    }
    if (foreign.size === 0) continue;
    throw new WaggleError(
      "CONFLICT",
      `the site ${site} of this edge has ${table} that are not in the backup; restore into an empty edge`,
    );
  }
}

/** Only what the site itself had set; the rest comes from the Worker's variables. */
async function restoreSettings(sites: SiteClient, { id, name, settings, stored = [] }: Site) {
  if (stored.length === 0) return;
  const own = Object.entries(settings).filter(([setting]) => stored.includes(setting));
  await sites.change(id, { name, settings: Object.fromEntries(own) as SiteSettings });
}

async function sendFiles(folder: string, { files }: SiteBackup, trainer: FileEdge): Promise<void> {
  for (const { sha256, sizeBytes } of files) {
    if ((await trainer.storedForm(sha256)) !== null) continue;
    const file = await open(filePath(folder, sha256));
    try {
      const read = async (offset: number, length: number) => {
        const bytes = new Uint8Array(length);
        await file.read(bytes, 0, length, offset);
        return bytes;
      };
      await uploadFile(trainer, { sha256, sizeBytes, read });
    } finally {
      await file.close();
    }
  }
}

/** Rows of a table in the size of one request. The first batch of an empty table is empty. */
async function* batchesOf(path: string): AsyncGenerator<BackupRow[]> {
  let batch: BackupRow[] = [];
  let [size, sent] = [0, 0];
  for await (const line of linesOf(path)) {
    if (
      batch.length === RESTORE_ROWS ||
      (batch.length > 0 && size + line.length > UPLOAD_LIMITS.bodyBytes)
    ) {
      yield batch;
      sent += 1;
      [batch, size] = [[], 0];
    }
    batch.push(BackupRow.parse(JSON.parse(line)));
    size += line.length;
  }
  if (batch.length > 0 || sent === 0) yield batch;
}
