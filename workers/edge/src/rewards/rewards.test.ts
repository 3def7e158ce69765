/** Perturbations that an edge assigns, and the rewards that it takes for them. */
import {
  type AssignmentResponse,
  type Consent,
  type DeletionResponse,
  type Perturbation,
  type RewardsResponse,
  type SessionResponse,
} from "@waggle/protocol";
import { beforeEach, expect, test } from "vitest";
import {
  agree,
  ask,
  asOperator,
  asTrainer,
  bindings,
  call,
  freshEdge,
  makeUpload,
  NOTHING,
  openSession,
  publish,
  type Reply,
  rows,
  stored,
  upload,
} from "../testing/edge.ts";
import { feedbackOn } from "../testing/feedback.ts";
import { makeSite } from "../testing/sites.ts";
import { coordinatorOf } from "../coordinator.ts";

let baseModel = "";
let visitor: SessionResponse;

beforeEach(async () => {
  baseModel = await freshEdge();
  await set({ collect: "rewards", perturbationScale: 0.25 });
  visitor = await openSession();
});

const set = (settings: object) =>
  ask("PUT", "/v1/operator/sites/default", { ...asOperator, body: { settings } });

/** Publishes version 1 and makes it stable. */
async function publishStable(version = 1): Promise<void> {
  await publish(version, baseModel);
  await ask("POST", `/v1/trainer/policies/${version}/promote`, asTrainer);
}

const task = (version: number, token = visitor.token): Promise<Reply> =>
  call("POST", `/v1/assignments?version=${version}`, { token });

type Given = AssignmentResponse & { readonly perturbation: Perturbation };
const given = async (version = 1, token = visitor.token): Promise<Given> =>
  (await task(version, token)).body as Given;

const reward = (assignmentId: string, value: unknown, token = visitor.token): Promise<Reply> =>
  call("POST", "/v1/rewards", { token, body: { assignmentId, reward: value } });

const rewards = async (version = 1): Promise<RewardsResponse["rewards"]> =>
  (await ask<RewardsResponse>("GET", `/v1/trainer/rewards?version=${version}`, asTrainer)).rewards;

test("pages get perturbations of the stable version in pairs that share task, noise and sampling seed", async () => {
  await publishStable();
  const slots: Given[] = [];
  for (let slot = 0; slot < 4; slot++) slots.push(await given());
  const [first, mirrored, third, fourth] = slots;
  expect(first?.perturbation).toMatchObject({ policyVersion: 1, direction: 1, scale: 0.25 });
  expect(mirrored).toMatchObject({
    groupId: first?.groupId,
    task: first?.task,
    samplingSeed: first?.samplingSeed,
    perturbation: { ...first?.perturbation, direction: -1 },
  });
  expect(third?.perturbation.seed).not.toBe(first?.perturbation.seed);
  expect(third?.samplingSeed).not.toBe(first?.samplingSeed);
  expect(fourth?.perturbation).toEqual({ ...third?.perturbation, direction: -1 });
});

test("a page whose version is not stable, or has no adapter, gets no task", async () => {
  expect((await task(0)).status).toBe(204);
  await publishStable();
  expect((await task(0)).status).toBe(204);
  expect((await call("POST", "/v1/assignments", { token: visitor.token })).status).toBe(204);
  expect((await task(1)).status).toBe(200);
  for (const version of ["", "x", "-1", "1.5", "1e99"]) {
    const reply = await call("POST", `/v1/assignments?version=${version}`, {
      token: visitor.token,
    });
    expect(reply.status).toBe(400);
  }
});

test("control: a site that collects trajectories assigns no perturbation and takes no reward", async () => {
  await publishStable();
  const { assignmentId } = await given();
  await set({ collect: "full" });
  expect(await given()).not.toHaveProperty("perturbation");
  expect((await reward(assignmentId, 1)).status).toBe(403);
  const reply = await call("GET", "/v1/trainer/rewards?version=1", asTrainer);
  expect(reply.body).toMatchObject({ error: { code: "FORBIDDEN" } });
});

test("a reward is stored once, with its visitor and perturbation, for the trainer of that version", async () => {
  await publishStable();
  const { assignmentId, perturbation } = await given();
  expect((await reward(assignmentId, 0.5)).status).toBe(200);
  expect((await reward(assignmentId, 0.5)).status).toBe(200);
  const other = await reward(assignmentId, 1);
  expect(other.body).toMatchObject({ error: { code: "REPLAYED" } });
  const { visitorId } = visitor;
  expect(await rewards()).toMatchObject([{ assignmentId, visitorId, perturbation, reward: 0.5 }]);
  expect(await rewards(2)).toEqual([]);
});

test("a reward names the network of its sender, which is a whole /48 of IPv6 as for trajectories", async () => {
  await publishStable();
  for (const address of ["2001:db8:1:2::1", "2001:db8:1:3::1", "2001:db8:2:3::1", undefined]) {
    const { assignmentId } = await given();
    await call("POST", "/v1/rewards", {
      token: visitor.token,
      body: { assignmentId, reward: 1 },
      ...(address !== undefined && { headers: { "cf-connecting-ip": address } }),
    });
  }
  const [first, second, third, fourth] = await rewards();
  expect(first?.network).toMatch(/^[0-9a-f]{64}$/);
  expect(second?.network).toBe(first?.network);
  expect(third?.network).not.toBe(first?.network);
  expect(fourth).not.toHaveProperty("network");
});

test("a trainer gets the newest 4096 rewards of a version, oldest first", async () => {
  await publishStable();
  const { groupId, perturbation } = await given();
  await bindings.DB.prepare(
    `INSERT INTO assignments (site, id, groupId, visitorId, addressPrefix, createdAt, state, perturbation,
       perturbedVersion, reward, rewardedAt)
     WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4100)
     SELECT 'default', printf('00000000-0000-4000-8000-%012d', i), ?1, ?2, 'network', 1, 'answered', ?3, 1, 0.5, i FROM n`,
  )
    .bind(groupId, visitor.visitorId, JSON.stringify(perturbation))
    .run();
  const numbers = (await rewards()).map(({ assignmentId }) => Number(assignmentId.slice(-12)));
  expect(numbers).toEqual(Array.from({ length: 4096 }, (_, i) => i + 5));
});

test("a page of the previous release, which has no receipt, gets no task and loses none: it waits for the reload", async () => {
  await publishStable();
  const { token } = await ask<SessionResponse>("POST", "/v1/sessions", {
    body: { siteKey: "test-site" },
  });
  // Such a page asks again after an answer with this status, and shows the text to its developer.
  const refusal = {
    status: 425,
    body: {
      error: { code: "CONSENT_UNPROVEN", message: expect.stringContaining("reload the page") },
    },
  };
  expect(await task(1, token)).toMatchObject(refusal);
  await agree(token);
  const { assignmentId } = await given(1, token);
  // As after an update of the edge: the page had its task before.
  await bindings.DB.prepare("DELETE FROM consents").run();
  expect(await reward(assignmentId, 1, token)).toMatchObject(refusal);
  expect(await rewards()).toEqual([]);
  await agree(token);
  expect((await reward(assignmentId, 1, token)).status).toBe(200);
  expect(await rewards()).toHaveLength(1);
});

test("rewards need a consent that holds now and covers training", async () => {
  await publishStable();
  const open = async (consent: Partial<Consent>): Promise<string> => {
    const { token } = await ask<SessionResponse>("POST", "/v1/sessions", {
      body: { siteKey: "test-site" },
    });
    await agree(token, {
      version: "1",
      scopes: ["collect", "train"],
      grantedAt: new Date().toISOString(),
      ...consent,
    });
    return token;
  };
  const without = await open({ scopes: ["collect"], choices: true });
  expect(await task(1, without)).toMatchObject({ body: { error: { code: "CONSENT_MISSING" } } });
  const withdrawn = await open({});
  const { assignmentId } = await given(1, withdrawn);
  await bindings.DB.prepare("UPDATE consents SET withdrawnAt = 1 WHERE withdrawnAt IS NULL").run();
  for (const refused of [await reward(assignmentId, 1, withdrawn), await task(1, withdrawn)]) {
    expect(refused).toMatchObject({ status: 403, body: { error: { code: "CONSENT_MISSING" } } });
  }
  const old = await open({ grantedAt: new Date(Date.now() - 31 * 86_400_000).toISOString() });
  const before = await given(1, old);
  await set({ collect: "rewards", consentDays: 30 });
  for (const refused of [await reward(before.assignmentId, 1, old), await task(1, old)]) {
    expect(refused).toMatchObject({ status: 403, body: { error: { code: "CONSENT_EXPIRED" } } });
  }
  expect(await rewards()).toEqual([]);
});

test("rewards out of range, for tasks of others, for tasks without a perturbation and unknown ones are refused", async () => {
  await publishStable();
  const { assignmentId } = await given();
  for (const value of [-0.1, 1.1, "1", null, Number.MAX_VALUE]) {
    expect((await reward(assignmentId, value)).status).toBe(400);
  }
  const extra = { assignmentId, reward: 1, text: "hello" };
  const { token } = visitor;
  expect((await call("POST", "/v1/rewards", { token, body: extra })).status).toBe(400);
  const stranger = await openSession();
  const stolen = await reward(assignmentId, 1, stranger.token);
  expect(stolen.body).toMatchObject({ error: { code: "ASSIGNMENT_MISMATCH" } });
  const unknown = await reward(crypto.randomUUID(), 1);
  expect(unknown.body).toMatchObject({ error: { code: "ASSIGNMENT_MISMATCH" } });
  await set({ collect: "full" });
  const plain = await given();
  await set({ collect: "rewards" });
  expect((await reward(plain.assignmentId, 1)).status).toBe(stolen.status);
  expect(await rewards()).toEqual([]);
});

test("a visitor who answers nothing gets no more tasks", async () => {
  await publishStable();
  const replies: Reply[] = [];
  for (let slot = 0; slot < 17; slot++) replies.push(await task(1));
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(16);
  const [first] = replies.map(({ body }) => body as Given);
  expect((await reward(first?.assignmentId ?? "", 1)).status).toBe(200);
  expect((await task(1)).status).toBe(200);
});

test("answered groups do not count as unfinished", async () => {
  await publishStable();
  await set({ collect: "rewards" });
  const open = () =>
    rows
      .prepare("SELECT COUNT(*) AS n FROM taskGroups WHERE site = ?site AND state = 'open'")
      .bind()
      .first<number>("n");
  const ids: string[] = [];
  for (let slot = 0; slot < 8; slot++) ids.push((await given()).assignmentId);
  for (const id of ids.slice(1)) await reward(id, 1);
  expect(await open()).toBe(1);
  await reward(ids[0] as string, 0);
  expect(await open()).toBe(0);
});

test("an edge that collects rewards refuses trajectories, feedback and outcomes of pages", async () => {
  await publishStable();
  const { token } = visitor;
  const assigned = await given();
  const uploads = [
    await makeUpload(baseModel, null),
    await makeUpload(baseModel, { ...assigned }, { policyVersion: 1 }),
  ];
  for (const one of uploads) {
    const body = { trajectories: [one] };
    const { body: refused } = await call("POST", "/v1/trajectories", { token, body });
    expect(refused).toMatchObject({ error: { code: "FORBIDDEN" } });
  }
  const [live] = uploads;
  const feedback = feedbackOn((live as (typeof uploads)[number]).trajectory);
  expect((await call("POST", "/v1/feedback", { token, body: feedback })).status).toBe(403);
  expect(await stored()).toEqual(NOTHING);
  await set({ collect: "full" });
  const { results } = await upload(token, live as (typeof uploads)[number]);
  expect(results[0]?.status).toBe("accepted");
});

test("rewards are deleted with their visitor, who learns which later versions may contain them", async () => {
  await publishStable();
  const { assignmentId } = await given();
  await reward(assignmentId, 1);
  const stranger = await openSession();
  await reward((await given(1, stranger.token)).assignmentId, 0, stranger.token);
  await publishStable(2);
  const { token } = visitor;
  const { learnedBy } = await ask<DeletionResponse>("DELETE", "/v1/visitor", { token });
  expect(learnedBy).toEqual([2]);
  expect((await rewards()).map(({ visitorId }) => visitorId)).toEqual([stranger.visitorId]);
  expect((await reward(assignmentId, 1)).status).not.toBe(200);
});

test("another site reads none of the rewards, and can answer none of the tasks", async () => {
  await publishStable();
  const open = await given();
  await reward((await given()).assignmentId, 1);
  const other = await makeSite("b", { collect: "rewards" });
  const read = await call("GET", "/v1/trainer/rewards?version=1", other.trainer);
  expect(read.body).toEqual({ rewards: [], withheld: 0 });
  const own = await ask<SessionResponse>("POST", "/v1/sessions", {
    body: { siteKey: other.siteKey },
  });
  await agree(own.token);
  expect((await reward(open.assignmentId, 1, own.token)).body).toMatchObject({
    error: { code: "ASSIGNMENT_MISMATCH" },
  });
  expect(await rewards()).toHaveLength(1);
});

test("a visitor can read the rewards that are stored of them", async () => {
  await publishStable();
  const { assignmentId } = await given();
  await reward(assignmentId, 0.75);
  const { body } = await call("GET", "/v1/visitor?after=assignment.", { token: visitor.token });
  const [line = "{}"] = String(body).split("\n");
  expect(JSON.parse(line)).toMatchObject({ kind: "assignment", assignmentId, reward: 0.75 });
});

test("rewards are deleted when the retention is over", async () => {
  await publishStable();
  await reward((await given()).assignmentId, 1);
  await set({ collect: "rewards", retentionDays: 7 });
  const coordinator = coordinatorOf(bindings, "default");
  await coordinator.expire(Date.now() + 6 * 86_400_000);
  expect(await rewards()).toHaveLength(1);
  await coordinator.expire(Date.now() + 8 * 86_400_000);
  expect(await rewards()).toEqual([]);
  await publishStable(2);
  const { token } = visitor;
  const { learnedBy } = await ask<DeletionResponse>("DELETE", "/v1/visitor", { token });
  expect(learnedBy).toEqual([2]);
});

test("rewards of visitors who withdrew, allow less or agreed too long ago are withheld and counted; others are listed", async () => {
  await publishStable();
  const rewardOf = async (): Promise<{ id: string; token: string }> => {
    const { token } = await openSession();
    const { assignmentId: id } = await given(1, token);
    await reward(id, 0.5, token);
    return { id, token };
  };
  const [withdrawn, less, kept] = [await rewardOf(), await rewardOf(), await rewardOf()];
  const listed = async () => {
    const path = "/v1/trainer/rewards?version=1";
    const { rewards: all, withheld } = await ask<RewardsResponse>("GET", path, asTrainer);
    return { ids: all.map(({ assignmentId }) => assignmentId), withheld };
  };
  expect(await listed()).toEqual({ ids: [withdrawn.id, less.id, kept.id], withheld: 0 });
  const receipts = [await agree(withdrawn.token)];
  await ask("POST", "/v1/consents/withdrawals", { token: kept.token, body: { receipts } });
  const grantedAt = new Date().toISOString();
  await agree(less.token, { version: "1", scopes: ["collect"], choices: true, grantedAt });
  expect(await listed()).toEqual({ ids: [kept.id], withheld: 2 });
  await set({ consentDays: 1 });
  expect(await listed()).toEqual({ ids: [], withheld: 3 });
});
