/** Skips work whose inputs have not changed since it was done. */
import { createHash } from "node:crypto";
import { existsSync, globSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Sha256 of the paths, sizes and times of matching files. Cheap, and good enough to skip repeated work. */
export function fingerprint(folder: string, patterns: readonly string[]): string {
  const hash = createHash("sha256");
  for (const file of patterns.flatMap((pattern) => globSync(pattern, { cwd: folder })).sort()) {
    const { size, mtimeMs } = statSync(join(folder, file));
    hash.update(`${file} ${size} ${mtimeMs}\n`);
  }
  return hash.digest("hex");
}

/** Runs `work` unless it already ran with the same fingerprint. */
export async function once(
  marker: string,
  print: string,
  work: () => Promise<void>,
): Promise<boolean> {
  if (existsSync(marker) && readFileSync(marker, "utf8") === print) return false;
  await work();
  mkdirSync(dirname(marker), { recursive: true });
  writeFileSync(marker, print);
  return true;
}
