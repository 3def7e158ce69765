/**
 * Records of the models in storage by source: for starting offline, and for showing visitors what
 * takes space.
 */
import { sha256 } from "@waggle/protocol";
import { findWholeFile, readJson, storedBytes, writeJson } from "./chunk-assembly.ts";
import type { FallbackStorage } from "./chunk-storage.ts";
import { unlessLocked } from "./file-lock.ts";
import type { LoadedFile } from "./loaded-model.ts";
import { openBrowserStorage } from "./opfs-storage.ts";

/** The files of one source. */
export type ModelRecord = {
  /** From `modelSourceName`. */
  readonly source: string;
  readonly files: readonly { readonly path: string; readonly key: string }[];
};

/** A model in storage. */
export type StoredModel = {
  readonly source: string;
  /** Its size in storage. Files shared by two models count for both. */
  readonly sizeBytes: number;
  /** Whether it loads without a network. */
  readonly isWhole: boolean;
};

export type StoredModelOptions = {
  /** Default: the browser's own. */
  readonly storage?: FallbackStorage;
};

const RECORDS = "models";

/** The record of a source, also of an unfinished download. */
export async function readModelRecord(
  storage: FallbackStorage,
  source: string,
): Promise<ModelRecord | null> {
  return readJson<ModelRecord>(storage, RECORDS, await recordName(source));
}

export async function writeModelRecord(
  storage: FallbackStorage,
  record: ModelRecord,
): Promise<void> {
  await writeJson(storage, RECORDS, await recordName(record.source), record);
}

/** The files of a record, or `null` if one of them is not complete. */
export async function findRecordedFiles(
  storage: FallbackStorage,
  record: ModelRecord,
): Promise<LoadedFile[] | null> {
  const files: LoadedFile[] = [];
  for (const { path, key } of record.files) {
    const whole = await findWholeFile(storage, key);
    if (whole === null) return null;
    const { sha256: hash, content } = whole;
    files.push({ path, sha256: hash, sizeBytes: content.sizeBytes, content });
  }
  return files;
}

/** Models in storage, complete or not, sorted by source. Leaves out an edge's objects. */
export async function listModels(options: StoredModelOptions = {}): Promise<StoredModel[]> {
  const storage = options.storage ?? (await openBrowserStorage());
  const models: StoredModel[] = [];
  for (const record of await allRecords(storage)) {
    let sizeBytes = 0;
    for (const { key } of record.files) sizeBytes += await storedBytes(storage, key);
    const isWhole = (await findRecordedFiles(storage, record)) !== null;
    models.push({ source: record.source, sizeBytes, isWhole });
  }
  return models.toSorted((a, b) => (a.source < b.source ? -1 : 1));
}

/**
 * Deletes a model by its name in `listModels`, except files that another model shares or that are
 * being written. A missing model is not an error.
 */
export async function deleteModel(source: string, options: StoredModelOptions = {}): Promise<void> {
  const storage = options.storage ?? (await openBrowserStorage());
  const record = await readModelRecord(storage, source);
  if (record === null) return;
  await storage.remove(RECORDS, await recordName(source));
  const shared = await recordedKeys(storage);
  for (const { key } of record.files) {
    if (!shared.has(key)) await unlessLocked(key, () => storage.remove(key));
  }
}

/** Keys of all files of models in storage. */
export async function recordedKeys(storage: FallbackStorage): Promise<Set<string>> {
  const records = await allRecords(storage);
  return new Set(records.flatMap(({ files }) => files.map(({ key }) => key)));
}

async function allRecords(storage: FallbackStorage): Promise<ModelRecord[]> {
  const records: ModelRecord[] = [];
  for (const name of (await storage.list(RECORDS)).keys()) {
    const record = await readJson<ModelRecord>(storage, RECORDS, name);
    if (record !== null) records.push(record);
  }
  return records;
}

async function recordName(source: string): Promise<string> {
  return `${await sha256(source)}.json`;
}
