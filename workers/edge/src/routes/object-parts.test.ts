/** Uploads of objects in parts, over HTTP to the real Worker with real R2. */
import { runInDurableObject } from "cloudflare:test";
import {
  type AuditResponse,
  DEFAULT_SITE,
  MAX_PART_BYTES,
  type ObjectPartsResponse,
  sha256,
  type UnfinishedObjectsResponse,
} from "@waggle/protocol";
import { beforeEach, expect, test } from "vitest";
import { coordinatorOf } from "../coordinator.ts";
import { ask, asOperator, asTrainer, bindings, call, freshEdge } from "../testing/edge.ts";
import { makeSite } from "../testing/sites.ts";

const DAY = 86_400_000;
const PART_BYTES = 100_000;
/** Three parts; the last one is shorter. */
const BYTES = Uint8Array.from({ length: 2 * PART_BYTES + 77 }, (_, i) => (i * i + 7 * i) % 251);
const PARTS = [0, 1, 2].map((i) => BYTES.slice(i * PART_BYTES, (i + 1) * PART_BYTES));

let object = "";
let parts: string[] = [];
beforeEach(async () => {
  await freshEdge();
  object = await sha256(BYTES);
  parts = await Promise.all(PARTS.map((part) => sha256(part)));
});

const pathOf = (hash: string): string => `/v1/trainer/objects/${hash}`;
const put = (index: number, options = asTrainer) =>
  call("PUT", `${pathOf(object)}/parts/${parts[index]}`, {
    ...options,
    raw: PARTS[index] as Uint8Array<ArrayBuffer>,
  });
const putAll = async (options = asTrainer): Promise<void> => {
  for (const index of PARTS.keys()) expect((await put(index, options)).status).toBe(200);
};
const assemble = (order = parts, options = asTrainer) =>
  call("POST", `${pathOf(object)}/assemble`, { ...options, body: { parts: order } });
const storedParts = async (): Promise<string[]> => {
  const path = `${pathOf(object)}/parts`;
  const { parts: stored } = await ask<ObjectPartsResponse>("GET", path, asTrainer);
  return stored.map((part) => part.sha256).toSorted();
};
const read = async (): Promise<Uint8Array | null> => {
  const object_ = await bindings.OBJECTS.get(`objects/${object}`);
  return object_ && new Uint8Array(await object_.arrayBuffer());
};
const expire = (at: number): Promise<number> =>
  runInDurableObject(coordinatorOf(bindings, DEFAULT_SITE), (coordinator) =>
    coordinator.expire(at),
  );
const refused = (status: number, code: string) => ({ status, body: { error: { code } } });

test("parts become the object in their order, and pages read it", async () => {
  await putAll();
  expect(await assemble()).toMatchObject({ status: 200, body: { sizeBytes: BYTES.length } });
  expect(await read()).toEqual(BYTES);
  const range = { headers: { range: `bytes=${PART_BYTES - 2}-${PART_BYTES + 1}` } };
  expect((await call("GET", `/v1/objects/${object}`, range)).status).toBe(206);
  expect(await storedParts()).toEqual([]);
});

test("an upload that was killed goes on with the missing parts, and nothing is readable before", async () => {
  await put(1);
  expect(await storedParts()).toEqual([parts[1]]);
  expect(await assemble()).toMatchObject(refused(404, "NOT_FOUND"));
  expect(await read()).toBeNull();
  await put(0);
  await put(2);
  expect((await assemble()).status).toBe(200);
  expect(await read()).toEqual(BYTES);
});

test("an upload that was killed after its last answer is completed by repeating it", async () => {
  await putAll();
  await assemble();
  await put(0);
  expect(await assemble()).toMatchObject({ status: 200, body: { sizeBytes: BYTES.length } });
  expect(await storedParts()).toEqual([]);
});

test("a damaged part is refused and not stored", async () => {
  const damaged = BYTES.slice(0, PART_BYTES);
  damaged[5] = 1 + (damaged[5] ?? 0);
  const reply = await call("PUT", `${pathOf(object)}/parts/${parts[0]}`, {
    ...asTrainer,
    raw: damaged,
  });
  expect(reply).toMatchObject(refused(400, "DIGEST_MISMATCH"));
  expect(await storedParts()).toEqual([]);
});

test("parts in another order are refused, and the right order still works", async () => {
  await putAll();
  const swapped = [parts[1], parts[0], parts[2]] as string[];
  expect(await assemble(swapped)).toMatchObject(refused(400, "DIGEST_MISMATCH"));
  expect(await read()).toBeNull();
  expect((await assemble()).status).toBe(200);
  expect(await read()).toEqual(BYTES);
});

test("two trainers can upload one object at once", async () => {
  await Promise.all([putAll(), putAll()]);
  const replies = await Promise.all([assemble(), assemble()]);
  expect(replies.map(({ status }) => status)).toEqual([200, 200]);
  expect(await read()).toEqual(BYTES);
  expect(await storedParts()).toEqual([]);
});

test("a site's parts are its own, and its object is found by pages", async () => {
  const desk = await makeSite("desk");
  await putAll();
  expect(await assemble(parts, desk.trainer)).toMatchObject(refused(404, "NOT_FOUND"));
  await putAll(desk.trainer);
  expect((await assemble(parts, desk.trainer)).status).toBe(200);
  expect((await call("GET", `/v1/objects/${object}`)).status).toBe(200);
  expect(await storedParts()).toHaveLength(PARTS.length);
});

test("an operator sees unfinished uploads and ends one", async () => {
  await put(0);
  await put(2);
  const listed = await ask<UnfinishedObjectsResponse>(
    "GET",
    "/v1/operator/unfinished-objects",
    asOperator,
  );
  expect(listed.objects).toEqual([
    {
      sha256: object,
      parts: 2,
      sizeBytes: PART_BYTES + 77,
      lastPartAt: expect.stringMatching(/^\d{4}-/),
    },
  ]);
  const path = `/v1/operator/unfinished-objects/${object}`;
  expect(await ask("DELETE", path, asOperator)).toEqual({ parts: 2 });
  expect(await call("DELETE", path, asOperator)).toMatchObject(refused(404, "NOT_FOUND"));
  await put(1);
  expect(await assemble()).toMatchObject(refused(404, "NOT_FOUND"));
  const { entries } = await ask<AuditResponse>("GET", "/v1/operator/audit", asOperator);
  expect(entries[0]).toMatchObject({
    action: "delete-unfinished-object",
    reason: `2 parts of ${object.slice(0, 12)}`,
  });
});

test("parts that were given up are deleted after a week, and others are not", async () => {
  await put(0);
  const now = Date.now();
  await expire(now + 6 * DAY);
  expect(await storedParts()).toEqual([parts[0]]);
  const alarm = await runInDurableObject(coordinatorOf(bindings, DEFAULT_SITE), (_, state) =>
    state.storage.getAlarm(),
  );
  expect(alarm).not.toBeNull();
  await expire(now + 8 * DAY);
  expect(await storedParts()).toEqual([]);
});

test("a part above the limit and names that are no hashes are refused", async () => {
  const large = new Uint8Array(MAX_PART_BYTES + 1);
  const path = `${pathOf(object)}/parts/${await sha256(large)}`;
  expect(await call("PUT", path, { ...asTrainer, raw: large })).toMatchObject(
    refused(413, "PAYLOAD_TOO_LARGE"),
  );
  for (const bad of [`${pathOf("x")}/parts/${parts[0]}`, `${pathOf(object)}/parts/..%2Fx`]) {
    const reply = await call("PUT", bad, { ...asTrainer, raw: "x" });
    expect(reply).toMatchObject(refused(400, "SCHEMA_INVALID"));
  }
  expect(await assemble([])).toMatchObject(refused(400, "SCHEMA_INVALID"));
  expect((await call("GET", `${pathOf(object)}/parts`)).status).toBe(401);
});
