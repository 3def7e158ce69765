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

type Tarball = {
  readonly name: string;
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
};

/**
 * Packs every public package.
 * @param into a folder that gets the tarballs and a folder with each staged package
 * @returns the packages, dependencies first
 */
export function packPackages(into: string): PackedPackage[] {
  const staged = publicPackages().map((found) => {
    const folder = found.manifest.name.replaceAll(/[@/]/g, "-").slice(1);
    mkdirSync(join(into, folder), { recursive: true });
    stagePackage(found, join(into, folder));
    return { found, folder };
  });
  const said = execFileSync(
    "npm",
    ["pack", "--json", "--ignore-scripts", ...staged.map(({ folder }) => `./${folder}`)],
    { cwd: into, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"], maxBuffer: 2 ** 26 },
  );
  const packed = JSON.parse(said) as readonly Tarball[] | { readonly [name: string]: Tarball };
  const tarballs = new Map(Object.values(packed).map((one: Tarball) => [one.name, one]));
  return staged.map(({ found, folder }) => {
    const { name } = found.manifest;
    const tarball = tarballs.get(name);
    if (tarball === undefined) throw new Error(`npm created no tarball for ${name}`);
    return {
      ...found,
      staged: join(into, folder),
      tarball: join(into, tarball.filename),
      files: tarball.files.map(({ path }) => path),
    };
  });
}

/** The bytes of a tarball, for libraries that take an ArrayBuffer. */
export function tarballBytes({ tarball }: PackedPackage): Uint8Array<ArrayBuffer> {
  return new Uint8Array(readFileSync(tarball));
}
