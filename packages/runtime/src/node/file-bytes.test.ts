import { createHash } from "node:crypto";
import { mkdtemp, open, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openFileBytes, readPieces } from "./file-bytes.ts";

let root: string;
beforeEach(async () => void (root = await mkdtemp(join(tmpdir(), "waggle-bytes-"))));
afterEach(() => rm(root, { recursive: true }));

test("ranges of a sparse file above 4 GiB are read correctly", async () => {
  const path = join(root, "large");
  const at = 2 ** 32 + 123_456_789;
  const file = await open(path, "w");
  await file.write(Uint8Array.of(1, 2, 3, 4), 0, 4, at);
  await file.close();
  const bytes = await openFileBytes(path);
  expect(bytes.sizeBytes).toBe(at + 4);
  expect([...(await bytes.read(at - 1, 5))]).toEqual([0, 1, 2, 3, 4]);
  expect([...(await bytes.read(at - 2 ** 32, 4))]).toEqual([0, 0, 0, 0]);
  await expect(bytes.read(at, 5)).rejects.toMatchObject({ code: "MODEL_CORRUPT" });
});

test("data that takes several reads is complete, as a range and in pieces", async () => {
  const path = join(root, "some");
  const content = Uint8Array.from({ length: 2 ** 23 + 5 }, (_, i) => (i * i) >>> 7);
  await writeFile(path, content);
  const bytes = await openFileBytes(path);
  expect(Buffer.from(await bytes.read(3, 2 ** 23)).equals(content.subarray(3, 3 + 2 ** 23))).toBe(
    true,
  );
  const hash = createHash("sha256");
  let pieces = 0;
  for await (const piece of readPieces(bytes)) {
    hash.update(piece);
    pieces++;
  }
  expect(pieces).toBe(3);
  expect(hash.digest("hex")).toBe(createHash("sha256").update(content).digest("hex"));
});

test("a file truncated while reading is an error, as is an abort between pieces", async () => {
  const path = join(root, "cut");
  await writeFile(path, new Uint8Array(100));
  const bytes = await openFileBytes(path);
  await truncate(path, 40);
  expect(await bytes.read(0, 40)).toHaveLength(40);
  await expect(bytes.read(20, 80)).rejects.toMatchObject({ code: "MODEL_CORRUPT" });
  const stopped = readPieces(bytes, AbortSignal.abort(new Error("stopped")));
  await expect(stopped.next()).rejects.toThrow("stopped");
});
