import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { FileChanges } from "./file-changes.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "waggle-changes-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const { signal } = new AbortController();
const write = (name: string, text: string) => writeFileSync(join(folder, name), text);

/** Changes whose pauses run `meanwhile` one after the other. */
function watched(names: readonly string[], ...meanwhile: (() => void)[]): FileChanges {
  return new FileChanges({
    files: () => names.map((name) => join(folder, name)),
    sleep: () => {
      const next = meanwhile.shift();
      if (next === undefined) throw new Error("nothing changes any more");
      return Promise.resolve(next());
    },
  });
}

test("a file with other content is a change, and one that was only written again is none", async () => {
  write("environment.ts", "1");
  const changes = watched(
    ["environment.ts"],
    () => write("environment.ts", "1"),
    () => write("environment.ts", "2"),
  );
  changes.mark();
  expect(await changes.untilChanged(signal)).toBe("environment.ts changed");
});

test("a change between the mark and the wait counts, and a new mark forgets it", async () => {
  write("environment.ts", "1");
  const changes = watched(["environment.ts", "reward.ts"], () => write("reward.ts", "1"));
  changes.mark();
  write("environment.ts", "2");
  expect(await changes.untilChanged(signal)).toBe("environment.ts changed");
  changes.mark();
  expect(await changes.untilChanged(signal)).toBe("reward.ts changed");
});
