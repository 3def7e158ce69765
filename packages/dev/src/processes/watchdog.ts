/**
 * Ends the process groups of a parent that was killed. The parent writes its current groups to standard input, one list
 * per line. When the input closes, the groups of the last line get SIGTERM, and SIGKILL 8 s later.
 */
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

const GRACE_MS = 8000;
const POLL_MS = 100;

let groups: readonly number[] = [];

/** @returns false if the group is gone. */
function signal(group: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-group, name);
  } catch {
    return false;
  }
}

// Only the end of the input ends this process, because it must outlive a parent that is stopped by a signal.
for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(name, () => undefined);

for await (const line of createInterface({ input: process.stdin })) {
  groups = line
    .split(" ")
    .map(Number)
    .filter((group) => group > 1);
}
for (const group of groups) signal(group, "SIGTERM");
const deadline = Date.now() + GRACE_MS;
while (Date.now() < deadline && groups.some((group) => signal(group, 0))) await sleep(POLL_MS);
for (const group of groups) signal(group, "SIGKILL");
