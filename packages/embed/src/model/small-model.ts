/** Loads a small model of the site. The page reads the files and gives them to the worker. */
import type { Fetch } from "@waggle/collector";
import { createBrowserPolicy } from "@waggle/runtime";
import type { BrowserPolicyOptions, ModelStore, startEarlyWorker } from "@waggle/runtime";
import type { BaseModelReference } from "@waggle/protocol";
import { openChatFormat } from "@waggle/text";
import type { ChatFormat } from "@waggle/text";
import type { OpenHost } from "../agent-host.ts";

/**
 * In bytes. Such a model fits every device, and copies of it cost little. Pages load the code that reads larger ones in
 * pieces, and that checks memory first, only if they need it.
 */
const SMALL_MODEL = 16 * 2 ** 20;

/** A policy, and the small files of the model that it runs. */
export type ModelPolicy = {
  readonly policy: Awaited<ReturnType<typeof createBrowserPolicy>>;
  readonly chatFormat: ChatFormat;
  readonly files: ReadonlyMap<string, Uint8Array>;
};

export function isSmallModel(model: Pick<BaseModelReference, "files">): boolean {
  return sizeOf(model) <= SMALL_MODEL;
}

/** In bytes. */
export function sizeOf({ files }: Pick<BaseModelReference, "files">): number {
  return files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
}

/** Where a site's model comes from, and how it runs. */
export type SiteModelOptions = {
  readonly edgeUrl: string;
  readonly fetch?: Fetch;
} & Pick<BrowserPolicyOptions, "device" | "createWorker">;

/** @throws WaggleError as `ModelStore.modelFiles` and `createBrowserPolicy`. */
export async function openSmallModel(
  store: ModelStore,
  {
    device = "auto",
    early,
  }: Pick<SiteModelOptions, "device"> & { readonly early: ReturnType<typeof startEarlyWorker> },
  baseModel: BaseModelReference,
  onProgress: Parameters<OpenHost>[1],
): Promise<ModelPolicy> {
  const files = new Map<string, Uint8Array>();
  const areHere = Promise.withResolvers<void>();
  const texts = baseModel.files.filter(({ path }) => !path.endsWith(".safetensors"));
  const format = Promise.withResolvers<ChatFormat>();
  // Reading can fail while the weights still download, when nothing awaits it yet.
  format.promise.catch(() => undefined);
  let isRead = false;
  const stored = store.modelFiles(baseModel, {
    onProgress: (loaded) => onProgress({ ...loaded, detail: "loading the model" }),
    onFile: (path, bytes) => {
      if (path === "config.json") early.prepare(bytes);
      files.set(path, bytes);
      // Small files come first. The weights still download while their tokenizer is read.
      if (!isRead && texts.every((file) => files.has(file.path))) {
        isRead = true;
        format.resolve(openChatFormat(files));
      }
      if (files.size === baseModel.files.length) areHere.resolve();
    },
  });
  // The model starts while the browser stores its files.
  await Promise.race([areHere.promise, stored]);
  const totalBytes = sizeOf(baseModel);
  onProgress({ loadedBytes: totalBytes, totalBytes, detail: "starting" });
  const chatFormat = await format.promise;
  const policy = await createBrowserPolicy({
    device,
    createWorker: early.createWorker,
    modelFiles: files,
    baseModel: baseModel.sha256,
    stopTokenIds: chatFormat.stopTokenIds,
  });
  return { policy, chatFormat, files };
}
