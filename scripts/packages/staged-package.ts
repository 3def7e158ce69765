/**
 * Stages a package for publishing: copies its build without outputs of tests and deleted sources, without the paths
 * that `files` excludes with `!`, and with a package.json without the `source` condition, which works only inside the
 * repository. npm cannot change `exports` when it packs, so the package is packed in a separate folder.
 */
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, matchesGlob } from "node:path";
import { ROOT } from "../root.ts";
import type { Manifest, PublicPackage } from "./public-packages.ts";

const IS_TEST = /\.(test|bench|contract|fixture|golden|test-d)\.(ts|json)$/;

/** Copies the package into the empty folder `into`. @throws Error if it is not built. */
export function stagePackage({ folder, manifest }: PublicPackage, into: string): void {
  const copy = (path: string): void => {
    const from = join(folder, path);
    if (!existsSync(from)) {
      throw new Error(`${manifest.name} has no ${path}; build the packages with npm run build`);
    }
    mkdirSync(dirname(join(into, path)), { recursive: true });
    cpSync(from, join(into, path), { recursive: true });
  };
  const files = manifest.files ?? [];
  const excluded = files.filter((path) => path.startsWith("!")).map((path) => path.slice(1));
  const included = files.filter((path) => path !== "dist" && !path.startsWith("!"));
  for (const path of ["README.md", ...builtFiles(folder, manifest), ...included]) {
    if (!excluded.some((pattern) => matchesGlob(path, pattern))) copy(path);
  }
  if (existsSync(join(folder, "CHANGELOG.md"))) copy("CHANGELOG.md");
  cpSync(join(ROOT, "LICENSE"), join(into, "LICENSE"));
  for (const path of globSync("dist/**/*.d.ts", { cwd: into })) withoutTypeScript(join(into, path));
  writeFileSync(join(into, "package.json"), `${JSON.stringify(published(manifest), null, 2)}\n`);
}

/** Build outputs of sources that are not tests, and data that these sources import. */
function builtFiles(folder: string, { exports = {} }: Manifest): string[] {
  const isPublic = JSON.stringify(exports).includes('"./src/testing/');
  return globSync("src/**/*.{ts,json}", { cwd: folder })
    .filter((path) => !IS_TEST.test(path) && !path.endsWith(".d.ts"))
    .filter((path) => isPublic || !path.startsWith("src/testing/"))
    .flatMap((path) => {
      const built = path.replace(/^src/, "dist");
      // The compiler copies imported data, so data without a build output belongs to tests.
      if (path.endsWith(".json")) return existsSync(join(folder, built)) ? [built] : [];
      const stem = built.replace(/\.ts$/, "");
      return [`${stem}.js`, `${stem}.js.map`, `${stem}.d.ts`];
    });
}

/** Rewrites `./x.ts` in declarations, which compilers before 5.7 do not resolve to `./x.d.ts`. */
function withoutTypeScript(file: string): void {
  const text = readFileSync(file, "utf8");
  writeFileSync(file, text.replaceAll(/((?:from|import\() ?"\.[^"]+)\.ts"/g, '$1.js"'));
}

/** The manifest without fields that only the repository needs. */
function published(manifest: Manifest): object {
  const { files: _files, devDependencies: _dev, scripts: _scripts, ...kept } = manifest;
  const { exports = {}, sideEffects } = kept;
  return {
    ...kept,
    exports: Object.fromEntries(
      Object.entries(exports).map(([entry, target]) => {
        if (typeof target === "string") return [entry, target];
        const { source: _source, ...conditions } = target;
        return [entry, conditions];
      }),
    ),
    ...(Array.isArray(sideEffects)
      ? { sideEffects: sideEffects.filter((path) => !path.startsWith("./src/")) }
      : {}),
  };
}
