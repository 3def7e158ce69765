/** Finds folders with too many source files. */
import { dirname } from "node:path";
import { isTestFile, typeScriptFiles } from "./source-files.ts";

const MAX_FILES = 40;

/** A folder and the number of its source files. */
export type CrowdedFolder = { readonly folder: string; readonly files: number };

/** Folders with more than 40 source files, without tests and fixtures. */
export function crowdedFolders(files: readonly string[] = typeScriptFiles()): CrowdedFolder[] {
  const counts = new Map<string, number>();
  for (const file of files.filter((one) => !isTestFile(one))) {
    counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count > MAX_FILES)
    .map(([folder, count]) => ({ folder, files: count }));
}
