/** Finds the workspaces whose tests can run the code of a package, by the dependencies in package.json. */
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const WORKSPACES = "{packages/*,packages/*/*,workers/*,apps/*,trainer}/package.json";
const KINDS = ["dependencies", "devDependencies", "peerDependencies"] as const;

type Manifest = { readonly name: string } & {
  readonly [kind in (typeof KINDS)[number]]?: { readonly [name: string]: string };
};

/** The workspaces of these source folders, and all that depend on them directly or through others. */
export function dependentWorkspaces(root: string, sources: readonly string[]): ReadonlySet<string> {
  const manifests = new Map(
    globSync(WORKSPACES, { cwd: root, exclude: ["**/node_modules/**"] }).map((path) => [
      dirname(path),
      JSON.parse(readFileSync(join(root, path), "utf8")) as Manifest,
    ]),
  );
  const found = new Set(
    [...manifests.keys()].filter((folder) => sources.some((one) => one.startsWith(`${folder}/`))),
  );
  // A set also visits the entries that are added meanwhile.
  for (const folder of found) {
    const name = manifests.get(folder)?.name ?? "";
    for (const [other, manifest] of manifests) {
      if (KINDS.some((kind) => manifest[kind]?.[name] !== undefined)) found.add(other);
    }
  }
  return found;
}
