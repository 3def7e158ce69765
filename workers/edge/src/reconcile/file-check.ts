/**
 * Files of the base model and of policy versions. One that is missing in R2 cannot be repaired: publish it again, or restore
 * a backup. One that the table of public objects does not list cannot be loaded by pages; a repair lists it.
 */
import {
  AdapterReference,
  BaseModelReference,
  DEFAULT_SITE,
  GuidanceReference,
} from "@waggle/protocol";
import type { Finding } from "@waggle/protocol";
import type { SiteStores } from "../endpoint.ts";
import { objectKey } from "../object-store.ts";
import { type CheckedPage, nextAfter, type PageRequest } from "./checked-page.ts";

const PAGE = 50;

type Version = { version: number; adapter: string | null; guidance: string | null };
type File = { readonly sha256: string; readonly owner: string };

/** Compares the files of a page of versions with R2. The first page has the base model, too. */
export async function checkFiles(
  stores: SiteStores,
  { after, repair }: PageRequest,
): Promise<CheckedPage> {
  const { DB } = stores;
  const { results } = await DB.prepare(
    `SELECT version, adapter, guidance FROM policies
     WHERE site = ?site AND version > ?1 ORDER BY version LIMIT ?2`,
  )
    .bind(after === "" ? -1 : Number(after), PAGE)
    .all<Version>();
  const files = [...(after === "" ? await baseFiles(DB) : []), ...results.flatMap(filesOf)];
  const found = await Promise.all(files.map((file) => compare(stores, file, repair)));
  return {
    checked: files.length,
    found: found.filter((finding) => finding !== null),
    next: nextAfter(results.length, PAGE, String(results.at(-1)?.version)),
  };
}

async function baseFiles(DB: SiteStores["DB"]): Promise<File[]> {
  const row = await DB.prepare("SELECT reference FROM baseModel WHERE site = ?site")
    .bind()
    .first<{ reference: string }>();
  if (row === null) return [];
  const { files } = BaseModelReference.parse(JSON.parse(row.reference));
  return files.map(({ sha256, path }) => ({ sha256, owner: `${path} of the base model` }));
}

function filesOf({ version, adapter, guidance }: Version): File[] {
  return [
    ...(adapter === null
      ? []
      : [{ ...AdapterReference.parse(JSON.parse(adapter)), owner: `adapter of v${version}` }]),
    ...(guidance === null
      ? []
      : [{ ...GuidanceReference.parse(JSON.parse(guidance)), owner: `guidance of v${version}` }]),
  ];
}

async function compare(
  { DB, OBJECTS }: SiteStores,
  { sha256, owner }: File,
  repair: boolean,
): Promise<Finding | null> {
  if ((await OBJECTS.head(objectKey(DB.site, sha256))) === null) {
    return { kind: "file-missing", name: sha256, detail: owner, repaired: false };
  }
  // Objects of `default` are found without the table.
  if (DB.site === DEFAULT_SITE) return null;
  const listed = await DB.prepare("SELECT 1 FROM objects WHERE sha256 = ?1 AND site = ?site")
    .bind(sha256)
    .first();
  if (listed !== null) return null;
  if (repair) {
    await DB.prepare("INSERT INTO objects (sha256, site) VALUES (?1, ?site) ON CONFLICT DO NOTHING")
      .bind(sha256)
      .run();
  }
  return { kind: "file-not-listed", name: sha256, detail: owner, repaired: repair };
}
