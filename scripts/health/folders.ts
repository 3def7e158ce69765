/** Folders with more source files than a reader takes in at once. */
import { dirname } from "node:path";
import { isTestFile, typeScriptFiles } from "./source-files.ts";

const MOST = 40;

export type CrowdedFolder = { readonly folder: string; readonly files: number };

/** Folders with more than 40 source files; tests and fixtures are not counted. */
export function crowdedFolders(files: readonly string[] = typeScriptFiles()): CrowdedFolder[] {
  const counts = new Map<string, number>();
  for (const file of files.filter((one) => !isTestFile(one))) {
    counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count > MOST)
    .map(([folder, count]) => ({ folder, files: count }));
}
