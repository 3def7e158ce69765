import type { DeletionResponse, RenewResponse } from "@waggle/protocol";
import {
  ask,
  assign,
  asTrainer,
  bindings,
  call,
  freshEdge,
  lease,
  makeUpload,
  NOTHING,
  openSession,
  publish,
  stored,
  type Upload,
  upload,
  work,
} from "../testing/edge.ts";
import { beforeEach, describe, expect, test } from "vitest";

let baseModel = "";
let token = "";

beforeEach(async () => {
  baseModel = await freshEdge();
  token = (await openSession()).token;
});

const AT = "2026-11-20T12:00:00.000Z";

const feedbackOn = (example: Upload, id: string = crypto.randomUUID()) => ({
  id,
  trajectoryId: example.trajectory.id,
  kind: "thumb-up",
  at: AT,
});

const give = (body: unknown, as = token) => call("POST", "/v1/feedback", { token: as, body });

describe("feedback", () => {
  test("is joined by id, whether it arrives before or after the trajectory", async () => {
    const example = await makeUpload(baseModel, null);
    const before = feedbackOn(example);
    await give(before);
    await upload(token, example);
    const after = { ...feedbackOn(example), kind: "retry" };
    await give(after);
    const { groups } = await lease();
    expect(groups[0]?.trajectories[0]?.feedback).toEqual([before, after]);
  });

  test("succeeds when repeated, and is a replay with other content under the same id", async () => {
    const example = await makeUpload(baseModel, null);
    const one = feedbackOn(example);
    expect((await give(one)).status).toBe(200);
    expect((await give(one)).status).toBe(200);
    const changed = await give({ ...one, kind: "thumb-down" });
    expect(changed).toMatchObject({ status: 409, body: { error: { code: "REPLAYED" } } });
  });

  test("of another visitor does not reach the trainer", async () => {
    const example = await makeUpload(baseModel, null);
    await upload(token, example);
    await give({ ...feedbackOn(example), kind: "thumb-down" }, (await openSession()).token);
    const { groups } = await lease();
    expect(groups[0]?.trajectories[0]?.feedback).toEqual([]);
  });
});

describe("forget me", () => {
  const forget = (): Promise<DeletionResponse> => ask("DELETE", "/v1/visitor", { token });

  test("deletes rows, objects, feedback and assignments of the visitor and no others", async () => {
    const example = await makeUpload(baseModel, null);
    await upload(token, example);
    await work(token, baseModel);
    await give(feedbackOn(example));
    const other = (await openSession()).token;
    await work(other, baseModel);
    expect(await forget()).toEqual({
      deletedTrajectories: 2,
      deletedFeedback: 1,
      deletedOutcomes: 0,
      learnedBy: [],
    });
    expect(await stored()).toEqual({ rows: 1, objects: 1 });
    const left = await bindings.DB.prepare("SELECT COUNT(*) AS n FROM assignments").first("n");
    expect(left).toBe(1);
    expect(await forget()).toEqual({
      deletedTrajectories: 0,
      deletedFeedback: 0,
      deletedOutcomes: 0,
      learnedBy: [],
    });
  });

  test("returns every version published since the first step that learned from the visitor", async () => {
    await publish(1, baseModel, 3);
    const digests = [await makeUpload(baseModel, null), await makeUpload(baseModel, null)];
    await upload(token, ...digests);
    const { leaseId, fencingToken } = await lease();
    const outcomes = digests.map(({ digest }, i) => ({ digest, status: "learned", step: 5 + i }));
    await ask("POST", `/v1/trainer/leases/${leaseId}/acknowledge`, {
      ...asTrainer,
      body: { fencingToken, outcomes },
    });
    await publish(2, baseModel, 6);
    await publish(3, baseModel, 9);
    expect((await forget()).learnedBy).toEqual([2, 3]);
  });

  test("is not undone by the acknowledgement of a lease", async () => {
    const example = await makeUpload(baseModel, null);
    await upload(token, example);
    const { leaseId, fencingToken } = await lease();
    await forget();
    const answer = await ask("POST", `/v1/trainer/leases/${leaseId}/acknowledge`, {
      ...asTrainer,
      body: { fencingToken, outcomes: [{ digest: example.digest, status: "learned", step: 1 }] },
    });
    expect(answer).toEqual({ acknowledged: 0, twice: 0 });
    expect(await stored()).toEqual(NOTHING);
  });

  test("returns steps that learned during the lease anyway when it is repeated", async () => {
    const example = await makeUpload(baseModel, null);
    await upload(token, example);
    const { leaseId, fencingToken } = await lease();
    expect((await forget()).learnedBy).toEqual([]);
    await ask("POST", `/v1/trainer/leases/${leaseId}/acknowledge`, {
      ...asTrainer,
      body: { fencingToken, outcomes: [{ digest: example.digest, status: "learned", step: 4 }] },
    });
    await publish(1, baseModel, 3);
    await publish(2, baseModel, 4);
    expect((await forget()).learnedBy).toEqual([2]);
    expect((await forget()).learnedBy).toEqual([2]);
  });

  test("does so also if the lease was lost before the acknowledgement", async () => {
    const example = await makeUpload(baseModel, null);
    await upload(token, example);
    const { leaseId, fencingToken } = await lease();
    await forget();
    await bindings.DB.prepare("UPDATE leases SET expiresAt = 0").run();
    await lease();
    const reply = await call("POST", `/v1/trainer/leases/${leaseId}/acknowledge`, {
      ...asTrainer,
      body: { fencingToken, outcomes: [{ digest: example.digest, status: "learned", step: 4 }] },
    });
    expect(reply).toMatchObject({ status: 200, body: { acknowledged: 0, twice: 0 } });
    await publish(1, baseModel, 4);
    expect((await forget()).learnedBy).toEqual([1]);
  });

  test("is reported by the renewal of a lease", async () => {
    const example = await makeUpload(baseModel, null);
    await upload(token, example);
    await upload((await openSession()).token, await makeUpload(baseModel, null));
    const { leaseId, fencingToken } = await lease();
    const renew = () =>
      ask<RenewResponse>("POST", `/v1/trainer/leases/${leaseId}/renew`, {
        ...asTrainer,
        body: { fencingToken, durationSeconds: 60 },
      });
    expect((await renew()).forgotten).toEqual([]);
    await forget();
    expect((await renew()).forgotten).toEqual([example.digest]);
  });

  test("stores nothing of an upload in progress and leaves no object", async () => {
    const example = await makeUpload(baseModel, null);
    await forget();
    const reply = await call("POST", "/v1/trajectories", {
      token,
      body: { trajectories: [example] },
    });
    expect(reply).toMatchObject({ status: 403, body: { error: { code: "CONSENT_MISSING" } } });
    expect(await stored()).toEqual(NOTHING);
  });

  test("makes a returning visitor a new one", async () => {
    const first = await openSession();
    await ask("DELETE", "/v1/visitor", { token: first.token });
    expect((await openSession(first.visitorToken)).visitorId).not.toBe(first.visitorId);
  });

  test("invalidates earlier assignments", async () => {
    const old = await makeUpload(baseModel, await assign(token));
    await forget();
    const reply = await call("POST", "/v1/trajectories", { token, body: { trajectories: [old] } });
    expect(reply).toMatchObject({ body: { error: { code: "ASSIGNMENT_MISMATCH" } } });
  });
});
