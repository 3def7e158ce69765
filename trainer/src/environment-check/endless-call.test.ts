import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const PROGRAM = join(import.meta.dirname, "endless-call.fixture.ts");

// A program of its own, since only calls of a main thread can be ended.
test("a tool that never awaits is ended, and the check names it", async () => {
  const args = ["--disable-warning=ExperimentalWarning", PROGRAM];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const lines = [
    "tasks: all tasks",
    "calls: the tool file did not return within 0.05 s at seed 0, train, level 0, and blocked the check. A time limit cannot stop code that never awaits; end its loop. The other checks did not run",
  ];
  expect(stdout.trim().split("\n")).toEqual([...lines, ...lines]);
}, 30_000);
