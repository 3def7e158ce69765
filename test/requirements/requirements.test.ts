/** The gate of the manifest: no claim without a test, no citation of a test that is not there. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { REQUIREMENTS } from "./requirements.ts";

const ROOT = join(import.meta.dirname, "../..");

test("every claim has an id of its own, a source and a test", () => {
  const ids = REQUIREMENTS.map((requirement) => requirement.id);
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  expect(ids.filter((id) => !/^[a-z0-9-]+:[a-z0-9-]+$/.test(id))).toEqual([]);
  const bare = REQUIREMENTS.filter(({ tests, source }) => tests.length === 0 || source === "");
  expect(bare.map(({ id }) => id)).toEqual([]);
});

test("every cited test exists", () => {
  const missing = REQUIREMENTS.flatMap(({ id, tests }) =>
    tests.flatMap((citation) => {
      const [file = "", name = ""] = citation.split(" > ");
      const path = join(ROOT, file);
      if (!existsSync(path)) return [`${id}: no file ${file}`];
      const text = readFileSync(path, "utf8");
      return text.includes(JSON.stringify(name)) || text.includes(`\`${name}\``)
        ? []
        : [`${id}: no test "${name}" in ${file}`];
    }),
  );
  expect(missing).toEqual([]);
});

test("the README embeds the agent with the same lines that the packed packages are tested with", () => {
  const snippet = (file: string) =>
    /```html\n([\s\S]*?)```/.exec(readFileSync(join(ROOT, file), "utf8"))?.[1];
  expect(snippet("README.md")).toBe(snippet("packages/embed/README.md"));
  expect(snippet("README.md")?.trim().split("\n").length).toBeLessThanOrEqual(15);
});
