/** Creates a chat in a page from a model's address: loads the model and runs it in a worker. */
import { createBrowserPolicy } from "../browser-policy.ts";
import type { BrowserPolicyOptions } from "../browser-policy.ts";
import { loadModel } from "../store/load-model.ts";
import type { LoadModelOptions } from "../store/load-model.ts";
import { readFormatFiles } from "../store/format-files.ts";
import { listModels } from "../store/model-records.ts";
import { modelSourceName, parseModelSource } from "../store/model-source.ts";
import type { ModelSource } from "../store/model-source.ts";
import type { ChatSource } from "./chat-source.ts";
import { createChat } from "./policy-chat.ts";
import type { ChatOptions } from "./policy-chat.ts";

/** Options of `createLocalChat`. */
export type LocalChatOptions = {
  /** `org/name` on Hugging Face, the URL of a folder, or a folder that the visitor picked. */
  readonly model: ModelSource | string;
  /**
   * Default `memory`: from this device and `policy`, to refuse models that cannot fit; `null` =
   * never.
   */
  readonly load?: Omit<LoadModelOptions, "signal" | "onProgress">;
  readonly policy?: Omit<BrowserPolicyOptions, "modelFiles" | "baseModel">;
  readonly chat?: Pick<ChatOptions, "model" | "maxSessions">;
};

/**
 * A source of a chat over a model that runs in this page. Disposing of the chat ends the worker
 * too.
 */
export function createLocalChat(options: LocalChatOptions): ChatSource {
  const source =
    typeof options.model === "string" ? parseModelSource(options.model) : options.model;
  const { storage } = options.load ?? {};
  return {
    async availability() {
      if (!("Worker" in globalThis) || !("WebAssembly" in globalThis)) return "unavailable";
      const stored = await listModels({ ...(storage && { storage }) });
      const name = modelSourceName(source);
      const isHere = stored.some((model) => model.source === name && model.isWhole);
      return isHere || source.kind === "folder" ? "available" : "downloadable";
    },
    async open({ signal, onProgress } = {}) {
      const { device = "auto", dtype, contextLength } = options.policy ?? {};
      const model = await loadModel(source, {
        memory: { device, dtype, contextLength },
        ...options.load,
        ...(signal && { signal }),
        onProgress: ({ loadedBytes, totalBytes }) => {
          if (totalBytes !== null && totalBytes > 0) onProgress?.(loadedBytes / totalBytes);
        },
      });
      const modelFiles = await readFormatFiles(model, { ...(storage && { storage }) });
      signal?.throwIfAborted();
      const policy = await createBrowserPolicy({
        ...options.policy,
        modelFiles: model,
        baseModel: model.baseModel,
      });
      const chat = createChat({ policy, modelFiles, model: model.source, ...options.chat });
      return {
        ...chat,
        async dispose() {
          await chat.dispose();
          await policy.dispose();
        },
      };
    },
  };
}
