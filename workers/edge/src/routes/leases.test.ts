import { DEFAULT_SITE } from "@waggle/protocol";
import {
  createExecutionContext,
  createMessageBatch,
  getQueueResult,
  runInDurableObject,
} from "cloudflare:test";
import type { AcknowledgeRequest, LeaseRequest, LeaseResponse } from "@waggle/protocol";
import { coordinatorOf } from "../coordinator.ts";
import type { GrantedLease } from "../leases/lease-store.ts";
import {
  asOperator,
  ask,
  assign,
  asTrainer,
  bindings,
  call,
  freshEdge,
  lease,
  makeUpload,
  openSession,
  type Upload,
  upload,
  work,
} from "../testing/edge.ts";
import { unwrap } from "../answer.ts";
import type { UploadPointer } from "../settings.ts";
import worker from "../testing/worker.ts";
import { beforeEach, describe, expect, test } from "vitest";

const MINUTE = 60_000;
/** After the deadline of the test's bindings (90 s). */
const LATER = 5 * MINUTE;

let baseModel = "";
let token = "";

beforeEach(async () => {
  baseModel = await freshEdge();
  token = (await openSession()).token;
});

/** A lease at a chosen time. */
async function leaseAt(now: number, request: Partial<LeaseRequest> = {}): Promise<GrantedLease> {
  const full = { trainerId: "test", maxGroups: 10, durationSeconds: 60, ...request };
  return unwrap(await coordinatorOf(bindings, DEFAULT_SITE).lease(full, now));
}

const digestsOf = (granted: GrantedLease): string[] =>
  granted.groups.flatMap((group) => group.rows.map((row) => row.digest)).sort();

const learned = (fencingToken: number, digests: readonly string[]): AcknowledgeRequest => ({
  fencingToken,
  outcomes: digests.map((digest) => ({ digest, status: "learned", step: 1, reward: 1 })),
});

const acknowledge = async (granted: GrantedLease, digests = digestsOf(granted)) =>
  coordinatorOf(bindings, DEFAULT_SITE).acknowledge(
    granted.leaseId ?? "",
    learned(granted.fencingToken, digests),
    Date.now(),
  );

describe("groups to lease", () => {
  test("successive requests of any page share one task until the group is full", async () => {
    const other = (await openSession()).token;
    const given = [
      await assign(token),
      await assign(other),
      await assign(token),
      await assign(other),
    ];
    const groups = given.map((assignment) => assignment.groupId);
    expect(new Set(groups.slice(0, 3)).size).toBe(1);
    expect(groups[3]).not.toBe(groups[0]);
    expect(given[3]?.task.seed).toBe((given[0]?.task.seed ?? 0) + 1);
  });

  test("concurrent assignments never overfill a group or share a seed", async () => {
    const given = await Promise.all(Array.from({ length: 12 }, () => assign(token)));
    const perGroup = Map.groupBy(given, (assignment) => assignment.groupId);
    expect([...perGroup.values()].map((group) => group.length)).toEqual([3, 3, 3, 3]);
    expect(new Set(given.map((assignment) => assignment.task.seed)).size).toBe(4);
  });

  test("a complete group is leased whole, an incomplete one only after its deadline", async () => {
    const complete = [await work(token, baseModel), await work(token, baseModel)];
    const now = Date.now();
    expect((await leaseAt(now)).leaseId).toBeNull();
    complete.push(await work(token, baseModel));
    const incomplete = await work(token, baseModel);
    const first = await leaseAt(now);
    expect(digestsOf(first)).toEqual(complete.map((example) => example.digest).sort());
    expect(first.groups[0]?.size).toBe(3);
    const second = await leaseAt(now + LATER);
    expect(digestsOf(second)).toContain(incomplete.digest);
  });

  test("a live visitor's own request is a group of one without a task", async () => {
    const live = await makeUpload(baseModel, null);
    await upload(token, live);
    const { groups } = await lease();
    expect(groups).toMatchObject([
      { task: null, size: 1, trajectories: [{ digest: live.digest }] },
    ]);
  });

  test("a lease takes the oldest groups first and no more than requested", async () => {
    for (let i = 0; i < 6; i++) await work(token, baseModel);
    const first = await leaseAt(Date.now(), { maxGroups: 1 });
    const second = await leaseAt(Date.now(), { maxGroups: 5 });
    expect([first.groups.length, second.groups.length]).toEqual([1, 1]);
    expect(first.groups[0]?.task?.seed).toBeLessThan(second.groups[0]?.task?.seed ?? 0);
  });

  test("a trajectory that arrives after its group was leased is leased later in a late group", async () => {
    const early = await work(token, baseModel);
    const late = await makeUpload(baseModel, await assign(token));
    const now = Date.now();
    const first = await leaseAt(now + LATER);
    expect(digestsOf(first)).toEqual([early.digest]);
    await upload(token, late);
    await acknowledge(first);
    const second = await leaseAt(now + LATER + MINUTE);
    const third = await leaseAt(now + LATER + 2 * MINUTE);
    const granted = second.leaseId === null ? third : second;
    expect(digestsOf(granted)).toEqual([late.digest]);
    expect(granted.groups[0]?.task).toEqual(late.trajectory.task);
    expect(granted.groups[0]?.groupId).not.toBe(first.groups[0]?.groupId);
  });
});

describe("holding a lease", () => {
  let digests: string[] = [];
  beforeEach(async () => {
    const examples: Upload[] = [];
    for (let i = 0; i < 3; i++) examples.push(await work(token, baseModel));
    digests = examples.map((one) => one.digest).sort();
  });

  test("leased groups are not leased again before the lease ends", async () => {
    const now = Date.now();
    await leaseAt(now);
    expect((await leaseAt(now + 59_000)).leaseId).toBeNull();
  });

  test("a killed trainer's groups are leased again after expiry, under a greater token", async () => {
    const now = Date.now();
    const first = await leaseAt(now);
    const second = await leaseAt(now + 61_000);
    expect(digestsOf(second)).toEqual(digests);
    expect(second.fencingToken).toBeGreaterThan(first.fencingToken);
    expect(await acknowledge(first, [])).toMatchObject({ ok: false, code: "LEASE_LOST" });
    expect(await acknowledge(second)).toEqual({ ok: true, value: { acknowledged: 3, twice: 0 } });
  });

  test("outcomes learned under an expired lease count, and the next holder is told", async () => {
    const now = Date.now();
    const first = await leaseAt(now);
    const second = await leaseAt(now + 61_000);
    const late = { ok: true, value: { acknowledged: 2, twice: 0 } };
    expect(await acknowledge(first, digests.slice(0, 2))).toEqual(late);
    expect(await acknowledge(first, digests.slice(0, 2))).toEqual(late);
    const renewed = await coordinatorOf(bindings, DEFAULT_SITE).renew(
      second.leaseId ?? "",
      second.fencingToken,
      60,
      now + 62_000,
    );
    const told = unwrap(renewed).forgotten;
    expect(told.sort()).toEqual(digests.slice(0, 2));
    expect(await acknowledge(second)).toEqual({ ok: true, value: { acknowledged: 1, twice: 2 } });
  });

  test("a trainer that returns late is told what another one learned meanwhile", async () => {
    const now = Date.now();
    const first = await leaseAt(now);
    await acknowledge(await leaseAt(now + 61_000));
    const told = { ok: true, value: { acknowledged: 0, twice: 3 } };
    expect(await acknowledge(first)).toEqual(told);
    expect(await acknowledge(first)).toEqual(told);
  });

  test("every trajectory is learned exactly once by a trainer that is killed repeatedly", async () => {
    let now = Date.now();
    for (let i = 0; i < 4; i++) {
      const killed = await leaseAt(now);
      expect(digestsOf(killed)).toEqual(digests);
      now += 61_000;
    }
    expect(await acknowledge(await leaseAt(now))).toMatchObject({ value: { acknowledged: 3 } });
    expect((await leaseAt(now + LATER)).leaseId).toBeNull();
  });

  test("a renewed lease outlives its first end", async () => {
    const now = Date.now();
    const held = await leaseAt(now);
    const coordinator = coordinatorOf(bindings, DEFAULT_SITE);
    const renewed = await coordinator.renew(
      held.leaseId ?? "",
      held.fencingToken,
      120,
      now + 50_000,
    );
    expect(renewed).toEqual({ ok: true, value: { expiresAt: now + 170_000, forgotten: [] } });
    expect((await leaseAt(now + 169_000)).leaseId).toBeNull();
    expect(digestsOf(await leaseAt(now + 170_000))).toEqual(digests);
  });

  test("a released lease returns its groups at once and cannot acknowledge", async () => {
    const held = await leaseAt(Date.now());
    const coordinator = coordinatorOf(bindings, DEFAULT_SITE);
    for (let again = 0; again < 2; again++) {
      expect(await coordinator.release(held.leaseId ?? "", held.fencingToken)).toMatchObject({
        ok: true,
      });
    }
    expect(await acknowledge(held)).toMatchObject({ ok: false, code: "LEASE_LOST" });
    expect(digestsOf(await leaseAt(Date.now()))).toEqual(digests);
  });

  test("a repeated acknowledgement gets the same answer and changes nothing", async () => {
    const held = await leaseAt(Date.now());
    const first = await acknowledge(held);
    expect(await acknowledge(held)).toEqual(first);
    expect(first).toEqual({ ok: true, value: { acknowledged: 3, twice: 0 } });
    expect((await leaseAt(Date.now() + LATER)).leaseId).toBeNull();
  });

  test("trajectories without an outcome are returned and keep their group", async () => {
    const held = await leaseAt(Date.now());
    expect(await acknowledge(held, digests.slice(0, 2))).toMatchObject({
      value: { acknowledged: 2 },
    });
    const rest = await leaseAt(Date.now());
    expect(digestsOf(rest)).toEqual(digests.slice(2));
    expect(rest.groups[0]?.groupId).toBe(held.groups[0]?.groupId);
  });

  test("digests learned by an earlier acknowledgement are counted, not written", async () => {
    await acknowledge(await leaseAt(Date.now()));
    const live = await makeUpload(baseModel, null);
    await upload(token, live);
    const next = await leaseAt(Date.now());
    expect(await acknowledge(next, [...digests, live.digest])).toEqual({
      ok: true,
      value: { acknowledged: 1, twice: 3 },
    });
  });

  test("a wrong fencing token is refused with 409 over HTTP", async () => {
    const held: LeaseResponse = await lease();
    for (const verb of ["renew", "release", "acknowledge"]) {
      const body = {
        fencingToken: held.fencingToken + 1,
        ...(verb === "renew" ? { durationSeconds: 60 } : {}),
        ...(verb === "acknowledge" ? { outcomes: [] } : {}),
      };
      const path = `/v1/trainer/leases/${held.leaseId}/${verb}`;
      const reply = await call("POST", path, { ...asTrainer, body });
      expect(reply).toMatchObject({ status: 409, body: { error: { code: "LEASE_LOST" } } });
    }
  });

  test("outcomes are written to the rows that the operator sees", async () => {
    const held: LeaseResponse = await lease();
    const [a = "", b = "", c = ""] = digests;
    await ask("POST", `/v1/trainer/leases/${held.leaseId}/acknowledge`, {
      ...asTrainer,
      body: {
        fencingToken: held.fencingToken,
        outcomes: [
          {
            digest: a,
            status: "learned",
            reward: 1,
            success: true,
            advantage: 0.5,
            step: 4,
            staleness: 2,
            logProbGapMean: 0.001,
            logProbGapMax: 0.01,
            drawMismatches: 0,
          },
          { digest: b, status: "rejected", reason: "log-prob-gap", drawMismatches: 3 },
          { digest: c, status: "skipped", reason: "no-signal", reward: 0, success: false },
        ],
      },
    });
    const row = async (digest: string) =>
      (await ask<{ row: object }>("GET", `/v1/operator/trajectories/${digest}`, asOperator)).row;
    expect(await row(a)).toMatchObject({
      status: "learned",
      reward: 1,
      success: true,
      advantage: 0.5,
      learnedAtStep: 4,
      staleness: 2,
      logProbGapMean: 0.001,
      logProbGapMax: 0.01,
      hasEdgeSeed: false,
      drawMismatches: 0,
    });
    expect(await row(b)).toMatchObject({
      status: "rejected",
      reason: "log-prob-gap",
      reward: null,
      drawMismatches: 3,
    });
    expect(await row(c)).toMatchObject({
      status: "skipped",
      success: false,
      reward: 0,
      drawMismatches: null,
    });
  });
});

describe("the Queue", () => {
  /** Undoes placement, as after a kill -9, which empties the local queue. */
  async function forgetPlacement(): Promise<void> {
    await bindings.DB.prepare("UPDATE trajectories SET status = 'stored', groupId = NULL").run();
  }

  test("a lost queue loses nothing, because a lease places stored rows", async () => {
    const live = await makeUpload(baseModel, null);
    await upload(token, live);
    await forgetPlacement();
    expect(digestsOf(await leaseAt(Date.now()))).toEqual([live.digest]);
  });

  test("the consumer makes stored rows ready and acknowledges its messages", async () => {
    await upload(token, await makeUpload(baseModel, null));
    await forgetPlacement();
    const message = { id: "m", timestamp: new Date(), attempts: 1, body: { digest: "any" } };
    const batch = createMessageBatch<UploadPointer>("waggle-uploads", [message]);
    await worker.queue(batch, bindings);
    const context = createExecutionContext();
    expect((await getQueueResult(batch, context)).ackAll).toBe(true);
    const status = await bindings.DB.prepare("SELECT status FROM trajectories").first("status");
    expect(status).toBe("ready");
  });

  test("a row whose object is missing is refused instead of leased forever", async () => {
    const live = await makeUpload(baseModel, null);
    await upload(token, live);
    const listed = await bindings.OBJECTS.list({ prefix: "trajectories/" });
    await bindings.OBJECTS.delete(listed.objects.map((object) => object.key));
    expect((await lease()).groups).toEqual([]);
    const row = await bindings.DB.prepare("SELECT status, reason FROM trajectories").first();
    expect(row).toEqual({ status: "rejected", reason: "object-missing" });
  });

  test("rows that wait too long are enqueued again, fresh ones are not", async () => {
    await upload(token, await makeUpload(baseModel, null));
    await coordinatorOf(bindings, DEFAULT_SITE).place(Date.now());
    await forgetPlacement();
    const now = Date.now();
    const enqueued = (at: number) =>
      runInDurableObject(coordinatorOf(bindings, DEFAULT_SITE), (object) =>
        object.enqueueStale(at),
      );
    expect(await enqueued(now)).toBe(0);
    expect(await enqueued(now + MINUTE)).toBe(1);
  });

  test("placing the same rows twice changes nothing", async () => {
    await upload(token, await makeUpload(baseModel, null));
    const coordinator = coordinatorOf(bindings, DEFAULT_SITE);
    await coordinator.place(Date.now());
    expect(await coordinator.place(Date.now())).toEqual({ ok: true, value: 0 });
  });
});
