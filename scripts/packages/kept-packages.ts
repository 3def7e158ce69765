/** Packed packages in a folder that the steps of `npm test` share, so that they are packed once. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { type PackedPackage, packPackages } from "./packed-package.ts";

const listIn = (folder: string): string => join(folder, "packages.json");

/** The packages that an earlier program packed in `folder`, or null. */
export function readPackages(folder: string): readonly PackedPackage[] | null {
  const list = listIn(folder);
  if (!existsSync(list)) return null;
  return JSON.parse(readFileSync(list, "utf8")) as readonly PackedPackage[];
}

/** Packs every public package in `folder`. Programs that do so at the same time have tarballs of their own. */
export function keepPackages(folder: string): readonly PackedPackage[] {
  mkdirSync(folder, { recursive: true });
  const tarballs = mkdtempSync(join(folder, "tarballs-"));
  const packages = packPackages(tarballs);
  // Renamed last, so that an interrupted program leaves no list.
  const unfinished = join(tarballs, "packages.json");
  writeFileSync(unfinished, JSON.stringify(packages));
  renameSync(unfinished, listIn(folder));
  return packages;
}
