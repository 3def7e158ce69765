/**
 * Publishing text as a version: it is published to the canary, and replays use the version's
 * guidance.
 */
import { type Guidance, readGuidance, writeGuidance } from "@waggle/protocol";
import { expect, test } from "vitest";
import { FakeEdge } from "../edge/fake-edge.fixture.ts";
import { createGuidanceCache } from "../model/guidance-cache.ts";
import { publishText } from "./publish-text.ts";

const GUIDANCE: Guidance = { formatVersion: 1, prompt: "Be brief.", lessons: [], cases: null };
const BASE = "0".repeat(64);

test("text is published, promoted and rolled back like an adapter", async () => {
  const edge = new FakeEdge([], BASE);
  const client = edge.client();
  const asked = { withoutEvaluation: true };
  const first = await publishText(writeGuidance(GUIDANCE), client, asked);
  expect(first).toMatchObject({ version: 1, parent: 0, adapter: null, baseModel: BASE });
  expect([edge.stable, edge.canary]).toEqual([0, 1]);
  await client.promote(1);
  expect(edge.stable).toBe(1);
  const cache = createGuidanceCache((digest) => client.getObject(digest));
  if (first.guidance === undefined) throw new Error("nothing said");
  expect(await cache.get(first.guidance)).toEqual(GUIDANCE);
  await client.rollBack(1);
  expect((await client.policies()).policies[0]?.status).toBe("rolled-back");
});

test("text without an evaluation is only published if the caller asks for it", async () => {
  const edge = new FakeEdge([], BASE);
  await expect(publishText(writeGuidance(GUIDANCE), edge.client())).rejects.toMatchObject({
    code: "GATE_NOT_PASSED",
  });
  expect(edge.policies).toHaveLength(1);
});

test("an invalid guidance file is refused before anything is sent", async () => {
  const edge = new FakeEdge([], BASE);
  await expect(publishText(new TextEncoder().encode("{}"), edge.client())).rejects.toMatchObject({
    code: "SCHEMA_INVALID",
  });
  expect(edge.objects.size).toBe(0);
});

test("an artifact with other bytes than its digest is refused", async () => {
  const bytes = writeGuidance({ ...GUIDANCE, prompt: "Other." });
  const cache = createGuidanceCache(async () => bytes);
  await expect(
    cache.get({ sha256: "1".repeat(64), sizeBytes: bytes.length }),
  ).rejects.toMatchObject({ code: "DIGEST_MISMATCH" });
  expect(readGuidance(bytes).prompt).toBe("Other.");
});
