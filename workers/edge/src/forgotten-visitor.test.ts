import type { DeletionResponse, DeletionsResponse } from "@waggle/protocol";
import { beforeEach, expect, test } from "vitest";
import { fault } from "../../../test/fixtures/fault.ts";
import {
  ask,
  asOperator,
  assign,
  bindings,
  call,
  freshEdge,
  makeUpload,
  NOTHING,
  openSession,
  publish,
  stored,
  upload,
  work,
} from "./testing/edge.ts";

let baseModel = "";

beforeEach(async () => {
  baseModel = await freshEdge();
});

const forget = (token: string) => ask<DeletionResponse>("DELETE", "/v1/visitor", { token });

const giveFeedback = (token: string) =>
  call("POST", "/v1/feedback", {
    token,
    body: {
      id: crypto.randomUUID(),
      trajectoryId: crypto.randomUUID(),
      kind: "thumb-up",
      at: "2026-11-20T12:00:00.000Z",
    },
  });

/** Every place in the database and R2 that contains the id. */
async function placesOf(visitorId: string): Promise<string[]> {
  const tables = await bindings.DB.prepare(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_%' ESCAPE '\\' AND name NOT LIKE 'sqlite%'",
  ).all<{ name: string }>();
  const places: string[] = [];
  for (const { name } of tables.results) {
    const rows = await bindings.DB.prepare(`SELECT * FROM "${name}"`).all();
    if (JSON.stringify(rows.results).includes(visitorId)) places.push(name);
  }
  const { objects } = await bindings.OBJECTS.list();
  return [...places, ...objects.map(({ key }) => key).filter((key) => key.includes(visitorId))];
}

const codeOf = (body: unknown) => (body as { error?: { code: string } }).error?.code;

fault(
  "a session that is still valid writes nothing after its visitor was forgotten",
  {
    item: "3.1",
    before: "2 of 3 writes were answered 200; feedback and assignments held the id",
  },
  async () => {
    const { token, visitorId } = await openSession();
    await work(token, baseModel);
    await giveFeedback(token);
    expect(await placesOf(visitorId)).not.toEqual([]);
    await forget(token);
    const late = await makeUpload(baseModel, null);
    const tool = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };
    const replies = [
      await giveFeedback(token),
      await call("POST", "/v1/assignments", { token }),
      await call("POST", "/v1/trajectories", { token, body: { trajectories: [late] } }),
    ];
    const accept = "application/json, text/event-stream";
    await call("POST", "/mcp", { token, body: tool, headers: { accept } });
    expect(replies.map(({ status, body }) => [status, codeOf(body)])).toEqual(
      replies.map(() => [403, "CONSENT_MISSING"]),
    );
    const places = await placesOf(visitorId);
    expect(places).toEqual([]);
    expect(await stored()).toEqual(NOTHING);
    return {
      after: `${replies.length} of ${replies.length} writes refused, ${places.length} places hold the id`,
    };
  },
);

fault(
  "requests that race with the deletion leave nothing behind",
  { item: "3.1", before: "in 6 rounds 12 places kept the visitor's id" },
  async () => {
    let refused = 0;
    let left = 0;
    for (let round = 0; round < 6; round += 1) {
      const { token, visitorId } = await openSession();
      const example = await makeUpload(baseModel, null);
      const body = { trajectories: [example] };
      const racing = [
        giveFeedback(token),
        call("POST", "/v1/assignments", { token }),
        call("POST", "/v1/trajectories", { token, body }),
        forget(token),
        giveFeedback(token),
        call("POST", "/v1/assignments", { token }),
      ];
      const replies = await Promise.all(racing);
      refused += replies.filter((reply) => "status" in reply && reply.status === 403).length;
      left += (await placesOf(visitorId)).length;
    }
    expect(left).toBe(0);
    return { after: `${refused} of 30 racing writes refused, ${left} stayed stored` };
  },
);

test("a refused assignment takes no slot and starts no group", async () => {
  const { token } = await openSession();
  await forget(token);
  await call("POST", "/v1/assignments", { token });
  const groups = () => bindings.DB.prepare("SELECT COUNT(*) FROM taskGroups").first("COUNT(*)");
  expect(await groups()).toBe(0);
  await assign((await openSession()).token);
  await call("POST", "/v1/assignments", { token });
  expect(await groups()).toBe(1);
  expect(await bindings.DB.prepare("SELECT assigned FROM taskGroups").first("assigned")).toBe(1);
});

const openVisit = (visitorToken?: string) =>
  ask<{ token: string; visitorToken: string; visitorId: string; channel: string }>(
    "POST",
    "/v1/sessions",
    {
      body: {
        siteKey: "test-site",
        remember: false,
        ...(visitorToken === undefined ? {} : { visitorToken }),
      },
    },
  );

test("a visit without consent keeps its id and channel, and nothing can be stored for it", async () => {
  const visit = await openVisit();
  const again = await openVisit(visit.visitorToken);
  expect(again).toMatchObject({ visitorId: visit.visitorId, channel: visit.channel });
  const { token, visitorId } = again;
  expect((await call("GET", "/v1/policy", { token })).status).toBe(200);
  const example = await makeUpload(baseModel, null);
  const replies = [
    await giveFeedback(token),
    await call("POST", "/v1/assignments", { token }),
    await call("POST", "/v1/trajectories", { token, body: { trajectories: [example] } }),
  ];
  expect(replies.map(({ body }) => codeOf(body))).toEqual(replies.map(() => "CONSENT_MISSING"));
  expect(await placesOf(visitorId)).toEqual([]);
});

test("tokens of a visit and of a remembered visitor are not interchangeable", async () => {
  const visit = await openVisit();
  const remembered = await openSession(visit.visitorToken);
  expect(remembered.visitorId).not.toBe(visit.visitorId);
  expect((await openVisit(remembered.visitorToken)).visitorId).not.toBe(remembered.visitorId);
});

test("pages of the first release, which do not send `remember`, keep their visitor", async () => {
  const first = await openSession();
  await upload(first.token, await makeUpload(baseModel, null));
  expect((await openSession(first.visitorToken)).visitorId).toBe(first.visitorId);
});

test("the operator sees the versions that learned from a visitor's deleted data, and none from retention", async () => {
  const seen = () => ask<DeletionsResponse>("GET", "/v1/operator/deletions", asOperator);
  const { token } = await openSession();
  const first = await makeUpload(baseModel, null);
  const second = await makeUpload(baseModel, null);
  await upload(token, first, second);
  for (const [version, { digest }] of [first, second].entries()) {
    await bindings.DB.prepare(
      "UPDATE trajectories SET status = 'learned', learnedAtStep = ?2 WHERE digest = ?1",
    )
      .bind(digest, version + 1)
      .run();
    await publish(version + 1, baseModel, version + 1);
  }
  // A tombstone that retention left.
  await bindings.DB.prepare(
    `INSERT INTO forgottenTrajectories (site, digest, visitor, learnedAtStep)
     VALUES ('default', 'd', 'another visitor', 1)`,
  ).run();
  expect(await seen()).toEqual({ visitors: 0, learned: 0, versions: [] });
  await forget(token);
  expect(await seen()).toMatchObject({
    visitors: 1,
    learned: 2,
    versions: [
      { version: 2, status: "canary", trajectories: 2 },
      { version: 1, trajectories: 1 },
    ],
  });
});
