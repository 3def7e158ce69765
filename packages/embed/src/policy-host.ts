/**
 * Loads the site's policy: model, tokenizer and chat format of the manifest, with adapters that are swapped
 * by version.
 */
import type { Fetch } from "@waggle/collector";
import { WaggleError } from "@waggle/protocol";
import type { PolicyManifest } from "@waggle/protocol";
import { createBrowserPolicy, createModelStore } from "@waggle/runtime";
import type { BrowserDevice, LoadProgress, WorkerHandle } from "@waggle/runtime";
import { readChatFormat } from "@waggle/text";
import type { OpenHost } from "./agent-host.ts";
import { requireBrowser } from "./browser-support.ts";
import { calibrationOf } from "./model-calibration.ts";
import { VersionTexts } from "./version-texts.ts";

/** Options of `createPolicyHostOpener`. */
export type PolicyHostOptions = {
  readonly edgeUrl: string;
  /** Default: the page's `fetch`. */
  readonly fetch?: Fetch;
  readonly device?: "auto" | BrowserDevice;
  readonly createWorker?: (device: BrowserDevice) => WorkerHandle;
};

/**
 * Opens hosts at version 0, the base. Files that were loaded once are read from the browser's storage. The
 * manifest's version is adopted afterwards, because it may fail to load although the base loads.
 */
export function createPolicyHostOpener(options: PolicyHostOptions): OpenHost {
  const store = createModelStore({
    baseUrl: options.edgeUrl,
    ...(options.fetch === undefined ? {} : { fetch: options.fetch }),
  });
  return async (readManifest, onProgress) => {
    requireBrowser();
    const manifest = await readManifest();
    let progress: LoadProgress = { loadedBytes: 0, totalBytes: 0 };
    const files = await store.modelFiles(manifest.baseModel, {
      onProgress: (loaded) => {
        progress = loaded;
        onProgress({ ...progress, detail: "loading the model" });
      },
    });
    onProgress({ ...progress, detail: "starting" });
    const chatFormat = readChatFormat(files);
    const calibration = calibrationOf(files);
    const policy = await createBrowserPolicy({
      modelFiles: files,
      baseModel: manifest.baseModel.sha256,
      device: options.device ?? "auto",
      stopTokenIds: chatFormat.stopTokenIds,
      ...(options.createWorker === undefined ? {} : { createWorker: options.createWorker }),
    });
    const texts = new VersionTexts((reference) => store.object(reference));
    const adopt = async ({ policy: wanted, baseModel }: PolicyManifest): Promise<void> => {
      if (baseModel.sha256 !== policy.baseModel) {
        throw new WaggleError(
          "ADAPTER_INCOMPATIBLE",
          `version ${wanted.version} belongs to base model ${baseModel.sha256.slice(0, 12)}, but this page runs ${policy.baseModel.slice(0, 12)}; open that model instead`,
        );
      }
      if (wanted.version === policy.currentVersion) return;
      // Read the guidance first, because it comes before the version's own tokens.
      await texts.add(wanted);
      const reference = wanted.adapter;
      const adapter =
        reference === null ? null : { ...reference, bytes: await store.object(reference) };
      await policy.setAdapter(wanted.version, adapter);
      const kept = baseModel.files.map((file) => file.sha256);
      if (wanted.adapter !== null) kept.push(wanted.adapter.sha256);
      if (wanted.guidance !== undefined) kept.push(wanted.guidance.sha256);
      // Old adapters only take space, so a failed deletion is ignored.
      await store.prune(kept).catch(() => undefined);
    };
    onProgress({ loadedBytes: progress.totalBytes, totalBytes: progress.totalBytes, detail: "" });
    return {
      kind: "policy",
      followsSite: true,
      policy,
      chatFormat,
      client: policy.client,
      baseModel: policy.baseModel,
      calibration,
      guide: (version, key) => texts.guide(version, key),
      startsAlike: (from, to) => texts.startsAlike(from, to),
      adopt,
      dispose: () => policy.dispose(),
    };
  };
}
