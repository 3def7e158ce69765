/** Counts of acknowledged outcomes, and rows of expired leases. */
import { DEFAULT_SITE } from "@waggle/protocol";
import type { TrajectoryOutcome } from "@waggle/protocol";
import { beforeEach, expect, test } from "vitest";
import { acknowledgeLease, type GrantedLease } from "./lease-store.ts";
import { coordinatorOf } from "../coordinator.ts";
import { unwrap } from "../answer.ts";
import { bindings, freshEdge, openSession, type Upload, work, rows } from "../testing/edge.ts";

const MINUTE = 60_000;

let group: Upload[] = [];

beforeEach(async () => {
  const baseModel = await freshEdge();
  const { token } = await openSession();
  group = [];
  for (let i = 0; i < 3; i += 1) group.push(await work(token, baseModel));
});

async function leaseAt(now: number): Promise<GrantedLease> {
  const request = { trainerId: "test", maxGroups: 10, durationSeconds: 60 };
  return unwrap(await coordinatorOf(bindings, DEFAULT_SITE).lease(request, now));
}

const learned = (digests: readonly string[]): TrajectoryOutcome[] =>
  digests.map((digest) => ({ digest, status: "learned", step: 1, reward: 1 }));

const acknowledge = (
  { leaseId, fencingToken }: GrantedLease,
  outcomes: TrajectoryOutcome[],
  now: number,
) =>
  acknowledgeLease(
    rows,
    leaseId ?? "",
    { fencingToken, outcomes },
    { MAX_LEASE_FAILURES: 5, CONSENT_DAYS: 400 },
    now,
  );

const digestsOf = ({ groups }: GrantedLease): string[] =>
  groups.flatMap(({ rows }) => rows.map(({ digest }) => digest)).toSorted();

const uploaded = (): string[] => group.map(({ digest }) => digest).toSorted();

test("an acknowledgement counts the rows that the lease held", async () => {
  const now = Date.now();
  const granted = await leaseAt(now);
  expect(await acknowledge(granted, learned(uploaded()), now)).toEqual({
    acknowledged: 3,
    twice: 0,
  });
});

test("outcomes that need several statements are counted once, and unknown ones not at all", async () => {
  const now = Date.now();
  const granted = await leaseAt(now);
  const unknown = Array.from({ length: 600 }, (_, i) => i.toString(16).padStart(64, "0"));
  const answer = await acknowledge(granted, learned([...unknown, ...uploaded()]), now);
  expect(answer).toEqual({ acknowledged: 3, twice: 0 });
});

test("the rows of an expired lease are leased again", async () => {
  const now = Date.now();
  const first = await leaseAt(now);
  expect(digestsOf(first)).toEqual(uploaded());
  expect((await leaseAt(now + MINUTE - 1)).leaseId).toBeNull();
  const second = await leaseAt(now + MINUTE);
  expect(digestsOf(second)).toEqual(uploaded());
  expect(second.leaseId).not.toBe(first.leaseId);
});

test("rows that another trainer learned after the lease expired count as learned twice", async () => {
  const now = Date.now();
  const slow = await leaseAt(now);
  const fast = await leaseAt(now + MINUTE);
  await acknowledge(fast, learned(uploaded()), now + MINUTE);
  const late = await acknowledge(slow, learned(uploaded()), now + MINUTE);
  expect(late).toEqual({ acknowledged: 0, twice: 3 });
});
