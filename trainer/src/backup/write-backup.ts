/**
 * Makes a backup of sites in a folder. One page of rows is in memory at a time. A backup that was stopped goes on from the
 * last page that is in its manifest.
 */
import { mkdir, open, readdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import {
  AdapterReference,
  BACKUP_TABLES,
  BackupRow,
  type BackupTable,
  BaseModelReference,
  GuidanceReference,
  type Site,
  WAGGLE_VERSION,
  WaggleError,
} from "@waggle/protocol";
import type { BackupClient } from "./backup-client.ts";
import {
  type BackupManifest,
  filePath,
  readManifest,
  type SiteBackup,
  tablePath,
  writeManifest,
} from "./backup-manifest.ts";
import { hashFile, linesOf } from "./hashed-file.ts";

/** Read last, so that they have every deletion that the other tables show. */
const DELETIONS: readonly BackupTable[] = ["forgottenVisitors", "forgottenTrajectories"];

/** What a backup needs besides the folder. */
export type BackupOptions = {
  readonly edge: BackupClient;
  /** The sites of a new backup. */
  readonly sites: () => Promise<Site[]>;
  readonly now: () => Date;
  readonly report: (line: string) => void;
};

/**
 * Makes a backup, or finishes one that was stopped.
 *
 * @throws WaggleError `CONFLICT` for a folder that has a complete backup or other files.
 */
export async function writeBackup(folder: string, options: BackupOptions): Promise<BackupManifest> {
  const manifest = (await readManifest(folder)) ?? (await begin(folder, options));
  if (manifest.finishedAt !== null) {
    throw new WaggleError(
      "CONFLICT",
      `${folder} has a complete backup; choose another folder, or pass --deletions to add the deletion requests since then`,
    );
  }
  for (const each of manifest.sites) {
    for (const table of BACKUP_TABLES.filter((name) => !DELETIONS.includes(name))) {
      if (each.tables[table] === undefined)
        await writeTable(folder, manifest, each, table, options);
    }
    await writeFiles(folder, manifest, each, options);
  }
  await writeDeletions(folder, manifest, options);
  manifest.finishedAt = options.now().toISOString();
  await writeManifest(folder, manifest);
  return manifest;
}

/** Adds the deletion requests since then to a complete backup. @throws WaggleError `NOT_FOUND` */
export async function updateDeletions(
  folder: string,
  options: BackupOptions,
): Promise<BackupManifest> {
  const manifest = await readManifest(folder);
  if (manifest?.finishedAt == null) {
    throw new WaggleError("NOT_FOUND", `${folder} has no complete backup`);
  }
  await writeDeletions(folder, manifest, options);
  return manifest;
}

async function begin(folder: string, { sites, now }: BackupOptions): Promise<BackupManifest> {
  await mkdir(folder, { recursive: true });
  if ((await readdir(folder)).length > 0) {
    throw new WaggleError("CONFLICT", `${folder} has other files; choose an empty folder`);
  }
  const manifest: BackupManifest = {
    format: 1,
    release: WAGGLE_VERSION,
    startedAt: now().toISOString(),
    finishedAt: null,
    deletionsAt: null,
    open: null,
    sites: (await sites()).map((site) => ({
      site,
      tables: {},
      missingObjects: 0,
      files: [],
      missingFiles: [],
    })),
  };
  await writeManifest(folder, manifest);
  return manifest;
}

async function writeDeletions(
  folder: string,
  manifest: BackupManifest,
  options: BackupOptions,
): Promise<void> {
  const at = options.now().toISOString();
  for (const each of manifest.sites) {
    for (const table of DELETIONS) await writeTable(folder, manifest, each, table, options);
  }
  manifest.deletionsAt = at;
  await writeManifest(folder, manifest);
}

/** Writes the rest of a table. The manifest names a page after its bytes are durable. */
async function writeTable(
  folder: string,
  manifest: BackupManifest,
  each: SiteBackup,
  table: BackupTable,
  { edge, report }: BackupOptions,
): Promise<void> {
  const { site } = each;
  const path = tablePath(folder, site.id, table);
  await mkdir(dirname(path), { recursive: true });
  const started = manifest.open;
  const isOpen = started?.site === site.id && started.table === table;
  let cursor: string | null = isOpen ? started.cursor : null;
  let { rows, sizeBytes, missingObjects } = isOpen
    ? started
    : { rows: 0, sizeBytes: 0, missingObjects: 0 };
  // A page after the last one of the manifest is read again.
  const file = await open(path, "a");
  try {
    await file.truncate(sizeBytes);
    do {
      const page = await edge.page(site.id, table, cursor);
      const text = page.rows.map((row) => `${JSON.stringify(row)}\n`).join("");
      await file.appendFile(text);
      await file.sync();
      rows += page.rows.length;
      sizeBytes += Buffer.byteLength(text);
      missingObjects += page.rows.filter(({ object }) => object === null).length;
      cursor = page.nextCursor;
      if (cursor !== null) {
        manifest.open = { site: site.id, table, cursor, rows, sizeBytes, missingObjects };
        await writeManifest(folder, manifest);
      }
    } while (cursor !== null);
  } finally {
    await file.close();
  }
  each.tables[table] = { rows, ...(await hashFile(path)) };
  each.missingObjects += missingObjects;
  manifest.open = null;
  await writeManifest(folder, manifest);
  report(`${site.id}: ${rows} rows of ${table}`);
}

/** Copies the files of the base model and of the versions. One that the folder has is not copied again. */
async function writeFiles(
  folder: string,
  manifest: BackupManifest,
  each: SiteBackup,
  { edge, report }: BackupOptions,
): Promise<void> {
  const named = await namedFiles(folder, each);
  each.files = [];
  each.missingFiles = [];
  for (const { sha256, sizeBytes } of named.values()) {
    const path = filePath(folder, sha256);
    const isThere = await stat(path).then(
      () => true,
      () => false,
    );
    const isSaved =
      isThere ||
      (await edge.save(sha256, sizeBytes, path).then(
        () => true,
        (error: unknown) => {
          if (WaggleError.is(error, "NOT_FOUND")) return false;
          throw error;
        },
      ));
    if (isSaved) each.files.push({ sha256, sizeBytes });
    else each.missingFiles.push(sha256);
  }
  await writeManifest(folder, manifest);
  report(`${each.site.id}: ${each.files.length} model files`);
}

type NamedFile = { readonly sha256: string; readonly sizeBytes: number };

/** Files that the base model and the versions name, by hash. */
async function namedFiles(
  folder: string,
  { site }: SiteBackup,
): Promise<ReadonlyMap<string, NamedFile>> {
  const files = new Map<string, NamedFile>();
  const add = ({ sha256, sizeBytes }: NamedFile) => files.set(sha256, { sha256, sizeBytes });
  for await (const line of linesOf(tablePath(folder, site.id, "baseModel"))) {
    const { reference } = BackupRow.parse(JSON.parse(line)).row;
    BaseModelReference.parse(JSON.parse(String(reference))).files.forEach(add);
  }
  for await (const line of linesOf(tablePath(folder, site.id, "policies"))) {
    const { adapter, guidance } = BackupRow.parse(JSON.parse(line)).row;
    if (adapter != null) add(AdapterReference.parse(JSON.parse(String(adapter))));
    if (guidance != null) add(GuidanceReference.parse(JSON.parse(String(guidance))));
  }
  return files;
}
