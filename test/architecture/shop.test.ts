/** The demo shop is one site among others: nothing outside its folder imports it or names it. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");

/** Sources that may name the shop, and why. */
const EXCEPTIONS: { readonly [file: string]: string } = {
  "packages/collector/src/redaction/api-key.ts": "the name of a company",
  "packages/model/default/tokenizer.json": "one of its tokens is the word",
  "packages/model/default/calibration.json": "it names the environment that it was fitted in",
  "packages/model/nano/tokenizer.json": "one of its tokens is the word",
};

/** `PublishOptions` does not name it. */
const NAMED = /(?<![A-Za-z])[Ss]hop|[a-z]Shop|SHOP/;

/** Tests and measurements may use it as an example of a site. */
const IS_TEST = /\.(test|fixture)\.ts$|\/(bench|testdata|testing)\//;

const sources = globSync(
  "{apps,packages,scripts,trainer,workers}/**/*.{ts,tsx,mts,js,mjs,json,jsonc,html,css}",
  { cwd: ROOT, exclude: ["**/node_modules", "**/dist", "**/.waggle"] },
)
  .map((file) => file.replaceAll("\\", "/"))
  .filter((file) => !file.startsWith("apps/demo/"))
  .filter((file) => !IS_TEST.test(file));

test("no source outside apps/demo names the shop", () => {
  const naming = sources.filter((file) => NAMED.test(readFileSync(join(ROOT, file), "utf8")));
  expect(naming.sort()).toEqual(Object.keys(EXCEPTIONS).sort());
});

test("no source outside apps/demo imports it", () => {
  const importing = sources
    .filter((file) => !file.endsWith("package.json"))
    .filter((file) => /["']@waggle\/demo["'/]/.test(readFileSync(join(ROOT, file), "utf8")));
  expect(importing).toEqual([]);
});
