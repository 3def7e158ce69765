/** Which processes and pages of a live run load what knows people's wishes. */
import { expect, test, vi } from "vitest";
import { loadedModules } from "../fixtures/loaded-modules.ts";

// Hundreds of files are parsed.
vi.setConfig({ testTimeout: 180_000 });

const ENVIRONMENTS = /^packages\/environments\//;
/** Draws wishes, judges answers, or has the site's state. */
const WISHES =
  /^packages\/dev\/src\/(people\/(person|reactions|errand|visit|desk|people-main)|backend\/(site-backend|backend-main))\.ts$/;

const loads = (entry: string, what: RegExp): boolean =>
  loadedModules(entry).some((file) => what.test(file));

test("the trainer of a live run starts without environments and people", () => {
  const trainer = "trainer/src/commands/train-edge-main.ts";
  expect(loadedModules(trainer).length).toBeGreaterThan(300);
  expect(loads(trainer, ENVIRONMENTS)).toBe(false);
  expect(loads(trainer, WISHES)).toBe(false);
  // The control: the program with all commands.
  expect(loads("packages/dev/src/stack/trainer-main.ts", ENVIRONMENTS)).toBe(true);
});

test("the page of a live run has no environment and no people", () => {
  const page = "apps/practice/src/live.ts";
  expect(loadedModules(page).length).toBeGreaterThan(50);
  expect(loads(page, ENVIRONMENTS)).toBe(false);
  expect(loads(page, WISHES)).toBe(false);
  // The control: a page that practices. Its environment comes with the site.
  expect(loadedModules("apps/practice/src/main.ts")).toContain("apps/practice/src/sample-task.ts");
});

test("the loop's process starts people and backend, and loads neither", () => {
  const loop = "packages/dev/src/loop/loop.ts";
  expect(loadedModules(loop)).toContain("packages/dev/src/people/people-process.ts");
  expect(loads(loop, WISHES)).toBe(false);
  // The controls: the processes that it starts.
  expect(loads("packages/dev/src/people/people-main.ts", WISHES)).toBe(true);
  expect(loads("packages/dev/src/backend/backend-main.ts", WISHES)).toBe(true);
});
