/** Asserts the limits of `npm run health`. When a measure improves, tighten its limit. */
import { expect, test } from "vitest";
import { bannedWords, unusedExceptions } from "../../scripts/health/banned-words.ts";
import { crowdedFolders } from "../../scripts/health/folders.ts";
import { measureHealth } from "../../scripts/health/report.ts";

const { figures, findings } = measureHealth();

test("no source file or page has a banned word", () => {
  expect(findings.filter((one) => one.includes("; write "))).toEqual([]);
  expect(figures.bannedWords).toBe(0);
});

test("every exception to the banned words is needed", () => {
  expect(unusedExceptions()).toEqual([]);
});

test("names, cycles and folders stay within their limits", () => {
  expect(figures.unusedPublicNames).toBe(0);
  expect(figures.typeCycles).toBe(0);
  expect(figures.foldersOver40).toBe(0);
  expect(figures.documentedExports).toBeGreaterThanOrEqual(0.995);
  expect(figures.longestProseLine).toBeLessThanOrEqual(130);
});

/** The number of public names that each package has reached. A new package needs an entry. */
const MOST_NAMES: { readonly [name: string]: number } = {
  "@waggle/agent": 79,
  "@waggle/cli": 1,
  "@waggle/collector": 47,
  "@waggle/dev": 22,
  "@waggle/edge": 4,
  "@waggle/embed": 36,
  "@waggle/engine": 21,
  "@waggle/environments": 62,
  "@waggle/evaluation": 67,
  "@waggle/exchange": 41,
  "@waggle/learning": 400,
  "@waggle/model": 108,
  "@waggle/protocol": 243,
  "@waggle/runtime": 117,
  "@waggle/site": 23,
  "@waggle/testing": 29,
  "@waggle/text": 44,
  "@waggle/trainer": 41,
};

test("no package has more public names than it has reached", () => {
  expect(Object.keys(figures.publicNames).toSorted()).toEqual(Object.keys(MOST_NAMES));
  const grown = Object.entries(figures.publicNames).filter(
    ([name, names]) => names > (MOST_NAMES[name] ?? 0),
  );
  expect(grown).toEqual([]);
});

test("the measures find planted problems", () => {
  const own = bannedWords([{ name: "planted", pattern: /planted word/, instead: "another" }]);
  expect(own.map(({ file }) => file)).toEqual(["test/architecture/health.test.ts"]);
  const packaged = bannedWords([{ name: "planted", pattern: /"name": "waggle"/, instead: "x" }]);
  expect(packaged.map(({ file }) => file)).toContain("package.json");
  const except = { "README.md": "planted", "package.json": "needed" };
  const excepted = [{ name: "planted", pattern: /"name": "waggle"/, instead: "x", except }];
  expect(unusedExceptions(excepted)).toEqual(["planted: README.md"]);
  const files = Array.from({ length: 41 }, (_, i) => `packages/a/src/b/${i}.ts`);
  expect(crowdedFolders(files)).toEqual([{ folder: "packages/a/src/b", files: 41 }]);
  expect(crowdedFolders(files.slice(1))).toEqual([]);
  expect(figures.testsPerSourceLine["@waggle/learning"]).toBeGreaterThan(0.1);
});
