/**
 * Another thread of the same origin, like another tab or a model's worker: loads a generated file
 * over its own network, reads a model posted to it, or opens its storage. Tests only.
 */
import { sha256 } from "@waggle/protocol";
import { createFallbackStorage } from "./chunk-storage.ts";
import { openChunkedFile } from "./chunked-file.ts";
import { downloadFile } from "./file-download.ts";
import { openModel } from "./loaded-model.ts";
import type { LoadedModel } from "./loaded-model.ts";
import { createOpfsStorage, openBrowserStorage } from "./opfs-storage.ts";
import { generatedFetch } from "./generated-network.fixture.ts";

export type ThreadRequest =
  | {
      readonly kind: "download";
      readonly folder: string;
      readonly url: string;
      /** Simulates a browser whose files have no `createWritable`. */
      readonly hasOnlySyncHandles: boolean;
    }
  | { readonly kind: "read"; readonly model: LoadedModel; readonly path: string }
  | { readonly kind: "open-storage" };

/** The hash of what it read, and the number of its requests. */
export type ThreadAnswer = { readonly hash: string; readonly requests: number };

// The page also imports this file, for its types.
if (typeof document === "undefined") {
  addEventListener("message", (event: MessageEvent<ThreadRequest>) => {
    void answer(event.data).then((value) => postMessage(value));
  });
}

async function answer(request: ThreadRequest): Promise<ThreadAnswer> {
  if (request.kind === "read") {
    const reader = await openModel(request.model);
    return { hash: await sha256(await owned(reader.bytes(request.path))), requests: 0 };
  }
  if (request.kind === "open-storage") {
    await openBrowserStorage();
    return { hash: "", requests: 0 };
  }
  if (request.hasOnlySyncHandles) {
    Reflect.deleteProperty(FileSystemFileHandle.prototype, "createWritable");
  }
  const root = await navigator.storage.getDirectory();
  const directory = await root.getDirectoryHandle(request.folder, { create: true });
  const storage = createFallbackStorage(createOpfsStorage(directory));
  const network = generatedFetch();
  const { content } = await downloadFile(
    { key: "u-1", url: request.url, sizeBytes: null, sha256: null, isImmutable: false },
    { storage, fetch: network.fetch, chunkBytes: 100_000 },
  );
  const reader = openChunkedFile(content, { storage, fetch: network.fetch });
  const hash = await sha256(await owned(reader.read(0, reader.sizeBytes)));
  return { hash, requests: network.requests.length };
}

async function owned(bytes: Promise<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  return (await bytes) as Uint8Array<ArrayBuffer>;
}
