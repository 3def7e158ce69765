import { expect, test } from "vitest";
import type { ManagedProcess } from "../processes/managed-process.ts";
import { untilDrained } from "./loop.ts";
import { untilReleaseEnds } from "./live-run.ts";
import type { OperatorClient } from "./operator.ts";
import type { Visitors } from "./visitors.ts";

/** What is said about a run whose visitors have stopped. Waits for nothing. */
async function drained(trajectories: object, isLive: boolean): Promise<string[]> {
  const said: string[] = [];
  const status = { simulating: false, outbox: { waiting: 0 } };
  await untilDrained(
    { summary: () => Promise.resolve({ trajectories }) } as unknown as OperatorClient,
    { statuses: () => Promise.resolve([status]) } as unknown as Visitors,
    { running: true, child: { exitCode: null } } as ManagedProcess,
    (line) => said.push(line),
    { isLive, timeoutMs: -1 },
  );
  return said;
}

test("the loop waits for the trainer, but not in a live run, whose people have stopped", async () => {
  const counts = { waiting: 5, leased: 0, learned: 2, rejected: 0, skipped: 1 };
  expect(await drained(counts, true)).toEqual([]);
  expect(await drained(counts, false)).toEqual([expect.stringContaining("5 wait for the trainer")]);
});

test("a running release gets one more decision, and not more", async () => {
  const asked = (ends: boolean) => {
    let times = 0;
    const policies = () =>
      Promise.resolve({ release: ends && (times += 1) > 2 ? null : { version: 1, share: 0.5 } });
    return untilReleaseEnds({ policies } as unknown as OperatorClient, {
      timeoutMs: ends ? 30_000 : 5,
      pollMs: 1,
    });
  };
  expect(await asked(true)).toBe(true);
  expect(await asked(false)).toBe(false);
});
