/**
 * Models of one server behind the port of a shared base: each is the server's own model, created,
 * called and unloaded by the id that the server gave it. The server holds the base.
 */
import type { SharedBase } from "@waggle/protocol";
import { ModelTable } from "../model-table.ts";
import { createRemoteEngine } from "./create-remote-engine.ts";
import type { RemoteEngineOptions } from "./create-remote-engine.ts";

/** Those of an engine, without what a model brings. */
export type RemoteBaseOptions = Omit<RemoteEngineOptions, "trains" | "adapter" | "valueHead">;

/**
 * Nothing is asked of the server before the first model. A model's adapter must be fresh, and value
 * heads are refused; a server that holds one model only (SkyRL's FSDP and Megatron backends) refuses
 * the second with `CAPABILITY_MISSING`.
 */
export async function openRemoteBase(options: RemoteBaseOptions): Promise<SharedBase> {
  return new ModelTable({
    create: (start, release) =>
      createRemoteEngine({ ...options, ...start, trains: "lora" }, release),
    close: async () => {},
  });
}
