/** When a small model starts, against a store that a test controls and a worker that only notes what it gets. */
import { describeModelFolder } from "@waggle/model";
import type { ModelStore } from "@waggle/runtime";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { llamaFolder } from "../../../../test/fixtures/llama-folder.ts";
import { openSmallModel } from "./small-model.ts";

type Noted = { readonly kind: string; readonly model?: ReadonlyMap<string, Uint8Array> };

/** A model that loads as the test says. */
async function loading() {
  const folder = llamaFolder();
  const baseModel = await describeModelFolder(folder);
  const bytes = new Map(folder.map((file) => [file.path, file.bytes]));
  const noted: Noted[] = [];
  const worker = {
    postMessage: ({ request }: { readonly request: Noted }) => noted.push(request),
    addEventListener: () => undefined,
    terminate: () => undefined,
  };
  const load = Promise.withResolvers<Map<string, Uint8Array>>();
  let onFile: ((path: string, bytes: Uint8Array) => void) | undefined;
  const store = {
    modelFiles: (_, options) => {
      onFile = options?.onFile;
      return load.promise;
    },
  } as Pick<ModelStore, "modelFiles"> as ModelStore;
  const prepared: Uint8Array[] = [];
  const early = {
    createWorker: () => worker as unknown as Worker,
    prepare: (config: Uint8Array) => void prepared.push(config),
    dispose: () => undefined,
  };
  const opening = openSmallModel(store, { device: "wasm", early }, baseModel, () => undefined);
  const arrive = (path: string): void => onFile?.(path, bytes.get(path) as Uint8Array);
  const paths = baseModel.files.map(({ path }) => path);
  return { opening, arrive, paths, noted, prepared, fail: load.reject };
}

beforeEach(() => {
  vi.stubGlobal("localStorage", { getItem: () => null, setItem: () => undefined });
});
afterEach(() => vi.unstubAllGlobals());

test("a model starts when its last file is verified, before its files are stored", async () => {
  const { opening, arrive, paths, noted, prepared } = await loading();
  void opening;
  const last = paths.find((path) => path.endsWith(".safetensors")) as string;
  for (const path of paths) if (path !== last) arrive(path);
  expect(prepared).toHaveLength(1);
  await new Promise((resolve) => setTimeout(resolve));
  expect(noted).toEqual([]);
  arrive(last);
  await expect.poll(() => noted.map(({ kind }) => kind)).toEqual(["open"]);
  expect([...(noted[0]?.model?.keys() ?? [])].toSorted()).toEqual(paths.toSorted());
});

test("a file that does not come is reported, and nothing starts", async () => {
  const { opening, arrive, paths, noted, fail } = await loading();
  for (const path of paths.slice(1)) arrive(path);
  fail(new Error("gone"));
  await expect(opening).rejects.toThrow("gone");
  expect(noted).toEqual([]);
});
