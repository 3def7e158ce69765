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

type TableFile = { readonly rows: number; readonly sizeBytes: number; readonly sha256: string };

/** The backup of one site. */
export type SiteBackup = {
  site: Site;
  tables: { [table in BackupTable]?: TableFile | undefined };
  /** Trajectories whose object the edge did not have. */
  missingObjects: number;
  /** Files of the base model and of versions, in `files/`. */
  files: { sha256: string; sizeBytes: number }[];
  /** Files that the edge did not have. */
  missingFiles: string[];
};

/** The manifest of a backup. */
export type BackupManifest = {
  format: 1;
  /** Release that made the backup. */
  release: string;
  startedAt: string;
  /** `null` until the backup is complete. */
  finishedAt: string | null;
  /** Deletion requests before this time are in the backup. */
  deletionsAt: string | null;
  /** The table that is being written; `null` between two tables. */
  open: {
    site: string;
    table: BackupTable;
    cursor: string;
    rows: number;
    sizeBytes: number;
    missingObjects: number;
  } | null;
  sites: SiteBackup[];
};

const File = z.strictObject({ sha256: Sha256, sizeBytes: z.int() });

const BackupManifest: z.ZodType<BackupManifest> = z.strictObject({
  format: z.literal(1),
  release: z.string(),
  startedAt: z.iso.datetime(),
  finishedAt: z.iso.datetime().nullable(),
  deletionsAt: z.iso.datetime().nullable(),
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
  sites: z.array(
    z.strictObject({
      site: Site,
      tables: z.partialRecord(BackupTable, File.extend({ rows: z.int() })),
      missingObjects: z.int(),
      files: z.array(File),
      missingFiles: z.array(Sha256),
    }),
  ),
});

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
