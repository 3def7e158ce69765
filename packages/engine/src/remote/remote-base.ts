/**
 * A `SharedBase` on one server. Each model is created, called and unloaded under the id that the
 * server gave it; the server holds the base.
 */
import type { SharedBase } from "@waggle/protocol";
import { ModelTable } from "../decoder/model-table.ts";
import { createRemoteEngine } from "./create-remote-engine.ts";
import type { RemoteEngineOptions } from "./create-remote-engine.ts";

/** Options of a remote engine, without those of a single model. */
export type RemoteBaseOptions = Omit<RemoteEngineOptions, "trains" | "adapter" | "valueHead">;

/**
 * Sends nothing before the first model, with which the server is probed once. A model's adapter
 * must be fresh, and value heads are refused. A server limited to one model (SkyRL's FSDP and
 * Megatron backends) refuses the second with `CAPABILITY_MISSING`.
 */
export async function openRemoteBase(options: RemoteBaseOptions): Promise<SharedBase> {
  let isProbed = false;
  return new ModelTable({
    create: async (start, release) => {
      const ofModel = { ...options, ...start, trains: "lora" } as const;
      const engine = await createRemoteEngine(ofModel, { release, isProbed });
      isProbed = true;
      return engine;
    },
    close: async () => {},
  });
}
