/**
 * Pages have an icon, since a browser asks for /favicon.ico otherwise and shows a failed request in its console. They say that
 * they are UTF-8, since a browser reads scripts that are no modules in the page's encoding.
 */
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
const FOLDERS = ["packages/create-waggle/templates", "docs/examples/pages", "apps"];
const PAGES = globSync(
  FOLDERS.map((folder) => `${folder}/*/index.html`),
  { cwd: ROOT },
);

test("every page of templates, examples and apps has an icon that needs no server or exists", () => {
  expect(PAGES.length).toBeGreaterThanOrEqual(13);
  const without = PAGES.filter((page) => {
    const html = readFileSync(join(ROOT, page), "utf8");
    const icon = /<link\s+rel="icon"\s+href="([^"]+)"/.exec(html)?.[1] ?? "";
    if (icon.startsWith("/")) return !existsSync(join(ROOT, dirname(page), "public", icon));
    return !/^data:(?:,$|image\/svg\+xml,<svg xmlns='http:\/\/www\.w3\.org\/2000\/svg')/.test(icon);
  });
  expect(without).toEqual([]);
});

test("every page of templates, examples and apps says that it is UTF-8", () => {
  const without = PAGES.filter((page) => {
    return !/<meta\s+charset="utf-8"/i.test(readFileSync(join(ROOT, page), "utf8"));
  });
  expect(without).toEqual([]);
});
