/** Asserts the limits of `npm run health`. When a measure improves, tighten its limit. */
import { expect, test } from "vitest";
import { bannedWords } from "../../scripts/health/banned-words.ts";
import { crowdedFolders } from "../../scripts/health/folders.ts";
import { measureHealth } from "../../scripts/health/report.ts";

const { figures, findings } = measureHealth();

test("no source file or page has a banned word", () => {
  expect(findings.filter((one) => one.includes("; write "))).toEqual([]);
  expect(figures.bannedWords).toBe(0);
});

test("names, cycles and folders stay within their limits", () => {
  expect(figures.unusedPublicNames).toBe(0);
  expect(figures.typeCycles).toBe(0);
  expect(figures.foldersOver40).toBe(0);
  expect(figures.publicNames["@waggle/learning"]).toBeLessThanOrEqual(400);
  expect(figures.documentedExports).toBeGreaterThanOrEqual(0.99);
});

test("the measures find planted problems", () => {
  const own = bannedWords([{ name: "planted", pattern: /planted word/, instead: "another" }]);
  expect(own.map(({ file }) => file)).toEqual(["test/architecture/health.test.ts"]);
  const files = Array.from({ length: 41 }, (_, i) => `packages/a/src/b/${i}.ts`);
  expect(crowdedFolders(files)).toEqual([{ folder: "packages/a/src/b", files: 41 }]);
  expect(crowdedFolders(files.slice(1))).toEqual([]);
  expect(figures.testsPerSourceLine["@waggle/learning"]).toBeGreaterThan(0.1);
});
