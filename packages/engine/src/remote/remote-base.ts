/**
 * Models of one server behind the port of a shared base: each is the server's own model, created,
 * called and unloaded by the id that the server gave it. The server holds the base.
 */
import type { SharedBase } from "@waggle/protocol";
import { ModelTable } from "../decoder/model-table.ts";
import { createRemoteEngine } from "./create-remote-engine.ts";
import type { RemoteEngineOptions } from "./create-remote-engine.ts";

/** Those of an engine, without what a model brings. */
export type RemoteBaseOptions = Omit<RemoteEngineOptions, "trains" | "adapter" | "valueHead">;

/**
 * Nothing is asked of the server before the first model, with which it is probed, once. A model's adapter must be fresh, and value
 * heads are refused; a server that holds one model only (SkyRL's FSDP and Megatron backends) refuses
 * the second with `CAPABILITY_MISSING`.
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
