/** Packs every public package for publishing. Needs built packages. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type PublicPackage, publicPackages } from "./public-packages.ts";
import { stagePackage } from "./staged-package.ts";

/** A package with its tarball. */
export type PackedPackage = PublicPackage & {
  /** Folder with the contents of the tarball, for `npm publish`. */
  readonly staged: string;
  readonly tarball: string;
  /** Paths in the tarball. */
  readonly files: readonly string[];
};

/** @returns every public package, dependencies first, packed in `into`. */
export function packPackages(into: string): PackedPackage[] {
  return publicPackages().map((found) => packPackage(found, into));
}

/** @param into a folder that gets the tarball and a folder with the staged package. */
export function packPackage(found: PublicPackage, into: string): PackedPackage {
  const staged = join(into, found.manifest.name.replaceAll(/[@/]/g, "-").slice(1));
  mkdirSync(staged, { recursive: true });
  stagePackage(found, staged);
  const said = execFileSync(
    "npm",
    ["pack", "--json", "--ignore-scripts", "--pack-destination", into],
    {
      cwd: staged,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    },
  );
  const packed = JSON.parse(said) as { filename: string; files: { path: string }[] }[];
  const [only] = Array.isArray(packed) ? packed : Object.values(packed as object);
  if (only === undefined) throw new Error(`npm created no tarball for ${found.manifest.name}`);
  const { filename, files } = only as (typeof packed)[number];
  return { ...found, staged, tarball: join(into, filename), files: files.map(({ path }) => path) };
}

/** The bytes of a tarball, for libraries that take an ArrayBuffer. */
export function tarballBytes({ tarball }: PackedPackage): Uint8Array<ArrayBuffer> {
  return new Uint8Array(readFileSync(tarball));
}
