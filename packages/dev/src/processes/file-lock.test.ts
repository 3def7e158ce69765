import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { tryLock, withLock } from "./file-lock.ts";

const newFile = (): string => join(mkdtempSync(join(tmpdir(), "waggle-lock-")), "deep", "a.lock");

/** A process that holds the lock until it is killed. */
async function holder(file: string): Promise<ChildProcess> {
  const lock = new URL("./file-lock.ts", import.meta.url).href;
  const source = `import { tryLock } from "${lock}";
    console.log(tryLock("${file}") === undefined ? "refused" : "held");
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", source], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  expect(String((await once(child.stdout, "data"))[0])).toBe("held\n");
  return child;
}

test("a lock has one holder, and is free after its release", () => {
  const file = newFile();
  const release = tryLock(file);
  expect(release).toBeDefined();
  expect(tryLock(file)).toBeUndefined();
  release?.();
  const again = tryLock(file);
  expect(again).toBeDefined();
  again?.();
});

test("work waits for another process, whose lock ends when it is killed", async () => {
  const file = newFile();
  const child = await holder(file);
  let isDone = false;
  const work = withLock(file, async () => {
    isDone = true;
  });
  await sleep(300);
  expect(isDone).toBe(false);
  child.kill("SIGKILL");
  await work;
  expect(isDone).toBe(true);
});

test("two pieces of work never overlap, and one that fails lets the next begin", async () => {
  const file = newFile();
  const events: string[] = [];
  const work = (name: string, fails: boolean) => async () => {
    events.push(`${name} begins`);
    await sleep(20);
    events.push(`${name} ends`);
    if (fails) throw new Error(name);
  };
  const first = withLock(file, work("first", true));
  const second = withLock(file, work("second", false));
  await expect(first).rejects.toThrow("first");
  await second;
  expect(events).toEqual(["first begins", "first ends", "second begins", "second ends"]);
});

test("a folder in place of the file is an error, not a wait without end", async () => {
  await expect(withLock(tmpdir(), async () => {})).rejects.toThrow("unable to open database file");
});
