/** The packages that are published: every workspace that is not private, dependencies before their dependents. */
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ROOT } from "../stack.ts";

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

export type PublicPackage = {
  /** Absolute. */
  readonly folder: string;
  readonly manifest: Manifest;
};

/** @throws Error for packages that depend on each other in a circle. */
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
      throw new Error(`these packages depend on each other in a circle: ${circle}`);
    }
    ordered.push(...next);
  }
  return ordered;
}

function manifestIn(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
}
