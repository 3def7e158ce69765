/**
 * The manifest of a backup folder, `backup.json`: which files it has, with their hashes. While a backup is being made it
 * also has the place where it goes on.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { BackupTable, Sha256, Site, WaggleError } from "@waggle/protocol";
import { z } from "zod";
import { writeDurably } from "../files/durable-file.ts";

const NAME = "backup.json";

const TableFile = z.strictObject({ rows: z.int(), sizeBytes: z.int(), sha256: Sha256 });

const SiteBackup = z.strictObject({
  site: Site,
  tables: z.partialRecord(BackupTable, TableFile),
  /** Trajectories whose object the edge did not have. */
  missingObjects: z.int(),
  /** Files of the base model and of versions, in `files/`. */
  files: z.array(z.strictObject({ sha256: Sha256, sizeBytes: z.int() })),
  /** Files that the edge did not have. */
  missingFiles: z.array(Sha256),
});
/** The backup of one site. */
export type SiteBackup = z.infer<typeof SiteBackup>;

const BackupManifest = z.strictObject({
  format: z.literal(1),
  /** Release that made the backup. */
  release: z.string(),
  startedAt: z.iso.datetime(),
  /** `null` until the backup is complete. */
  finishedAt: z.iso.datetime().nullable(),
  /** Deletion requests before this time are in the backup. */
  deletionsAt: z.iso.datetime().nullable(),
  /** The table that is being written; `null` between two tables. */
  open: z
    .strictObject({
      site: z.string(),
      table: BackupTable,
      cursor: z.string(),
      rows: z.int(),
      sizeBytes: z.int(),
      missingObjects: z.int(),
    })
    .nullable(),
  sites: z.array(SiteBackup),
});
/** The manifest of a backup. */
export type BackupManifest = z.infer<typeof BackupManifest>;

/** The file of a table. */
export const tablePath = (folder: string, site: string, table: BackupTable): string =>
  join(folder, "sites", site, `${table}.jsonl`);

/** A file of the base model or of a version. */
export const filePath = (folder: string, sha256: string): string => join(folder, "files", sha256);

/** The manifest; `null` if the folder has none. @throws WaggleError `SCHEMA_INVALID` */
export async function readManifest(folder: string): Promise<BackupManifest | null> {
  const text = await readFile(join(folder, NAME), "utf8").catch(() => null);
  if (text === null) return null;
  let value: unknown = null;
  try {
    value = JSON.parse(text);
  } catch {
    // Refused below.
  }
  const parsed = BackupManifest.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new WaggleError(
    "SCHEMA_INVALID",
    `${join(folder, NAME)} is not the manifest of a backup of this release`,
  );
}

/** Replaces the manifest. */
export function writeManifest(folder: string, manifest: BackupManifest): Promise<void> {
  return writeDurably(
    folder,
    NAME,
    new TextEncoder().encode(`${JSON.stringify(manifest, null, 1)}\n`),
  );
}
