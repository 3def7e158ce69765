/** Pictures of evidence are drawn one way: SVG by `trainer/src/charts`. The dashboard's charts are live. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { typeScriptFiles } from "../../scripts/health/source-files.ts";

const ROOT = join(import.meta.dirname, "../..");

const importers = (library: string): string[] =>
  typeScriptFiles().filter((file) =>
    new RegExp(`from "${library}[/"]`).test(readFileSync(join(ROOT, file), "utf8")),
  );

test("only the charts folder and the dashboard draw", () => {
  const folders = importers("echarts").map((file) => file.replace(/\/[^/]+$/, ""));
  expect([...new Set(folders)]).toEqual(["trainer/src/charts"]);
  expect(importers("uplot").every((file) => file.startsWith("apps/dashboard/"))).toBe(true);
});

test("pictures of evidence are SVG", () => {
  const pictures = globSync("docs/evidence/**/*.{png,jpg,webp,gif,svg}", { cwd: ROOT });
  expect(pictures.filter((file) => !file.endsWith(".svg"))).toEqual([]);
  expect(pictures.length).toBeGreaterThan(50);
});
