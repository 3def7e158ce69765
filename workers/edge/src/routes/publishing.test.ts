/** Failures of publishing: failed evaluations, stale publications, and descendants of rolled-back versions. */
import {
  DEFAULT_SITE,
  type AuditResponse,
  type EvaluationResult,
  OPERATOR_NAME_HEADER,
  type PoliciesResponse,
  type PolicyManifest,
  type PolicyVersion,
  sha256,
} from "@waggle/protocol";
import { beforeEach, expect, test } from "vitest";
import { fault } from "../../../../test/fixtures/fault.ts";
import { ingest } from "../ingest.ts";
import { siteDatabase } from "../sites/site-database.ts";
import {
  asOperator,
  ask,
  asTrainer,
  assign,
  bindings,
  call,
  freshEdge,
  makePublication,
  makeUpload,
  openSession,
  passed,
  publish,
  putBytes,
  stored,
  upload,
  rows,
} from "../testing/edge.ts";

let baseModel = "";

beforeEach(async () => {
  baseModel = await freshEdge();
});

/** A candidate that solves none of the ten retention tasks that the base solves. */
const FORGOTTEN = {
  tasks: 10,
  judged: 10,
  successes: 0,
  baseSuccesses: 10,
  readable: 10,
  baseReadable: 10,
  readableGained: 0,
  readableLost: 0,
  kinds: [{ kind: "greeting", tasks: 10, gained: 0, lost: 10 }],
};

const post = (body: object) => call("POST", "/v1/trainer/policies", { ...asTrainer, body });
const promote = (version: number) =>
  call("POST", `/v1/trainer/policies/${version}/promote`, asTrainer);
const promoteAnyway = (version: number, body: object) =>
  call("POST", `/v1/operator/policies/${version}/promote`, { ...asOperator, body });
const rollBack = (version: number) =>
  ask<PolicyVersion>("POST", `/v1/operator/policies/${version}/roll-back`, asOperator);
const list = () => ask<PoliciesResponse>("GET", "/v1/trainer/policies", asTrainer);
const served = async () =>
  Promise.all(
    ["stable", "canary"].map(
      async (channel) =>
        (await ask<PolicyManifest>("GET", `/v1/policies/${channel}`)).policy.version,
    ),
  );
const refusedWith = (code: string) => ({ status: 409, body: { error: { code } } });

fault(
  "a candidate that failed its evaluation is recorded and never served",
  { item: "2.1", before: "1 failed version served to canary visitors, for ever after a kill" },
  async () => {
    const failed = { ...passed(0), successes: 30, gained: 5, lost: 25 };
    const asCanary = await makePublication(baseModel, { evaluation: failed });
    expect(await post(asCanary)).toMatchObject(refusedWith("GATE_NOT_PASSED"));
    const recorded = await post({ ...asCanary, status: "rolled-back" });
    expect(recorded).toMatchObject({ status: 200, body: { version: 1, status: "rolled-back" } });
    expect(await promote(1)).toMatchObject(refusedWith("CONFLICT"));
    expect(await served()).toEqual([0, 0]);
    return {
      after: `recorded with its evaluation; the channels serve ${(await served()).join(", ")}`,
    };
  },
);

fault(
  "two concurrent publishers get two versions, and the slower one is told",
  { item: "2.2", before: "409 CONFLICT, not retryable: 1 of 2 trainers exits, at every restart" },
  async () => {
    const [first, second] = [await makePublication(baseModel), await makePublication(baseModel)];
    expect(await post(first)).toMatchObject({ body: { version: 1 } });
    expect(await post(second)).toMatchObject(refusedWith("PUBLICATION_STALE"));
    const { epoch } = await list();
    expect(await post({ ...second, epoch })).toMatchObject({ body: { version: 2 } });
    // The first was displaced without a verdict: it passed the gate and can still be promoted.
    expect((await promote(1)).status).toBe(200);
    // Its evaluation compared it with version 0, which is no longer stable.
    expect(await promote(2)).toMatchObject(refusedWith("PUBLICATION_STALE"));
    return { after: `versions 1 and 2 after 1 refusal with PUBLICATION_STALE; 1 is stable` };
  },
);

fault(
  "descendants of a rolled-back version leave the channels and need an operator's override",
  { item: "2.3", before: "the trainer published and promoted a child of the rolled-back version" },
  async () => {
    for (const version of [1, 2]) {
      await publish(version, baseModel);
      expect((await promote(version)).status).toBe(200);
    }
    await publish(3, baseModel);
    await publish(4, baseModel);
    await rollBack(1);
    // Versions 2 (stable), 3 (displaced) and 4 (canary) were trained from version 1.
    expect(await served()).toEqual([0, 0]);
    const child = await makePublication(baseModel, { parent: 2, step: 5 });
    expect(await post(child)).toMatchObject(refusedWith("LINEAGE_ROLLED_BACK"));
    expect(await promote(3)).toMatchObject(refusedWith("LINEAGE_ROLLED_BACK"));
    const withoutEvaluation = true;
    expect(await promoteAnyway(3, { withoutEvaluation })).toMatchObject(
      refusedWith("LINEAGE_ROLLED_BACK"),
    );
    expect(await served()).toEqual([0, 0]);
    const said = await promoteAnyway(3, { withoutEvaluation, allowDescendant: true });
    expect(said.status).toBe(200);
    expect(await served()).toEqual([3, 3]);
    return { after: "0 of 3 descendants served, their child refused; 1 when the operator says so" };
  },
);

fault(
  "a promotion without a passing evaluation is refused",
  { item: "2.4", before: "7 of 7 promotions without a passing evaluation were accepted" },
  async () => {
    const good = passed(0);
    const { gained: _gained, ...unpaired } = good;
    const failing = [
      null,
      unpaired,
      { ...good, tasks: 10, successes: 6, stableSuccesses: 5, gained: 2, lost: 1 },
      { ...good, successes: 0, stableSuccesses: 0, gained: 0, lost: 0 },
      { ...good, successes: 45, stableSuccesses: 50, gained: 5, lost: 10 },
      // Within the margin, but significant.
      { ...good, tasks: 1000, successes: 480, stableSuccesses: 500, gained: 0, lost: 20 },
      { ...good, successes: 99 },
      // A fall on what is not practiced, which no setting has to ask for.
      { ...good, retention: FORGOTTEN },
      { ...good, retention: { ...FORGOTTEN, baseSuccesses: 0 } },
    ];
    let refused = 0;
    for (const [i, evaluation] of failing.entries()) {
      const { adapter } = await makePublication(baseModel, { step: i + 1 });
      // A canary as the previous release stored it.
      await bindings.DB.prepare(
        `INSERT INTO policies (site, version, parent, baseModel, adapter, status, evaluation, step, publishedAt)
         VALUES ('default', ?1, 0, ?2, ?3, 'canary', ?4, ?1, '2026-01-01T00:00:00.000Z')`,
      )
        .bind(i + 1, baseModel, JSON.stringify(adapter), evaluation && JSON.stringify(evaluation))
        .run();
      const reply = await promote(i + 1);
      expect(reply).toMatchObject(refusedWith("GATE_NOT_PASSED"));
      refused += 1;
      await rollBack(i + 1);
    }
    expect(await served()).toEqual([0, 0]);
    await publish(failing.length + 1, baseModel);
    expect((await promote(failing.length + 1)).status).toBe(200);
    return { after: `${refused} of ${failing.length} refused with GATE_NOT_PASSED` };
  },
);

test("where the gate needs retention tasks, an evaluation without enough of them is refused", async () => {
  const kept = { ...FORGOTTEN, successes: 10, kinds: [] };
  const [greeting] = FORGOTTEN.kinds;
  const retention = {
    ...kept,
    kinds: [{ ...greeting, kind: "greeting", tasks: 10, gained: 0, lost: 0 }],
  };
  const settings = (tasks: number | null) =>
    call("PUT", `/v1/operator/sites/${DEFAULT_SITE}`, {
      ...asOperator,
      body: { settings: { gateRetentionTasks: tasks } },
    });
  expect((await settings(10)).status).toBe(200);
  const without = await post(await makePublication(baseModel, { step: 1 }));
  expect(without).toMatchObject(refusedWith("GATE_NOT_PASSED"));
  expect(JSON.stringify(without.body)).toContain("needs 10 retention tasks");
  const evaluation = { ...passed(0), retention };
  expect((await post(await makePublication(baseModel, { step: 2, evaluation }))).status).toBe(200);
  expect((await list()).policies[0]).toMatchObject({ evaluation: { retention } });
  expect((await settings(11)).status).toBe(200);
  const fewer = await post(await makePublication(baseModel, { step: 3, evaluation }));
  expect(fewer).toMatchObject(refusedWith("GATE_NOT_PASSED"));
  await settings(null);
});

test("where the gate needs probes, an evaluation without them, with too few, or with a fault is refused", async () => {
  const probes = (risen: number): EvaluationResult["probes"] => [
    { probe: "length", tasks: 90, base: 900, candidate: 910, risen: 2, fallen: 1 },
    { probe: "refusal", tasks: 100, base: 3, candidate: 3, risen: 0, fallen: 0 },
    { probe: "begging", tasks: 100, base: 0, candidate: risen, risen, fallen: 0 },
    { probe: "neglect", kind: "price", tasks: 100, base: 50, candidate: 40, risen: 5, fallen: 15 },
  ];
  const settings = (tasks: number | null) =>
    call("PUT", `/v1/operator/sites/${DEFAULT_SITE}`, {
      ...asOperator,
      body: { settings: { gateProbeTasks: tasks } },
    });
  let step = 0;
  const published = async (more: Partial<EvaluationResult>) => {
    step += 1;
    const evaluation = { ...passed(0), ...more };
    return post(await makePublication(baseModel, { step, evaluation }));
  };
  // A fault that the trainer found, which no setting has to ask for.
  expect(await published({ probes: probes(20) })).toMatchObject(refusedWith("GATE_NOT_PASSED"));
  expect((await settings(100)).status).toBe(200);
  const without = await published({});
  expect(without).toMatchObject(refusedWith("GATE_NOT_PASSED"));
  expect(JSON.stringify(without.body)).toContain("needs probes on 100 tasks");
  const begging = await published({ probes: probes(20) });
  expect(JSON.stringify(begging.body)).toContain("asked for a thumb or a rating at 20 of 100");
  expect((await published({ probes: probes(0) })).status).toBe(200);
  expect((await list()).policies[0]).toMatchObject({ evaluation: { probes: probes(0) } });
  expect((await settings(101)).status).toBe(200);
  expect(await published({ probes: probes(0) })).toMatchObject(refusedWith("GATE_NOT_PASSED"));
  await settings(null);
});

test("every override is in the audit log with the operator's name and reason", async () => {
  const as = { ...asOperator, headers: { [OPERATOR_NAME_HEADER]: "Ada" } };
  const promoteAs = (version: number, body: object) =>
    ask("POST", `/v1/operator/policies/${version}/promote`, { ...as, body });
  const guidance = await putBytes(new TextEncoder().encode("text"));
  const text = { adapter: null, guidance, evaluation: null, step: 0, withoutEvaluation: true };
  expect((await post(await makePublication(baseModel, text))).status).toBe(200);
  await promoteAs(1, { withoutEvaluation: true, reason: "read by two people" });
  await publish(2, baseModel);
  await promote(2);
  await publish(3, baseModel);
  await rollBack(2);
  await promoteAs(3, { withoutEvaluation: true, allowDescendant: true, rolledBack: true });
  await promoteAs(2, { rolledBack: true, reason: "2 was fine" });
  const { entries } = await ask<AuditResponse>("GET", "/v1/operator/audit", asOperator);
  const said = entries
    .toReversed()
    .filter(({ reason }) => reason !== "")
    .map(({ by, action, version, reason }) => [by, action, version, reason]);
  expect(said).toEqual([
    ["trainer", "publish", 1, "withoutEvaluation"],
    ["Ada", "promote", 1, "withoutEvaluation: read by two people"],
    ["Ada", "promote", 3, "allowDescendant, rolledBack, withoutEvaluation"],
    ["Ada", "promote", 2, "rolledBack: 2 was fine"],
  ]);
});

/** The binding; the process dies after its named method. */
function dyingAfter<T extends object>(target: T, method: string): T {
  return new Proxy(target, {
    get(object, name) {
      const member: unknown = Reflect.get(object, name);
      if (typeof member !== "function") return member;
      if (name !== method) return member.bind(object) as unknown;
      return async (...args: unknown[]) => {
        await (member as (...all: unknown[]) => unknown).apply(object, args);
        throw new Error("killed");
      };
    },
  });
}

for (const boundary of ["put", "row"] as const) {
  fault(
    `the Worker ends after the ${boundary} of an upload`,
    { item: "2.1", before: "0 tests of this boundary" },
    async () => {
      const { token, visitorId } = await openSession();
      const example = await makeUpload(baseModel, await assign(token));
      const { OBJECTS, DB } = bindings;
      const stores =
        boundary === "put"
          ? { OBJECTS: dyingAfter(OBJECTS, "put"), DB: rows }
          : { OBJECTS, DB: siteDatabase(dyingAfter(DB, "batch"), DEFAULT_SITE) };
      await expect(
        ingest(
          stores,
          visitorId,
          { trajectories: [example] },
          { groupBytes: 1_000_000, consentDays: 400, level: "full", now: Date.now() },
        ),
      ).rejects.toThrow("killed");
      const { results } = await upload(token, example);
      const again = await upload(token, example);
      expect(again.results[0]?.status).toBe("duplicate");
      const kept = await stored();
      const object = await OBJECTS.list({ prefix: "trajectories/" });
      const body = await (await OBJECTS.get(object.objects[0]?.key ?? ""))?.text();
      expect(await sha256(body ?? "")).toBe(example.digest);
      return {
        after: `sent again: ${results[0]?.status}; ${kept.rows} row, ${kept.objects} object`,
        lost: 1 - kept.rows,
        twice: kept.rows - 1,
      };
    },
  );
}
