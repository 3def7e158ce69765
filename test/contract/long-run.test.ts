/** Which steps of `npm run test:long` a later run need not repeat. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { LongRun } from "../../scripts/testing/long-run.ts";
import { testSteps } from "../../scripts/testing/test-steps.ts";

function repository() {
  const root = mkdtempSync(join(tmpdir(), "waggle-long-run-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.com", ...args], {
      cwd: root,
      stdio: "ignore",
    });
  const write = (file: string, text: string) => writeFileSync(join(root, file), text);
  const commit = () => {
    git("add", "-A");
    git("commit", "-qm", "A change");
  };
  git("init", "-q");
  mkdirSync(join(root, "docs", "evidence"), { recursive: true });
  write("code.ts", "1");
  commit();
  return { root, write, commit };
}

const RESULT = { seconds: 1, passed: 7, failed: 0 };

test("a step that passed is found again, also after the commit of its record", () => {
  const { root, write, commit } = repository();
  new LongRun(root).keep("kill", RESULT);
  expect([new LongRun(root).found("kill"), new LongRun(root).found("loop")]).toEqual([
    7,
    undefined,
  ]);
  write("docs/evidence/kill.json", "{}");
  commit();
  expect(new LongRun(root).found("kill")).toBe(7);
});

test("a step is repeated after a change of the code, committed or not", () => {
  const { root, write, commit } = repository();
  new LongRun(root).keep("kill", RESULT);
  write("code.ts", "2");
  expect(new LongRun(root).found("kill")).toBeUndefined();
  // What passed with an uncommitted change is recorded, and never found.
  new LongRun(root).keep("loop", RESULT);
  commit();
  expect(new LongRun(root).found("kill")).toBeUndefined();
  expect(new LongRun(root).found("loop")).toBeUndefined();
});

test("a record of a commit that this clone lacks counts for nothing", () => {
  const { root, write } = repository();
  const step = { ...RESULT, date: "2026-11-30", commit: "0".repeat(40), uncommittedChanges: false };
  write("docs/evidence/test-long.json", JSON.stringify({ kill: step }));
  expect(new LongRun(root).found("kill")).toBeUndefined();
});

test("a long run has a step for every end-to-end file, and a short one has one for all", () => {
  const endToEnd = (isLong: boolean) => testSteps(isLong).filter(({ name }) => name === "e2e");
  expect(endToEnd(false)).toHaveLength(1);
  const titles = endToEnd(true).map(({ title }) => title);
  expect(titles).toContain("end to end: kill");
  expect(new Set(titles).size).toBe(titles.length);
});
