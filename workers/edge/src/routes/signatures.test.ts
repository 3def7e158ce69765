/** Signed versions: what the edge takes from a trainer, what it gives to pages, and which version it may return to. */
import {
  type AuditResponse,
  DEFAULT_SITE,
  type PoliciesResponse,
  type PolicyManifest,
  type PolicySignatures,
  type PublishRequest,
} from "@waggle/protocol";
import {
  createPublisherKeys,
  type PublisherKeys,
  signerOf,
  signPolicy,
} from "@waggle/protocol/signing";
import { beforeEach, expect, test } from "vitest";
import {
  asOperator,
  ask,
  asTrainer,
  call,
  freshEdge,
  makePublication,
  openSession,
  publish,
  putBytes,
} from "../testing/edge.ts";

let baseModel = "";
let keys: PublisherKeys;
let files: { path: string; sha256: string; sizeBytes: number }[] = [];

const settings = (change: object) =>
  ask("PUT", "/v1/operator/sites/default", { ...asOperator, body: { settings: change } });
const policies = () => ask<PoliciesResponse>("GET", "/v1/trainer/policies", asTrainer);
const post = (body: object) => call("POST", "/v1/trainer/policies", { ...asTrainer, body });
const promote = (version: number, body: object = {}) =>
  call("POST", `/v1/operator/policies/${version}/promote`, { ...asOperator, body });
const promoteAsTrainer = (version: number) =>
  call("POST", `/v1/trainer/policies/${version}/promote`, asTrainer);
const rollBack = (version: number) =>
  ask("POST", `/v1/operator/policies/${version}/roll-back`, asOperator);
const manifest = (query: string) =>
  ask<PolicyManifest>("GET", `/v1/policies/stable${query}`).then(({ policy, signature }) => ({
    version: policy.version,
    signature,
  }));
const invalid = (message: string) => ({
  status: 403,
  body: { error: { code: "SIGNATURE_INVALID", message: expect.stringContaining(message) } },
});

type Edit = { version?: number; signedAt?: number; site?: string; privateKey?: string };

async function signed(request: PublishRequest, edit: Edit = {}): Promise<PublishRequest> {
  const { newest = 0, policies: known } = await policies();
  const { parent, adapter, guidance } = request;
  const rollBackTo = known.filter((one) => one.status !== "rolled-back").map((one) => one.version);
  const { version = newest + 1, site = DEFAULT_SITE, signedAt = Date.now() } = edit;
  const signature = await signPolicy(
    edit.privateKey ?? keys.privateKey,
    { site, version, parent, baseModel, adapter, ...(guidance ? { guidance } : {}) },
    { signedAt, rollBackTo },
  );
  return { ...request, signature };
}

/** Publishes a signed version and makes it stable. */
async function release(step: number): Promise<void> {
  const body = await signed(await makePublication(baseModel, { step }));
  const reply = await post(body);
  expect(reply).toMatchObject({ status: 200, body: { version: step } });
  expect(await promoteAsTrainer(step)).toMatchObject({ status: 200 });
}

async function signBase() {
  const signature = await signPolicy(
    keys.privateKey,
    { site: DEFAULT_SITE, version: 0, parent: null, baseModel, adapter: null },
    { signedAt: Date.now(), rollBackTo: [] },
  );
  return { baseModel: { sha256: baseModel, files }, vocabularySize: 100, signature };
}

beforeEach(async () => {
  baseModel = await freshEdge();
  keys = await createPublisherKeys();
  files = [{ path: "config.json", ...(await putBytes(new TextEncoder().encode("{}"))) }];
  await settings({ publisherKeys: [keys.publicKey] });
});

test("a site with a publisher key takes signed versions, and gives the signature to pages that ask for it", async () => {
  await ask("PUT", "/v1/trainer/base-model", { ...asTrainer, body: await signBase() });
  await release(1);
  const { version, signature } = await manifest("?signed=1");
  expect(version).toBe(1);
  const { policies: known } = await policies();
  const { adapter, parent } = known[0]!;
  const policy = { site: DEFAULT_SITE, version: 1, parent, baseModel, adapter };
  expect(await signerOf([keys.publicKey], policy, signature!)).toBe(keys.publicKey);
  // Pages of the previous release reject a manifest with a member that they do not know.
  expect((await manifest("")).signature).toBeUndefined();
  const { token } = await openSession();
  const bySession = await ask<PolicyManifest>("GET", "/v1/policy?signed=1", { token });
  expect(bySession.signature).toEqual(signature);
  // While the kill switch is on, pages get the base with its own signature.
  await ask("PUT", "/v1/operator/kill-switch", {
    ...asOperator,
    body: { mode: "base", reason: "" },
  });
  const base = await manifest("?signed=1");
  const zero = { site: DEFAULT_SITE, version: 0, parent: null, baseModel, adapter: null };
  expect(await signerOf([keys.publicKey], zero, base.signature!)).toBe(keys.publicKey);
});

test.each<[string, Edit | null, string]>([
  ["without a signature", null, "is not signed"],
  ["of another key", { privateKey: "other" }, "is not of a key"],
  ["for another number", { version: 2 }, "is not of a key"],
  ["for another site", { site: "desk" }, "is not of a key"],
  ["of tomorrow", { signedAt: Date.now() + 86_400_000 }, "in the future"],
])("a version %s is refused and not served", async (_, edit, message) => {
  const request = await makePublication(baseModel);
  const other = await createPublisherKeys();
  const given = edit?.privateKey === undefined ? edit : { privateKey: other.privateKey };
  const body = given === null ? request : await signed(request, given);
  expect(await post(body)).toMatchObject(invalid(message));
  expect((await policies()).canary).toBe(0);
});

test("a signature holds for its adapter only, and a failed candidate needs none and keeps none", async () => {
  const request = await signed(await makePublication(baseModel, { step: 1 }));
  const stored = await putBytes(new TextEncoder().encode("another adapter"));
  const swapped = { ...request, adapter: { ...stored, rank: 4, alpha: 8 } };
  expect(await post(swapped)).toMatchObject(invalid("is not of a key"));
  expect(await post({ ...request, status: "rolled-back" })).toMatchObject({ status: 200 });
  const { signatures } = await ask<PolicySignatures>("GET", "/v1/trainer/signatures", asTrainer);
  expect(signatures).toEqual([]);
});

test("the base model of a site with a publisher key must be signed", async () => {
  const body = await signBase();
  const { signature: _, ...unsigned } = body;
  const put = (given: object) =>
    call("PUT", "/v1/trainer/base-model", { ...asTrainer, body: given });
  expect(await put(unsigned)).toMatchObject(invalid("version 0 is not signed"));
  expect(await put(body)).toMatchObject({ status: 200 });
});

test("a version that was signed earlier than one that pages may have seen is refused", async () => {
  const early = Date.now() - 60_000;
  await release(1);
  const late = await signed(await makePublication(baseModel, { step: 2 }), { signedAt: early });
  expect(await post(late)).toMatchObject(invalid("was signed before version 1"));
});

test("an operator rolls back to a version that the newest signature names", async () => {
  for (const step of [1, 2, 3]) await release(step);
  await rollBack(3);
  expect((await manifest("?signed=1")).version).toBe(2);
  await rollBack(2);
  expect((await manifest("?signed=1")).version).toBe(1);
  const { signature } = await manifest("?signed=1");
  expect(signature?.rollBackTo).toEqual([0]);
});

test("the edge does not promote what pages would refuse, until it is signed again", async () => {
  await release(1);
  await rollBack(1);
  await release(2);
  expect((await manifest("?signed=1")).version).toBe(2);
  const anyway = { rolledBack: true };
  const message = "run waggle sign-policies --again 1";
  expect(await promote(1, anyway)).toMatchObject(invalid(message));
  const { adapter, parent } = (await policies()).policies.find(({ version }) => version === 1)!;
  const signature = await signPolicy(
    keys.privateKey,
    { site: DEFAULT_SITE, version: 1, parent, baseModel, adapter },
    { signedAt: Date.now() + 1, rollBackTo: [0, 2] },
  );
  await ask("PUT", "/v1/trainer/signatures", {
    ...asTrainer,
    body: { signatures: [{ version: 1, signature }] },
  });
  expect(await promote(1, anyway)).toMatchObject({ status: 200 });
  const { entries } = await ask<AuditResponse>("GET", "/v1/operator/audit", asOperator);
  expect(entries.slice(0, 2)).toMatchObject([
    { action: "promote", version: 1 },
    { action: "sign", version: 1, by: "trainer" },
  ]);
});

test("two keys are valid at a time, and a removed one no longer is", async () => {
  await release(1);
  const next = await createPublisherKeys();
  await settings({ publisherKeys: [keys.publicKey, next.publicKey] });
  await release(2);
  keys = next;
  await release(3);
  await settings({ publisherKeys: [next.publicKey] });
  await release(4);
  expect((await manifest("?signed=1")).version).toBe(4);
});

test("a site without publisher keys takes unsigned versions and serves them without a signature", async () => {
  await settings({ publisherKeys: null });
  await publish(1, baseModel);
  expect(await promoteAsTrainer(1)).toMatchObject({ status: 200 });
  expect(await manifest("?signed=1")).toEqual({ version: 1, signature: undefined });
});
