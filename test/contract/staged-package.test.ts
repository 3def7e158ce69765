/** What a package consists of when it is published. */
import { globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { stagePackage } from "../../scripts/packages/staged-package.ts";

/** Stages a package with the given `files`, and lists what was staged. */
function staged(files: readonly string[]): string[] {
  const root = mkdtempSync(join(tmpdir(), "waggle-staged-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const folder = join(root, "package");
  const built = ["main", "corpus"].flatMap((name) => [
    `src/${name}.ts`,
    `dist/${name}.js`,
    `dist/${name}.js.map`,
    `dist/${name}.d.ts`,
  ]);
  for (const path of ["README.md", "data/rows.json", "src/main.test.ts", ...built]) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), "");
  }
  const into = join(root, "staged");
  mkdirSync(into);
  stagePackage({ folder, manifest: { name: "@example/package", version: "1.0.0", files } }, into);
  return globSync("**/*", { cwd: into, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(into, join(entry.parentPath, entry.name)).replaceAll("\\", "/"))
    .toSorted();
}

const MAIN = ["LICENSE", "README.md", "dist/main.d.ts", "dist/main.js", "dist/main.js.map"];
const CORPUS = ["dist/corpus.d.ts", "dist/corpus.js", "dist/corpus.js.map"];

test("a package has the outputs of its sources and the other paths of files", () => {
  expect(staged(["dist", "data"])).toEqual(
    [...MAIN, ...CORPUS, "data/rows.json", "package.json"].toSorted(),
  );
});

test("paths that files excludes are left out", () => {
  expect(staged(["dist", "!dist/corpus.*"])).toEqual([...MAIN, "package.json"].toSorted());
});

test("a path of files that does not exist is refused", () => {
  expect(() => staged(["dist", "missing"])).toThrow("has no missing; build the packages");
});
