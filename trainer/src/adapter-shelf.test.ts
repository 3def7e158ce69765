import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { initializeAdapter } from "@waggle/model";
import { expect, onTestFinished, test } from "vitest";
import { type AdapterShelf, createAdapterShelf } from "./adapter-shelf.ts";
import { TINY, TINY_ADAPTER } from "./training.fixture.ts";

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "waggle-shelf-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

function shelfIn(folder: string, answer: Uint8Array | null = null): AdapterShelf {
  return createAdapterShelf({
    folder,
    config: TINY,
    download: async () => {
      if (answer === null) throw new Error("nothing to download from");
      return answer;
    },
  });
}

const adapter = initializeAdapter(TINY, { ...TINY_ADAPTER, seed: 1 });

test("what was added is found by another process without the edge", async () => {
  const folder = await temporaryFolder();
  const reference = await shelfIn(folder).add(adapter);
  expect(reference).toMatchObject(TINY_ADAPTER);
  expect(await shelfIn(folder).get(reference)).toEqual(adapter);
});

test("a file that was damaged is fetched again, and one that never fits is refused", async () => {
  const folder = await temporaryFolder();
  const reference = await shelfIn(folder).add(adapter);
  const bytes = await shelfIn(folder).bytes(reference);
  await writeFile(join(folder, `adapter-${reference.sha256}.safetensors`), "damaged");
  expect(await shelfIn(folder, bytes).get(reference)).toEqual(adapter);
  await writeFile(join(folder, `adapter-${reference.sha256}.safetensors`), "damaged");
  await expect(shelfIn(folder, new Uint8Array(4)).get(reference)).rejects.toMatchObject({
    code: "DIGEST_MISMATCH",
  });
});
