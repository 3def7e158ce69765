import { expect, test } from "vitest";
import type { ManagedProcess } from "../processes/managed-process.ts";
import { untilDrained } from "./loop.ts";
import type { OperatorClient } from "./operator.ts";
import type { Visitors } from "./visitors.ts";

/** What is said about a run whose visitors have stopped. Waits for nothing. */
async function drained(answered: number, trajectories: object, isLive: boolean): Promise<string[]> {
  const said: string[] = [];
  const status = { simulating: false, outbox: { waiting: 0 }, people: { answered } };
  await untilDrained(
    { summary: () => Promise.resolve({ trajectories }) } as unknown as OperatorClient,
    { statuses: () => Promise.resolve([status]) } as unknown as Visitors,
    { running: true, child: { exitCode: null } } as ManagedProcess,
    (line) => said.push(line),
    { isLive, timeoutMs: -1 },
  );
  return said;
}

test("requests without a thumb are not waited for, those with one are", async () => {
  const counts = { waiting: 5, leased: 0, learned: 2, rejected: 0, skipped: 1 };
  expect(await drained(3, counts, true)).toEqual([]);
  expect(await drained(4, counts, true)).toEqual([
    expect.stringContaining("1 wait for the trainer"),
  ]);
  expect(await drained(3, counts, false)).toEqual([
    expect.stringContaining("5 wait for the trainer"),
  ]);
});
