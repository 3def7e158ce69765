/** Reading policies from the store, and replacing the base model. */
import type { PublishRequest } from "@waggle/protocol";
import { beforeEach, expect, test } from "vitest";
import {
  findBaseModel,
  listPolicies,
  manifestOf,
  policyHead,
  setBaseModel,
} from "./policy-store.ts";
import {
  ask,
  asTrainer,
  bindings,
  freshEdge,
  makePublication,
  publish,
  rows,
} from "./testing/edge.ts";

const GATE = { minTasks: 1, margin: 1, significance: 0 };
const { DB } = bindings;

let baseModel = "";

beforeEach(async () => {
  baseModel = await freshEdge();
});

const record = async (edit: Partial<PublishRequest>) =>
  ask("POST", "/v1/trainer/policies", {
    ...asTrainer,
    body: await makePublication(baseModel, edit),
  });

test("the base model can be replaced until a policy is published", async () => {
  const known = await findBaseModel(rows);
  if (known === null) throw new Error("there is no base model");
  const other = (sha256: string) => ({
    baseModel: { ...known.reference, sha256 },
    vocabularySize: 10,
  });
  await setBaseModel(rows, other("1".repeat(64)), Date.now());
  expect((await findBaseModel(rows))?.reference.sha256).toBe("1".repeat(64));
  await setBaseModel(rows, other(baseModel), Date.now());
  await publish(1, baseModel);
  await expect(setBaseModel(rows, other("2".repeat(64)), Date.now())).rejects.toMatchObject({
    code: "CONFLICT",
  });
  expect((await findBaseModel(rows))?.reference.sha256).toBe(baseModel);
});

test("a list without a first epoch has every version, also one that was never served", async () => {
  await record({ status: "rolled-back" });
  const { policies, epoch } = await listPolicies(rows, GATE);
  expect(policies.map(({ version, status }) => [version, status])).toEqual([
    [1, "rolled-back"],
    [0, "stable"],
  ]);
  // After the last change only the served versions are listed.
  const unchanged = await listPolicies(rows, GATE, epoch);
  expect(unchanged.policies.map(({ version }) => version)).toEqual([0]);
});

test("each channel serves its own version, and the canary channel the stable one without a canary", async () => {
  const served = async () => [
    (await manifestOf(rows, "stable")).policy.version,
    (await manifestOf(rows, "canary")).policy.version,
  ];
  expect(await served()).toEqual([0, 0]);
  await publish(1, baseModel);
  expect(await served()).toEqual([0, 1]);
  expect(await policyHead(rows)).toMatchObject({ stable: 0, canary: 1, newest: 1 });
});

test("without a stable version there is nothing to serve yet, which is worth a retry", async () => {
  await DB.prepare("DELETE FROM policies").run();
  const error = { code: "NOT_FOUND", retryable: true };
  await expect(policyHead(rows)).rejects.toMatchObject(error);
  await expect(manifestOf(rows, "stable")).rejects.toMatchObject(error);
});

test("a list has the 250 versions that changed last, and those that are served", async () => {
  const insert = DB.prepare(
    `INSERT INTO policies (site, version, baseModel, status, step, publishedAt, changedAt)
     VALUES ('default', ?1, ?2, 'retired', 0, '2026-11-20T00:00:00.000Z', ?1)`,
  );
  await DB.batch(Array.from({ length: 252 }, (_, i) => insert.bind(i + 1, baseModel)));
  const versions = (await listPolicies(rows, GATE)).policies.map(({ version }) => version);
  expect(versions).toHaveLength(251);
  expect(versions.slice(-3)).toEqual([4, 3, 0]);
});
