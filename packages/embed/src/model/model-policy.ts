/**
 * Loads a model into a policy: the site's, or one of the visitor's choice. The weights never pass through the page: the
 * worker reads them in pieces from the browser's storage.
 */
import type { BaseModelReference } from "@waggle/protocol";
import { createBrowserPolicy, loadModel, readFormatFiles } from "@waggle/runtime";
import type {
  BrowserPolicyOptions,
  LoadedModel,
  LoadModelOptions,
  ModelSource,
} from "@waggle/runtime";
import { readChatFormat } from "@waggle/text";
import type { OpenHost } from "../agent-host.ts";
import { sizeOf } from "./small-model.ts";
import type { ModelPolicy, SiteModelOptions } from "./small-model.ts";

/** Options of `openModelPolicy`. */
type ModelPolicyOptions = {
  readonly load: Omit<LoadModelOptions, "onProgress">;
  /** What the visitor reads while the file at `path` loads. */
  readonly detailOf: (path: string) => string;
  /** Default: the stored format, `f32` for plain numbers. */
  readonly dtypeOf?: (
    model: LoadedModel,
    files: ReadonlyMap<string, Uint8Array>,
  ) => NonNullable<BrowserPolicyOptions["dtype"]>;
  readonly policy: Pick<BrowserPolicyOptions, "device" | "startsAdaptable"> & {
    readonly createWorker?: BrowserPolicyOptions["createWorker"] | undefined;
  };
};

/**
 * Files that were loaded once are read from the browser's storage.
 * @throws WaggleError as `loadModel`, with `MODEL_TOO_LARGE` before the weights are fetched, and as `createBrowserPolicy`.
 */
export async function openModelPolicy(
  source: ModelSource,
  { load, detailOf, dtypeOf, policy: { createWorker, ...policy } }: ModelPolicyOptions,
  onProgress: Parameters<OpenHost>[1],
): Promise<ModelPolicy> {
  const model = await loadModel(source, {
    ...load,
    onProgress: ({ loadedBytes, totalBytes, path }) =>
      onProgress({ loadedBytes, totalBytes, detail: detailOf(path) }),
  });
  const totalBytes = sizeOf(model);
  onProgress({ loadedBytes: totalBytes, totalBytes, detail: "starting" });
  const files = await readFormatFiles(model, load);
  const chatFormat = readChatFormat(files);
  const opened = await createBrowserPolicy({
    ...policy,
    modelFiles: model,
    baseModel: model.baseModel,
    stopTokenIds: chatFormat.stopTokenIds,
    ...(dtypeOf !== undefined && { dtype: dtypeOf(model, files) }),
    ...(createWorker !== undefined && { createWorker }),
  });
  return { policy: opened, chatFormat, files };
}

/** Loads the site's model. */
export function openSiteModel(
  { edgeUrl, fetch, device = "auto", createWorker }: SiteModelOptions,
  model: Pick<BaseModelReference, "files">,
  onProgress: Parameters<OpenHost>[1],
): Promise<ModelPolicy> {
  return openModelPolicy(
    { kind: "objects", baseUrl: edgeUrl, model },
    {
      load: { ...(fetch !== undefined && { fetch }), memory: { device } },
      detailOf: () => "loading the model",
      policy: { device, startsAdaptable: true, createWorker },
    },
    onProgress,
  );
}
