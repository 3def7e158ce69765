/** Remembers what a folder was converted from, so that a finished model of a server is not fetched again. */
import { readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isObject } from "@waggle/protocol";
import { openModelFolder } from "./model-folder.ts";

const FILE = "converted.json";

/** Size of the weights, and number of their files. */
type Written = { readonly sizeBytes: number; readonly shards: number };

/** Everything that decides the result. */
export type Conversion = {
  /** Name of the source on its server. */
  readonly source: string;
  readonly format: string;
  readonly shardBytes: number;
  readonly change: string | null;
};

/** What an earlier run wrote; `null` if it converted something else, or a file is missing or has changed its size. */
export async function finishedConversion(
  out: string,
  conversion: Conversion,
): Promise<Written | null> {
  const text = await readFile(join(out, FILE), "utf8").catch(() => null);
  const record = text === null ? null : parseRecord(text);
  if (record === null || JSON.stringify(record.conversion) !== JSON.stringify(conversion)) {
    return null;
  }
  for (const [path, sizeBytes] of Object.entries(record.files)) {
    if ((await stat(join(out, path)).catch(() => null))?.size !== sizeBytes) return null;
  }
  return record.written;
}

/** Must be called before the folder changes. */
export async function forgetConversion(out: string): Promise<void> {
  await rm(join(out, FILE), { force: true });
}

export async function recordConversion(
  out: string,
  conversion: Conversion,
  { sizeBytes, shards }: Written,
): Promise<void> {
  const files: Record<string, number> = {};
  const { paths } = await openModelFolder(out);
  for (const path of paths) files[path] = (await stat(join(out, path))).size;
  const record: ConversionRecord = { conversion, written: { sizeBytes, shards }, files };
  await writeFile(join(out, FILE), `${JSON.stringify(record, null, 2)}\n`);
}

type ConversionRecord = {
  readonly conversion: Conversion;
  readonly written: Written;
  /** Size by name. */
  readonly files: { readonly [path: string]: number };
};

/** `null` for a file that is not a record of this program. */
function parseRecord(text: string): ConversionRecord | null {
  try {
    const json = JSON.parse(text) as unknown;
    return isObject(json) && isObject(json["files"]) && isObject(json["written"])
      ? (json as ConversionRecord)
      : null;
  } catch {
    return null;
  }
}
