/**
 * The demo shop is one site among others: outside its folder, only tests and measurements import it or name it.
 * scripts/demo.ts gives the folder's path to `npm start` and `npm run loop`, which load it like any other site.
 */
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");

/** Sources that may name the shop, and why. */
const EXCEPTIONS: { readonly [file: string]: string } = {
  "packages/collector/src/redaction/address.ts": "people write it before an address",
  "packages/collector/src/redaction/api-key.ts": "the name of a company",
  "packages/collector/src/redaction/email.ts": "the end of a domain",
  "packages/collector/src/redaction/name.ts": "people write it before a name",
  "packages/model/default/tokenizer.json": "one of its tokens is the word",
  "packages/model/default/calibration.json": "it names the environment that it was fitted in",
  "packages/model/nano/tokenizer.json": "one of its tokens is the word",
};

/** `PublishOptions` does not name it. */
const NAMED = /(?<![A-Za-z])[Ss]hop|[a-z]Shop|SHOP/;

/** Tests, measurements and what they run with may use it as an example of a site. */
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

/** What a source names of the shop: its package, or files of its folder by a relative path, imported or not. */
function importsOfShop(file: string, text: string): string[] {
  const named = [...text.matchAll(/["'`](@waggle\/demo|\.{1,2}\/)([^"'`\n]*)["'`]/g)];
  return named
    .map(([, start = "", rest = ""]) => start + rest)
    .filter((name) =>
      name.startsWith(".")
        ? `${join(dirname(file), name).replaceAll("\\", "/")}/`.startsWith("apps/demo/")
        : /^@waggle\/demo(\/|$)/.test(name),
    );
}

test("no source outside apps/demo imports it, by its name or by a path", () => {
  const importing = sources
    .filter((file) => !file.endsWith("package.json"))
    .flatMap((file) =>
      importsOfShop(file, readFileSync(join(ROOT, file), "utf8")).map((name) => `${file}: ${name}`),
    );
  expect(importing).toEqual([]);
});

test("imports of the shop are found in each form", () => {
  const planted = [
    'import { SHOP } from "@waggle/demo/environment";',
    'import { playRequest } from "../apps/demo/src/typed-requests/played-request.ts";',
    "const page = await import('./../apps/demo/waggle.config.ts');",
    'const folder = new URL("../apps/demo", import.meta.url);',
    'import { demoSite } from "./demo.ts";',
    'import { other } from "@waggle/demonstrations";',
  ];
  expect(importsOfShop("scripts/planted.ts", planted.join("\n"))).toEqual([
    "@waggle/demo/environment",
    "../apps/demo/src/typed-requests/played-request.ts",
    "./../apps/demo/waggle.config.ts",
    "../apps/demo",
  ]);
});
