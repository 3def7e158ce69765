/**
 * Loads the site's policy: model, tokenizer and chat format of the manifest, with adapters that are swapped
 * by version.
 */
import type { Fetch } from "@waggle/collector";
import { WaggleError } from "@waggle/protocol";
import type { PolicyManifest } from "@waggle/protocol";
import { createModelStore, startEarlyWorker } from "@waggle/runtime";
import type { BrowserDevice, WorkerHandle } from "@waggle/runtime";
import type { OpenHost } from "./agent-host.ts";
import { requireBrowser } from "./browser-support.ts";
import { calibrationOf } from "./model/model-calibration.ts";
import { isSmallModel, openSmallModel, sizeOf } from "./model/small-model.ts";
import type { ModelPolicy } from "./model/small-model.ts";
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
 * Opens hosts at version 0, the base. The manifest's version is adopted afterwards, because it may fail to load although
 * the base loads.
 */
export function createPolicyHostOpener(options: PolicyHostOptions): OpenHost {
  const fetchOption = options.fetch === undefined ? {} : { fetch: options.fetch };
  const store = createModelStore({ baseUrl: options.edgeUrl, ...fetchOption });
  return async (readManifest, onProgress) => {
    requireBrowser();
    const early = startEarlyWorker(options.device ?? "auto", options.createWorker);
    const open = async (): Promise<ModelPolicy & { readonly totalBytes: number }> => {
      const { baseModel } = await readManifest();
      const totalBytes = sizeOf(baseModel);
      if (isSmallModel(baseModel)) {
        const opened = await openSmallModel(store, { ...options, early }, baseModel, onProgress);
        return { ...opened, totalBytes };
      }
      const { openSiteModel } = await import("./model/model-policy.ts");
      const { createWorker } = early;
      return {
        ...(await openSiteModel({ ...options, createWorker }, baseModel, onProgress)),
        totalBytes,
      };
    };
    const opened = await open().finally(() => early.dispose());
    const { policy, chatFormat, files, totalBytes } = opened;
    const calibration = calibrationOf(files);
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
    onProgress({ loadedBytes: totalBytes, totalBytes, detail: "" });
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
