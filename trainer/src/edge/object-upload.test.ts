import { sha256 } from "@waggle/protocol";
import { beforeEach, expect, test } from "vitest";
import type { EdgeClient } from "./edge-client.ts";
import { FakeEdge } from "./fake-edge.fixture.ts";
import { uploadFile } from "./object-upload.ts";

const PART = 1000;
const BYTES = Uint8Array.from({ length: 3 * PART + 7 }, (_, i) => (i * i + 3 * i) % 251);

let fake: FakeEdge;
let edge: EdgeClient;
beforeEach(() => {
  fake = new FakeEdge([], "b".repeat(64));
  edge = fake.client();
});

async function file(bytes: Uint8Array, reads: number[] = []) {
  return {
    sha256: await sha256(bytes),
    sizeBytes: bytes.length,
    read: async (offset: number, length: number) => {
      reads.push(length);
      return bytes.slice(offset, offset + length);
    },
  };
}

test("a small file is one request", async () => {
  const small = await file(BYTES.slice(0, PART));
  const sent: number[] = [];
  await uploadFile(
    { ...edge, objectParts: () => Promise.reject(new Error("asked")) },
    small,
    (n) => sent.push(n),
    PART,
  );
  expect(fake.objects.get(small.sha256)).toEqual(BYTES.slice(0, PART));
  expect(sent).toEqual([]);
});

test("a large file is sent in parts, one of them in memory, and becomes one object", async () => {
  const reads: number[] = [];
  const sent: number[] = [];
  const large = await file(BYTES, reads);
  await uploadFile(edge, large, (bytes) => sent.push(bytes), PART);
  expect(new Uint8Array(fake.objects.get(large.sha256) ?? [])).toEqual(BYTES);
  expect(reads).toEqual([PART, PART, PART, 7]);
  expect(sent).toEqual([PART, 2 * PART, 3 * PART, 3 * PART + 7]);
});

test("an upload that stopped sends only the parts that are missing", async () => {
  const large = await file(BYTES);
  let sends = 0;
  const stopping: EdgeClient = {
    ...edge,
    putObjectPart: (...part) =>
      ++sends > 2 ? Promise.reject(new Error("killed")) : edge.putObjectPart(...part),
  };
  await expect(uploadFile(stopping, large, undefined, PART)).rejects.toThrow("killed");
  expect(fake.objects.size).toBe(0);
  const again: string[] = [];
  const going: EdgeClient = {
    ...edge,
    putObjectPart: (object, part, bytes) => {
      again.push(part);
      return edge.putObjectPart(object, part, bytes);
    },
  };
  await uploadFile(going, large, undefined, PART);
  expect(again).toEqual([
    await sha256(BYTES.slice(2 * PART, 3 * PART)),
    await sha256(BYTES.slice(3 * PART)),
  ]);
  expect(new Uint8Array(fake.objects.get(large.sha256) ?? [])).toEqual(BYTES);
});

test("parts that repeat in a file are sent once", async () => {
  const zeros = await file(new Uint8Array(3 * PART));
  let sends = 0;
  const counting: EdgeClient = {
    ...edge,
    putObjectPart: (...part) => (sends++, edge.putObjectPart(...part)),
  };
  await uploadFile(counting, zeros, undefined, PART);
  expect(sends).toBe(1);
  expect(fake.objects.get(zeros.sha256)).toHaveLength(3 * PART);
});

test("a file that has changed since its hash was computed is refused", async () => {
  const changed = { ...(await file(BYTES)), sha256: "c".repeat(64) };
  await expect(uploadFile(edge, changed, undefined, PART)).rejects.toMatchObject({
    code: "DIGEST_MISMATCH",
  });
});
