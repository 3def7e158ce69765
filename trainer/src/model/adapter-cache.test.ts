import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { initializeAdapter } from "@waggle/model";
import { expect, onTestFinished, test } from "vitest";
import { type AdapterCache, createAdapterCache } from "./adapter-cache.ts";
import { TINY, TINY_ADAPTER } from "../edge-training/training.fixture.ts";

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "waggle-cache-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

function cacheIn(folder: string, answer: Uint8Array | null = null): AdapterCache {
  return createAdapterCache({
    folder,
    config: TINY,
    download: async () => {
      if (answer === null) throw new Error("no download in this test");
      return answer;
    },
  });
}

const adapter = initializeAdapter(TINY, { ...TINY_ADAPTER, seed: 1 });

test("an added adapter is found by another process without the edge", async () => {
  const folder = await temporaryFolder();
  const reference = await cacheIn(folder).add(adapter);
  expect(reference).toMatchObject(TINY_ADAPTER);
  expect(await cacheIn(folder).get(reference)).toEqual(adapter);
});

test("a damaged file is downloaded again, and a download with the wrong hash is refused", async () => {
  const folder = await temporaryFolder();
  const reference = await cacheIn(folder).add(adapter);
  const bytes = await cacheIn(folder).bytes(reference);
  await writeFile(join(folder, `adapter-${reference.sha256}.safetensors`), "damaged");
  expect(await cacheIn(folder, bytes).get(reference)).toEqual(adapter);
  await writeFile(join(folder, `adapter-${reference.sha256}.safetensors`), "damaged");
  await expect(cacheIn(folder, new Uint8Array(4)).get(reference)).rejects.toMatchObject({
    code: "DIGEST_MISMATCH",
  });
});
