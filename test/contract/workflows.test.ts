/** The workflows of GitHub Actions: pinned actions, few rights, a time limit, and scripts that exist. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "../../scripts/root.ts";

const FOLDER = join(ROOT, ".github", "workflows");
const WORKFLOWS = readdirSync(FOLDER).map((name) => ({
  name,
  text: readFileSync(join(FOLDER, name), "utf8"),
}));
const every = (pattern: RegExp): string[] =>
  WORKFLOWS.flatMap(({ text }) => Array.from(text.matchAll(pattern), ([, found = ""]) => found));

test("every action is pinned to a commit, the same one in every workflow", () => {
  const actions = every(/uses: (.*)/g);
  for (const action of actions) {
    expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  }
  const names = new Set(actions.map((action) => action.split("@")[0]));
  expect(new Set(actions).size).toBe(names.size);
});

test.each(WORKFLOWS)("$name may only read the repository, and its jobs end", ({ text }) => {
  expect(text).toMatch(/^permissions:\n {2}contents: read\n\n/m);
  const jobs = text.slice(text.indexOf("\njobs:\n")).match(/^ {2}[\w-]+:$/gm) ?? [];
  expect(jobs.length).toBeGreaterThan(0);
  expect(text.match(/^ {4}timeout-minutes: \d+$/gm)).toHaveLength(jobs.length);
  expect(text.match(/persist-credentials: false/g)).toHaveLength(
    text.match(/actions\/checkout@/g)?.length ?? 0,
  );
});

test("every npm script that a workflow runs exists", () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
    scripts: object;
  };
  const names = every(/run: npm run ([\w:-]+)/g);
  expect(names).toContain("test:long");
  expect(Object.keys(scripts)).toEqual(expect.arrayContaining(names));
});
