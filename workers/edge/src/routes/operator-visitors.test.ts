import {
  type AuditResponse,
  type ConsentResponse,
  type DeletionResponse,
  type SessionResponse,
  VisitorExportLine,
} from "@waggle/protocol";
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { beforeEach, expect, test } from "vitest";
import { fault } from "../../../../test/fixtures/fault.ts";
import worker from "../testing/worker.ts";
import {
  asOperator,
  ask,
  asTrainer,
  bindings,
  call,
  freshEdge,
  lease,
  makeUpload,
  openSession,
  ORIGIN,
  publish,
  stored,
  type Upload,
  upload,
  work,
} from "../testing/edge.ts";

let baseModel = "";

beforeEach(async () => {
  baseModel = await freshEdge();
});

const of = (visitorId: string) => `/v1/operator/visitors/${visitorId}`;

async function exported(visitorId: string): Promise<VisitorExportLine[]> {
  const reply = await call("GET", `${of(visitorId)}/export`, asOperator);
  expect(reply.headers.get("content-type")).toBe("application/x-ndjson");
  const lines = String(reply.body).trimEnd().split("\n");
  return lines.map((line) => VisitorExportLine.parse(JSON.parse(line)));
}

const consentOf = (version: string) => ({
  consent: { version, scopes: ["collect", "train"] as ("collect" | "train")[], grantedAt: AT },
});
const AT = "2026-11-20T12:00:00.000Z";

fault(
  "the operator deletes one visitor and is told which versions learned from them",
  { item: "7.3", before: "0 operator endpoints; only the visitor's own page could delete" },
  async () => {
    const { token, visitorId } = await openSession();
    const example = await makeUpload(baseModel, null);
    await upload(token, example);
    await work((await openSession()).token, baseModel);
    const { leaseId, fencingToken } = await lease();
    const outcomes = [{ digest: example.digest, status: "learned", step: 2 }];
    await ask("POST", `/v1/trainer/leases/${leaseId}/acknowledge`, {
      ...asTrainer,
      body: { fencingToken, outcomes },
    });
    await publish(1, baseModel, 2);
    const answer: DeletionResponse = await ask("DELETE", of(visitorId), asOperator);
    expect(answer).toEqual({
      deletedTrajectories: 1,
      deletedFeedback: 0,
      deletedOutcomes: 0,
      learnedBy: [1],
    });
    // The visitor's own deletion afterwards returns the same, and other visitors lose nothing.
    const own: DeletionResponse = await ask("DELETE", "/v1/visitor", { token });
    expect(own.learnedBy).toEqual(answer.learnedBy);
    expect(await stored()).toEqual({ rows: 1, objects: 1 });
    return {
      after: `${answer.deletedTrajectories} deleted, learned by version ${answer.learnedBy.join()}, 1 of 1 of others kept`,
    };
  },
);

fault(
  "the operator exports all data of one visitor, even with a damaged object",
  { item: "7.3", before: "no export; one damaged object answered 500" },
  async () => {
    const { token, visitorId } = await openSession();
    const uploads: Upload[] = [];
    for (let i = 0; i < 55; i += 1) uploads.push(await makeUpload(baseModel, null));
    await upload(token, ...uploads);
    await work(token, baseModel);
    const body = {
      id: crypto.randomUUID(),
      trajectoryId: uploads[0]?.trajectory.id,
      kind: "thumb-up",
      at: AT,
    };
    await ask("POST", "/v1/feedback", { token, body });
    await upload((await openSession()).token, await makeUpload(baseModel, null));
    const damaged = `trajectories/${visitorId}/${uploads[0]?.digest}.json`;
    await bindings.OBJECTS.put(damaged, "not JSON");
    const letter = { digest: uploads[2]?.digest ?? "", reason: "check-failed", failedLeases: 2 };
    await bindings.DB.prepare("INSERT INTO deadLetters VALUES ('default', ?1, ?2, ?3, ?4, ?5)")
      .bind(letter.digest, visitorId, letter.reason, letter.failedLeases, Date.parse(AT))
      .run();

    const lines = await exported(visitorId);
    const trajectories = lines.filter((line) => line.kind === "trajectory");
    expect(trajectories).toHaveLength(56);
    expect(new Set(trajectories.map(({ row }) => row.digest)).size).toBe(56);
    expect(trajectories.every(({ row }) => row.visitorId === visitorId)).toBe(true);
    const whole = trajectories.filter(({ trajectory }) => trajectory !== null);
    expect(whole).toHaveLength(55);
    const found = whole.find(({ row }) => row.digest === uploads[1]?.digest);
    expect(found?.trajectory).toEqual(uploads[1]?.trajectory);
    expect(lines.filter(({ kind }) => kind === "feedback")).toEqual([
      { kind: "feedback", feedback: body },
    ]);
    expect(lines.filter(({ kind }) => kind === "assignment")).toHaveLength(1);
    expect(lines.filter(({ kind }) => kind === "dead-letter")).toEqual([
      { kind: "dead-letter", ...letter, diedAt: AT },
    ]);
    expect(lines[0]).toMatchObject({
      kind: "visitor",
      visitorId,
      forgotten: false,
      unusedSeeds: 0,
    });
    expect(lines[1]).toEqual({ kind: "consent", version: "1", trajectories: 56 });
    expect(lines.at(-1)).toEqual({ kind: "end", lines: lines.length - 1 });
    return { after: `${lines.length} lines, ${whole.length} whole trajectories, 1 damaged` };
  },
);

test("an export after a deletion contains no trajectory", async () => {
  const { token, visitorId } = await openSession();
  await upload(token, await makeUpload(baseModel, null));
  await ask("DELETE", of(visitorId), asOperator);
  expect((await exported(visitorId)).map(({ kind }) => kind)).toEqual(["visitor", "end"]);
});

fault(
  "consent is counted by version, with rows of the previous release as unknown",
  { item: "7.3", before: "consent versions were in the objects only; 0 of them counted" },
  async () => {
    const [one, two] = [await openSession(), await openSession()];
    await upload(one.token, await makeUpload(baseModel, null, consentOf("2026-10")));
    await upload(
      two.token,
      await makeUpload(baseModel, null, consentOf("2026-10")),
      await makeUpload(baseModel, null, consentOf("2026-11")),
      await makeUpload(baseModel, null, consentOf("2026-11")),
    );
    await bindings.DB.prepare("UPDATE trajectories SET consentVersion = NULL WHERE visitorId = ?1")
      .bind(one.visitorId)
      .run();
    const { versions }: ConsentResponse = await ask("GET", "/v1/operator/consent", asOperator);
    expect(versions).toEqual([
      { version: "2026-11", trajectories: 2, visitors: 1 },
      { version: "2026-10", trajectories: 1, visitors: 1 },
      { version: null, trajectories: 1, visitors: 1 },
    ]);
    return { after: `${versions.length} versions, ${versions[2]?.trajectories} unknown` };
  },
);

test("exports and deletions are in the audit log, without the visitor's id", async () => {
  const { visitorId } = await openSession();
  await exported(visitorId);
  await ask("DELETE", of(visitorId), asOperator);
  const audit: AuditResponse = await ask("GET", "/v1/operator/audit", asOperator);
  const actions = audit.entries.map(({ action }) => action);
  expect(actions.slice(0, 2)).toEqual(["delete-visitor", "export-visitor"]);
  expect(JSON.stringify(audit)).not.toContain(visitorId);
});

test("only the operator may ask, and only by id", async () => {
  const { token, visitorId } = await openSession();
  for (const credential of [token, bindings.TRAINER_CREDENTIAL]) {
    expect((await call("DELETE", of(visitorId), { token: credential })).status).toBe(401);
    expect((await call("GET", `${of(visitorId)}/export`, { token: credential })).status).toBe(401);
  }
  expect(await call("DELETE", of("all"), asOperator)).toMatchObject({
    status: 400,
    body: { error: { code: "SCHEMA_INVALID" } },
  });
});

fault(
  "visitors of the previous session secret can still delete after a rotation",
  { item: "7.3", before: "a new SESSION_SECRET made every visitor a new one; 0 of 1 could delete" },
  async () => {
    const before = await openSession();
    await upload(before.token, await makeUpload(baseModel, null));
    const rotated = {
      ...bindings,
      SESSION_SECRET: "the next secret of the tests, 40 letters",
      SESSION_SECRET_PREVIOUS: bindings.SESSION_SECRET,
    };
    const context = createExecutionContext();
    const send = async <T>(
      env: object,
      method: string,
      path: string,
      token: string | null,
      body?: object,
    ) => {
      const headers = {
        "content-type": "application/json",
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      };
      const init = { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) };
      const response = await worker.fetch(new Request(ORIGIN + path, init), env as never, context);
      return { status: response.status, body: (await response.json()) as T };
    };
    const open = (env: object, visitorToken: string) =>
      send<SessionResponse>(env, "POST", "/v1/sessions", null, {
        siteKey: "test-site",
        visitorToken,
      });
    const opened = (await open(rotated, before.visitorToken)).body;
    expect(opened.visitorId).toBe(before.visitorId);
    // New tokens are signed with the new secret, so that they outlive the old one.
    const { SESSION_SECRET_PREVIOUS: _, ...later } = rotated;
    expect((await open(later, opened.visitorToken)).body.visitorId).toBe(before.visitorId);
    expect((await open(later, before.visitorToken)).body.visitorId).not.toBe(before.visitorId);
    // A session from before the rotation can also delete.
    const deleted = await send<DeletionResponse>(rotated, "DELETE", "/v1/visitor", before.token);
    expect(deleted).toMatchObject({ status: 200, body: { deletedTrajectories: 1 } });
    expect((await send(later, "DELETE", "/v1/visitor", before.token)).status).toBe(401);
    await waitOnExecutionContext(context);
    return {
      after: `${deleted.body.deletedTrajectories} of 1 deleted with a token of the old secret`,
    };
  },
);
