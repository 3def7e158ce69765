/** Checks that every requirement has a test and every cited test exists. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { REQUIREMENTS } from "./requirements.ts";

const ROOT = join(import.meta.dirname, "../..");

test("every requirement has a unique id, a source and a test", () => {
  const ids = REQUIREMENTS.map((requirement) => requirement.id);
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  expect(ids.filter((id) => !/^[a-z0-9-]+:[a-z0-9-]+$/.test(id))).toEqual([]);
  const bare = REQUIREMENTS.filter(({ tests, source }) => tests.length === 0 || source === "");
  expect(bare.map(({ id }) => id)).toEqual([]);
});

/** The problem of a citation; empty if its test exists. */
function missing(citation: string): string[] {
  const [file = "", name = ""] = citation.split(" > ");
  const path = join(ROOT, file);
  if (!existsSync(path)) return [`no file ${file}`];
  const text = readFileSync(path, "utf8");
  const isThere = text.includes(JSON.stringify(name)) || text.includes(`\`${name}\``);
  return isThere ? [] : [`no test "${name}" in ${file}`];
}

test("every cited test exists", () => {
  const absent = REQUIREMENTS.flatMap(({ id, tests }) =>
    tests.flatMap(missing).map((why) => `${id}: ${why}`),
  );
  expect(absent).toEqual([]);
});

test("every test that the acceptance page names exists", () => {
  const page = readFileSync(join(ROOT, "docs/evidence/appendix/learning-acceptance.md"), "utf8");
  const cited = [...page.matchAll(/`([^`]+\.test\.ts > [^`]+)`/g)].map(
    ([, citation = ""]) => citation,
  );
  expect(cited.length).toBeGreaterThan(30);
  expect(cited.flatMap(missing)).toEqual([]);
});

test("the README embeds the agent with the lines that the packed packages are tested with", () => {
  const snippet = (file: string) =>
    /```html\n([\s\S]*?)```/.exec(readFileSync(join(ROOT, file), "utf8"))?.[1];
  expect(snippet("README.md")).toBe(snippet("packages/embed/README.md"));
  expect(snippet("README.md")?.trim().split("\n").length).toBeLessThanOrEqual(15);
});
