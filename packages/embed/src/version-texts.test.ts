import { type PolicyVersion, sha256, writeGuidance } from "@waggle/protocol";
import { expect, test } from "vitest";
import { VersionTexts } from "./version-texts.ts";

const GUIDANCE = { formatVersion: 1, prompt: "Be brief.", lessons: [], cases: null } as const;

async function published(
  version: number,
  bytes: Uint8Array<ArrayBuffer> | null,
): Promise<PolicyVersion> {
  return {
    version,
    parent: 0,
    baseModel: "0".repeat(64),
    adapter: null,
    status: "stable",
    evaluation: null,
    step: 0,
    publishedAt: "2026-11-20T00:00:00.000Z",
    ...(bytes === null
      ? {}
      : { guidance: { sha256: await sha256(bytes), sizeBytes: bytes.length } }),
  };
}

test("each version has its own guidance, and versions without guidance have none", async () => {
  const bytes = writeGuidance(GUIDANCE);
  const texts = new VersionTexts(async () => bytes);
  await texts.add(await published(0, null));
  await texts.add(await published(1, bytes));
  await texts.add(await published(2, bytes));
  expect(texts.guide(0, "k")).toBeNull();
  expect(texts.guide(1, "k")?.start("Hello.")).toBe("Be brief.");
  expect([texts.startsAlike(0, 1), texts.startsAlike(1, 2), texts.startsAlike(2, 0)]).toEqual([
    false,
    true,
    false,
  ]);
});

test.each([
  ["is no guidance", new TextEncoder().encode('{"formatVersion":1}')],
  [
    "chooses cases in an unknown way",
    writeGuidance({
      ...GUIDANCE,
      cases: {
        memory: {
          cases: [{ id: "k", situation: "s", action: "a", reward: 1, value: 1, reads: 0 }],
          written: 1,
        },
        policy: { weights: [1], temperature: 1 },
      },
    }),
  ],
])("a version whose guidance %s is refused, and the earlier one stays", async (_, bytes) => {
  const texts = new VersionTexts(async () => bytes);
  await expect(texts.add(await published(1, bytes))).rejects.toMatchObject({
    code: "SCHEMA_INVALID",
  });
  expect(texts.guide(1, "k")).toBeNull();
});

test("guidance of old versions is dropped", async () => {
  const bytes = writeGuidance(GUIDANCE);
  const texts = new VersionTexts(async () => bytes);
  for (let version = 0; version < 10; version += 1)
    await texts.add(await published(version, bytes));
  expect([texts.guide(0, "k"), texts.guide(1, "k")]).toEqual([null, null]);
  expect(texts.guide(9, "k")).not.toBeNull();
});
