/** A bad record never blocks the others: at upload, in a lease, and over many leases. */
import { applyD1Migrations, reset } from "cloudflare:test";
import type {
  AuditResponse,
  DeadLettersResponse,
  LeaseResponse,
  Trajectory,
} from "@waggle/protocol";
import {
  DEFAULT_SITE,
  canonicalJson,
  FULL_SUPPORT,
  OPERATOR_NAME_HEADER,
  trajectoryDigest,
} from "@waggle/protocol";
import { beforeEach, describe, expect, test } from "vitest";
import { fault } from "../../../test/fixtures/fault.ts";
import { unwrap } from "./answer.ts";
import { coordinatorOf } from "./coordinator.ts";
import type { GrantedLease } from "./leases/lease-store.ts";
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
} from "./testing/edge.ts";

const MINUTE = 60_000;
let baseModel = "";
let token = "";

beforeEach(async () => {
  baseModel = await freshEdge();
  token = (await openSession()).token;
});

/** A sampled segment with these kept sets, one for each of its two tokens. */
function withKept(...keptTokenIds: (number[] | null)[]): Partial<Trajectory> {
  return {
    segments: [
      {
        kind: "sampled",
        id: "s1",
        parent: null,
        policyVersion: 0,
        grammar: null,
        sampling: { ...FULL_SUPPORT, topK: 3, seed: 7 },
        tokenIds: [4, 5],
        behaviorLogProbs: [-0.5, -1.5],
        rawLogProbs: [-0.5, -1.5],
        entropies: [0.1, 0.2],
        keptTokenIds,
        stopReason: "stop-token",
      },
    ],
  };
}

const letters = () =>
  ask<DeadLettersResponse>("GET", "/v1/operator/dead-letters?limit=200", asOperator);
const reasonOf = async (digest: string): Promise<string | null> => {
  const row = await bindings.DB.prepare("SELECT reason FROM trajectories WHERE digest = ?1")
    .bind(digest)
    .first<{ reason: string | null }>();
  return row?.reason ?? null;
};
const keyOf = async (digest: string): Promise<string> => {
  const row = await bindings.DB.prepare("SELECT objectKey FROM trajectories WHERE digest = ?1")
    .bind(digest)
    .first<{ objectKey: string }>();
  return row?.objectKey ?? "";
};
const leaseAt = async (now: number, maxGroups = 10, trainerId = "test"): Promise<GrantedLease> =>
  unwrap(
    await coordinatorOf(bindings, DEFAULT_SITE).lease(
      { trainerId, maxGroups, durationSeconds: 60 },
      now,
    ),
  );
const digestsOf = (granted: GrantedLease): string[] =>
  granted.groups.flatMap(({ rows }) => rows.map(({ digest }) => digest));

fault(
  "an upload with unsorted kept ids is refused, and the rest of the batch is stored",
  { item: "1.1", before: "stored as accepted; the trainer that leases it exits, 5 of 5 restarts" },
  async () => {
    const bad = await makeUpload(baseModel, await assign(token), withKept([5, 4], null));
    const twice = await makeUpload(baseModel, await assign(token), withKept([4, 4], null));
    const good = await makeUpload(baseModel, await assign(token), withKept([4, 5], null));
    const { results } = await upload(token, bad, twice, good);
    expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected", "accepted"]);
    expect(results[0]).toMatchObject({
      code: "SCHEMA_INVALID",
      message: expect.stringContaining("kept token ids must be in ascending order") as string,
    });
    return { after: "2 of 2 refused with SCHEMA_INVALID, 1 of 1 other stored" };
  },
);

fault(
  "missing, damaged, oversized or outdated objects are left out of a lease",
  {
    item: "1.2",
    before: "every lease answers 500 (damaged); the trainer exits at each start (old)",
  },
  async () => {
    const examples: Upload[] = [];
    for (let i = 0; i < 6; i++) examples.push(await work(token, baseModel));
    const [missing, cut, big, old, ...good] = examples as [
      Upload,
      Upload,
      Upload,
      Upload,
      ...Upload[],
    ];
    const { OBJECTS, DB } = bindings;
    await OBJECTS.delete(await keyOf(missing.digest));
    await OBJECTS.put(await keyOf(cut.digest), canonicalJson(cut.trajectory).slice(0, 100));
    await OBJECTS.put(await keyOf(big.digest), new Uint8Array(5 * 1024 * 1024));
    const next = { ...old.trajectory, schemaVersion: 2 };
    const digest = await trajectoryDigest(next);
    await OBJECTS.put(await keyOf(old.digest), canonicalJson(next));
    await DB.prepare("UPDATE trajectories SET digest = ?2 WHERE digest = ?1")
      .bind(old.digest, digest)
      .run();
    const reply = await call("POST", "/v1/trainer/leases", {
      ...asTrainer,
      body: { trainerId: "test", maxGroups: 10, durationSeconds: 60 },
    });
    expect(reply.status).toBe(200);
    const served = (reply.body as LeaseResponse).groups.flatMap(({ trajectories }) =>
      trajectories.map((leased) => leased.digest),
    );
    expect(served.sort()).toEqual(good.map((one) => one.digest).sort());
    const reasons = [missing.digest, cut.digest, big.digest, digest].map(reasonOf);
    expect(await Promise.all(reasons)).toEqual([
      "object-missing",
      "object-damaged",
      "object-too-large",
      "schema-unsupported",
    ]);
    expect((await letters()).rows).toHaveLength(4);
    const shown = await call("GET", `/v1/operator/trajectories/${cut.digest}`, asOperator);
    expect([shown.status, JSON.stringify(shown.body)]).toEqual([
      404,
      expect.stringContaining("object-damaged"),
    ]);
    return {
      after: `200 with ${served.length} of ${good.length} sound records, 4 rejected by reason`,
    };
  },
);

test("a lease without a single usable object is returned at once", async () => {
  for (let i = 0; i < 3; i++) {
    const { digest } = await work(token, baseModel);
    await bindings.OBJECTS.delete(await keyOf(digest));
  }
  expect(await lease()).toMatchObject({ leaseId: null, groups: [] });
  const group = await bindings.DB.prepare("SELECT state FROM taskGroups").first();
  expect(group).toEqual({ state: "done" });
});

test("rows of the previous release survive the migration and are leased", async () => {
  await reset();
  const { DB, OBJECTS, MIGRATIONS } = bindings;
  await applyD1Migrations(
    DB,
    MIGRATIONS.filter(({ name }) => name < "0005"),
  );
  const { digest, trajectory } = await makeUpload(baseModel, null);
  await DB.prepare(
    `INSERT INTO trajectories (digest, id, visitorId, policyVersion, tokens, stopReason, objectKey,
       sizeBytes, receivedAt, status)
     VALUES (?1, ?2, ?3, 0, 2, 'completed', 'trajectories/old.json', 900, 1, 'stored')`,
  )
    .bind(digest, trajectory.id, crypto.randomUUID())
    .run();
  await OBJECTS.put("trajectories/old.json", canonicalJson(trajectory));
  await applyD1Migrations(DB, MIGRATIONS);
  expect((await lease()).groups[0]?.trajectories[0]?.digest).toBe(digest);
});

describe("a row that crashes every trainer", () => {
  fault(
    "becomes a dead letter after 5 leases, while other groups are learned from",
    { item: "1.3", before: "the oldest group is leased first for ever: 0 of 9 others learned" },
    async () => {
      const examples: Upload[] = [];
      for (let i = 0; i < 12; i++) examples.push(await work(token, baseModel));
      const poison = examples[0]?.digest ?? "";
      const learned = new Set<string>();
      let now = Date.now();
      let lives = 0;
      // Each trainer process takes leases until one contains the bad row.
      for (; lives < 20; lives++) {
        const trainerId = `life-${lives}`;
        let isDead = false;
        while (!isDead) {
          const granted = await leaseAt(now, 2, trainerId);
          if (granted.leaseId === null) break;
          const digests = digestsOf(granted);
          isDead = digests.includes(poison);
          if (isDead) break;
          for (const digest of digests) {
            expect(learned.has(digest)).toBe(false);
            learned.add(digest);
          }
          const outcomes = digests.map((digest) => ({
            digest,
            status: "learned" as const,
            step: 1,
          }));
          const { fencingToken } = granted;
          unwrap(
            await coordinatorOf(bindings, DEFAULT_SITE).acknowledge(
              granted.leaseId,
              { fencingToken, outcomes },
              now,
            ),
          );
        }
        now += 2 * MINUTE;
        if (!isDead) break;
      }
      expect(lives).toBe(5);
      expect(learned.size).toBe(9);
      const { rows } = await letters();
      expect(rows.map(({ reason, failedLeases }) => [reason, failedLeases])).toEqual(
        Array.from({ length: 3 }, () => ["lease-failed", 5]),
      );
      const lost = examples.length - learned.size - rows.length;
      return { after: `9 of 9 others learned, its group dead after ${lives} leases`, lost };
    },
  );

  test("its group is leased alone from the third lease on, to a trainer without other leases", async () => {
    for (let i = 0; i < 6; i++) await work(token, baseModel);
    let now = Date.now();
    for (let life = 0; life < 2; life++) {
      const granted = await leaseAt(now, 1, `life-${life}`);
      expect([granted.groups.length, granted.isAlone]).toEqual([1, false]);
      now += 2 * MINUTE;
    }
    const alone = await leaseAt(now, 10, "a");
    expect([alone.groups.length, alone.isAlone]).toEqual([1, true]);
    const other = await leaseAt(now, 10, "a");
    expect([other.groups.length, other.isAlone]).toEqual([1, false]);
    await coordinatorOf(bindings, DEFAULT_SITE).release(alone.leaseId ?? "", alone.fencingToken);
    expect((await leaseAt(now, 10, "a")).leaseId).toBeNull();
    expect((await leaseAt(now, 10, "b")).isAlone).toBe(true);
  });

  test("a released lease does not count", async () => {
    for (let i = 0; i < 3; i++) await work(token, baseModel);
    for (let i = 0; i < 7; i++) {
      const { leaseId, fencingToken } = await leaseAt(Date.now());
      unwrap(await coordinatorOf(bindings, DEFAULT_SITE).release(leaseId ?? "", fencingToken));
    }
    expect((await letters()).rows).toEqual([]);
    expect(digestsOf(await leaseAt(Date.now()))).toHaveLength(3);
  });
});

describe("the operator", () => {
  async function deadLetter(): Promise<{ digest: string; session: string }> {
    const session = (await openSession()).token;
    const example = await makeUpload(baseModel, null);
    await upload(session, example);
    const granted = await leaseAt(Date.now());
    const outcomes = [
      { digest: example.digest, status: "rejected" as const, reason: "check-failed" },
    ];
    unwrap(
      await coordinatorOf(bindings, DEFAULT_SITE).acknowledge(
        granted.leaseId ?? "",
        { fencingToken: granted.fencingToken, outcomes },
        Date.now(),
      ),
    );
    return { digest: example.digest, session };
  }
  const path = (digest: string) => `/v1/operator/dead-letters/${digest}`;

  test("retries a dead letter, and it is leased again", async () => {
    const { digest } = await deadLetter();
    expect((await letters()).rows).toMatchObject([{ digest, reason: "check-failed" }]);
    await ask("POST", `${path(digest)}/retry`, asOperator);
    expect((await letters()).rows).toEqual([]);
    // Its group is done, so it waits in a late group until that group's deadline.
    expect((await leaseAt(Date.now())).leaseId).toBeNull();
    expect(digestsOf(await leaseAt(Date.now() + 5 * MINUTE))).toEqual([digest]);
  });

  test("deletes a dead letter with its content, and the same upload is refused", async () => {
    const { digest, session } = await deadLetter();
    const key = await keyOf(digest);
    await ask("DELETE", path(digest), asOperator);
    expect(await bindings.OBJECTS.head(key)).toBeNull();
    expect((await letters()).rows).toEqual([]);
    expect((await leaseAt(Date.now() + 5 * MINUTE)).leaseId).toBeNull();
    expect((await call("DELETE", path(digest), asOperator)).status).toBe(404);
    await ask("DELETE", "/v1/visitor", { token: session });
  });

  test("retries and deletions are in the audit log with the operator's name; refused ones are not", async () => {
    const [retried, deleted] = [await deadLetter(), await deadLetter()];
    const as = { ...asOperator, headers: { [OPERATOR_NAME_HEADER]: "Ada" } };
    await ask("POST", `${path(retried.digest)}/retry`, as);
    await ask("DELETE", path(deleted.digest), as);
    expect((await call("POST", `${path(retried.digest)}/retry`, as)).status).toBe(404);
    expect((await call("DELETE", path(deleted.digest), as)).status).toBe(404);
    const { entries } = await ask<AuditResponse>("GET", "/v1/operator/audit", asOperator);
    expect(entries.map(({ by, action, reason }) => [by, action, reason])).toEqual([
      ["Ada", "delete-dead-letter", `trajectory ${deleted.digest.slice(0, 16)}`],
      ["Ada", "retry-dead-letter", `trajectory ${retried.digest.slice(0, 16)}`],
    ]);
  });

  test("loses the dead letters of a forgotten visitor", async () => {
    const { session } = await deadLetter();
    await ask("DELETE", "/v1/visitor", { token: session });
    expect(await bindings.DB.prepare("SELECT * FROM deadLetters").first()).toBeNull();
  });

  test("pages through dead letters", async () => {
    const examples = [await deadLetter(), await deadLetter(), await deadLetter()];
    const seen: string[] = [];
    for (let cursor: string | null = ""; cursor !== null;) {
      const after: string = cursor === "" ? "" : `&cursor=${cursor}`;
      const page: DeadLettersResponse = await ask(
        "GET",
        `/v1/operator/dead-letters?limit=1${after}`,
        asOperator,
      );
      seen.push(...page.rows.map(({ digest }) => digest));
      cursor = page.nextCursor;
    }
    expect(seen.sort()).toEqual(examples.map(({ digest }) => digest).sort());
  });
});
