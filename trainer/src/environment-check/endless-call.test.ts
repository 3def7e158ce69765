import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { isLong } from "../../../test/fixtures/long.ts";

const FLAGS = ["--conditions=source", "--disable-warning=ExperimentalWarning"];

async function linesOf(program: string): Promise<string[]> {
  const args = [...FLAGS, join(import.meta.dirname, program)];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return stdout.trim().split("\n");
}

// A program of its own, since only calls of a main thread can be ended.
// Under `npm test`, page-check.test.ts of the site package has such a tool.
test.runIf(isLong())(
  "a tool that never awaits is ended, and the check names it",
  async () => {
    const lines = [
      "tasks: all tasks",
      "calls: the tool file did not return within 0.05 s at seed 0, train, level 0, and blocked the check. A time limit cannot stop code that never awaits; end its loop. The other checks did not run",
    ];
    expect(await linesOf("endless-call.fixture.ts")).toEqual([...lines, ...lines]);
  },
  30_000,
);

test("tasks, demonstrate and nearMiss that never end are ended and named too", async () => {
  const places = [
    "tasks did not return within 0.3 s at seed 3, train, level 0",
    "demonstrate did not return within 0.3 s at seed 0, train, level 0",
    "nearMiss did not return within 0.3 s at seed 0, train, level 0",
  ];
  expect(await linesOf("endless-environment.fixture.ts")).toEqual(
    places.map((place) => expect.stringContaining(`calls: ${place}, and blocked the check.`)),
  );
}, 60_000);
