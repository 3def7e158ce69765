/** `isObject` of @waggle/protocol is the only test for a JSON object. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");

/** Files with a test that `isObject` cannot replace, and why. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  "packages/protocol/src/json-object.ts": "defines isObject",
  "trainer/src/extensions/prompt-dataset.ts": "an iterable may be an array",
};

const IS = String.raw`typeof \1 [!=]== "object"`;
/** A test for an object beside a test for null or for truth, of the same value. */
const INLINE = [
  String.raw`typeof ([\w.]+) [!=]== "object"\s*(?:&&|\|\|)\s*!?\1(?![\w.(])`,
  String.raw`typeof ([\w.]+) === "object"\s*\?\s*\(\1 \?\?`,
  String.raw`([\w.]+) [!=]== null\s*(?:&&|\|\|)\s*${IS}`,
  String.raw`(?:&&|\|\||\()\s*!?([\w.]+)\s*(?:&&|\|\|)\s*${IS}`,
].map((pattern) => new RegExp(pattern));

const hasInlineTest = (text: string): boolean => INLINE.some((pattern) => pattern.test(text));

test("a test for a JSON object is isObject, not written inline", () => {
  const files = ["packages", "apps", "workers", "trainer", "scripts", "test"].flatMap((folder) =>
    globSync(`${folder}/**/*.ts`, {
      cwd: ROOT,
      exclude: (path) => /node_modules|\bdist\b|\.d\.ts$/.test(path),
    }),
  );
  const found = files.filter(
    (file) =>
      file !== "test/architecture/json-object.test.ts" &&
      hasInlineTest(readFileSync(join(ROOT, file), "utf8")),
  );
  expect(found.toSorted()).toEqual(Object.keys(EXCEPTIONS));
  expect(files.length).toBeGreaterThan(1000);
});

test.each([
  'typeof value === "object" && value !== null',
  'typeof value !== "object" || value === null',
  '(typeof json === "object" && json) || {}',
  'value === null || typeof value !== "object"',
  'value !== null && typeof value === "object"',
  'if (value && typeof value === "object")',
  'typeof a.b === "object" && a.b !== null',
  'typeof given === "object" ? (given ?? {}) : {}',
])("an inline test is found: %s", (text) => {
  expect(hasInlineTest(text)).toBe(true);
});

test.each([
  'typeof environment === "object" ? environment : other',
  'typeof part === "object" && other !== null',
  'typeof project !== "object" || !("test" in project)',
])("another use of typeof is not: %s", (text) => {
  expect(hasInlineTest(text)).toBe(false);
});
