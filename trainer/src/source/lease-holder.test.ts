import { expect, test } from "vitest";
import { FakeEdge } from "../edge/fake-edge.fixture.ts";
import { createLeaseHolder, type HeldLease, type LeaseHolder } from "./lease-holder.ts";
import { randomGroups, TINY_BASE } from "../edge-training/training.fixture.ts";

const GROUPS = await randomGroups(2, 2);

function create(): { edge: FakeEdge; leases: LeaseHolder } {
  const edge = new FakeEdge(GROUPS, TINY_BASE);
  const leases = createLeaseHolder({
    edge: edge.client(),
    trainerId: "test",
    durationSeconds: 60,
    now: () => edge.now,
  });
  return { edge, leases };
}

test("a lease is renewed after a third of its duration and stays held", async () => {
  const { edge, leases } = create();
  const lease = (await leases.take(1)) as HeldLease;
  for (let i = 0; i < 10; i += 1) {
    edge.now += 30_000;
    await leases.renewDue();
  }
  expect(leases.isHeld(lease)).toBe(true);
  expect(edge.heldLeases).toBe(1);
});

test("a lease that was not renewed in time is not held, even before the edge is asked", async () => {
  const { edge, leases } = create();
  const lease = (await leases.take(1)) as HeldLease;
  edge.now += 60_000;
  expect(leases.isHeld(lease)).toBe(false);
  await leases.renewDue();
  expect(leases.isHeld(lease)).toBe(false);
});

test("a take without ready groups is null, and all held leases can be released", async () => {
  const { edge, leases } = create();
  expect((await leases.take(5))?.groups).toHaveLength(2);
  expect(await leases.take(5)).toBeNull();
  await leases.releaseAll();
  expect(edge.heldLeases).toBe(0);
  expect((await leases.take(5))?.groups).toHaveLength(2);
});
