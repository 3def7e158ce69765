/** Writes a new site from a template. */
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, join, resolve } from "node:path";

/** The templates, with what each is for. */
export const TEMPLATES = {
  html: "one HTML page and JavaScript",
  vite: "TypeScript, without a framework",
  react: "React and TypeScript",
} as const;
export type Template = keyof typeof TEMPLATES;

const PACKAGE = join(import.meta.dirname, "..");
/** Stored under other names: npm leaves .gitignore out of a package, and our packages must not contain test files. */
const RENAMED = [
  ["_gitignore", ".gitignore"],
  ["practice/environment_test.js", "practice/environment.test.js"],
  ["practice/environment_test.ts", "practice/environment.test.ts"],
] as const;
/** Files that an empty folder may have. */
const HARMLESS = new Set([".git", ".DS_Store"]);

/** Why nothing can be written into this folder; `null` if it can. */
export function folderProblem(folder: string): string | null {
  const path = resolve(folder);
  if (!existsSync(path)) return null;
  if (!statSync(path).isDirectory()) return `${path} is a file; name a folder`;
  const found = readdirSync(path).filter((name) => !HARMLESS.has(name));
  if (found.length === 0) return null;
  const some = found.slice(0, 3).join(", ");
  const more = found.length > 3 ? ` and ${found.length - 3} more` : "";
  return `${path} is not empty: it has ${some}${more}; name a new folder, nothing was changed`;
}

/**
 * Writes the site.
 *
 * @returns the absolute path of its folder.
 * @throws Error if the folder is not empty.
 */
export function createProject(folder: string, template: Template): string {
  const problem = folderProblem(folder);
  if (problem !== null) throw new Error(problem);
  const path = resolve(folder);
  mkdirSync(path, { recursive: true });
  cpSync(join(PACKAGE, "templates", template), path, {
    recursive: true,
    filter: (source) => !/\/(node_modules|dist|\.waggle)$/.test(source),
  });
  for (const [stored, name] of RENAMED) {
    if (existsSync(join(path, stored))) renameSync(join(path, stored), join(path, name));
  }
  const file = join(path, "package.json");
  const manifest = JSON.parse(readFileSync(file, "utf8")) as Manifest;
  const { version } = JSON.parse(readFileSync(join(PACKAGE, "package.json"), "utf8")) as {
    version: string;
  };
  const written = {
    ...manifest,
    name: packageName(path),
    dependencies: withVersion(manifest.dependencies, version),
    devDependencies: withVersion(manifest.devDependencies, version),
  };
  writeFileSync(file, `${JSON.stringify(written, null, 2)}\n`);
  return path;
}

type Versions = { readonly [name: string]: string };
type Manifest = { readonly dependencies: Versions; readonly devDependencies: Versions };

/** The packages of this release: all packages of a release have one version. */
function withVersion(versions: Versions, version: string): Versions {
  return Object.fromEntries(
    Object.entries(versions).map(([name, range]) => [
      name,
      name.startsWith("@waggle/") ? `^${version}` : range,
    ]),
  );
}

/** A name that npm accepts. */
function packageName(path: string): string {
  const name = basename(path)
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, "-")
    .replaceAll(/^-+|-+$/g, "");
  return name === "" ? "my-site" : name;
}
