/** The packages to publish: every workspace that is not private, dependencies before their dependents. */
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ROOT } from "../root.ts";

/** The fields of package.json that these scripts read. */
export type Manifest = {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly files?: readonly string[];
  readonly sideEffects?: boolean | readonly string[];
  readonly bin?: { readonly [name: string]: string };
  readonly exports?: {
    readonly [entry: string]: string | { readonly [condition: string]: string };
  };
  readonly dependencies?: { readonly [name: string]: string };
  readonly devDependencies?: { readonly [name: string]: string };
  readonly scripts?: { readonly [name: string]: string };
};

/** A public workspace. */
export type PublicPackage = {
  /** Absolute path. */
  readonly folder: string;
  readonly manifest: Manifest;
};

/** Lists the public packages. @throws Error if packages depend on each other in a cycle. */
export function publicPackages(): PublicPackage[] {
  const { workspaces } = manifestIn(ROOT) as unknown as { workspaces: readonly string[] };
  const found = workspaces
    .flatMap((pattern) => globSync(`${pattern}/package.json`, { cwd: ROOT }))
    .map((path) => join(ROOT, dirname(path)))
    .toSorted()
    .map((folder) => ({ folder, manifest: manifestIn(folder) }))
    .filter(({ manifest }) => manifest.private !== true);
  const ordered: PublicPackage[] = [];
  while (ordered.length < found.length) {
    const names = new Set(ordered.map(({ manifest }) => manifest.name));
    const waiting = found.filter(({ manifest }) => !names.has(manifest.name));
    const next = waiting.filter(({ manifest: { dependencies = {} } }) =>
      waiting.every(({ manifest: { name } }) => !(name in dependencies)),
    );
    if (next.length === 0) {
      const circle = waiting.map(({ manifest: { name } }) => name).join(", ");
      throw new Error(`these packages depend on each other in a cycle: ${circle}`);
    }
    ordered.push(...next);
  }
  return ordered;
}

function manifestIn(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
}
