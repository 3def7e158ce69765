import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { siteTools } from "./site-tools.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "waggle-tools-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const SEARCH = {
  name: "search",
  description: "Searches.",
  parameters: { type: "object" },
  source: "page",
};

test("a list of definitions is read from a .json file", async () => {
  const file = join(folder, "tools.json");
  writeFileSync(file, JSON.stringify([SEARCH]));
  expect(await siteTools(file)).toEqual([SEARCH]);
});

test.each([
  ["no JSON", "[{"],
  ["no list", JSON.stringify({ search: SEARCH })],
  ["a tool without parameters", JSON.stringify([{ ...SEARCH, parameters: undefined }])],
  ["a tool of another source", JSON.stringify([{ ...SEARCH, source: "mcp" }])],
])("%s is refused with what is missing", async (_, text) => {
  const file = join(folder, "tools.json");
  writeFileSync(file, text);
  await expect(siteTools(file)).rejects.toThrow(
    /tools\.json is no list of tools; each needs a name, a description, parameters and a source/,
  );
});
