/** What was trained, from where it lies: a trainer's state folder, or an adapter's folder. */
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { type Adapter, readAdapter } from "@waggle/model";
import { type EngineCheckpoint, sha256, WaggleError } from "@waggle/protocol";
import { adapterOf, readAdapterFolder } from "../sink/adapter-folder.ts";
import { createCheckpointStore } from "../checkpoint/checkpoint-store.ts";
import { adapterFileName } from "../sink/adapter-cache.ts";
import { adapterShapeOf } from "../checkpoint/trainer-state.ts";
import type { BaseFolder } from "./base-folder.ts";

/** Of a state folder: the version that visitors get, or the last step, which is trained further. */
export const TRAINED_STATES = ["stable", "newest"] as const;
export type TrainedState = (typeof TRAINED_STATES)[number];

export type TrainedAdapter = {
  readonly adapter: Adapter;
  /** `null` where only the adapter is there. */
  readonly checkpoint: EngineCheckpoint | null;
};

/**
 * @throws WaggleError `NOT_FOUND`, `ADAPTER_INCOMPATIBLE`, `CHECKPOINT_CORRUPT`, `INVALID_ARGUMENT`
 *   where the state belongs to another base model, `CAPABILITY_MISSING` where a server has it.
 */
export async function readTrained(
  from: string,
  base: BaseFolder,
  which: TrainedState,
  signal: AbortSignal,
): Promise<TrainedAdapter> {
  const isState = (await stat(join(from, "state.json")).catch(() => null)) !== null;
  if (!isState) return readAdapterFolder(from, base.config);
  const saved = await createCheckpointStore(from).load();
  const { state, engine, stable } = saved as NonNullable<typeof saved>;
  const { sha256: digest } = await base.reference(signal);
  if (digest !== state.baseModel) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `--base must be the model that was trained, ${state.baseModel.slice(0, 12)}, got ${digest.slice(0, 12)}; name its folder`,
    );
  }
  const checkpoint = which === "stable" ? stable : engine;
  const shape = adapterShapeOf(state);
  if (checkpoint.tensors.size > 0 && shape !== null) {
    return { adapter: adapterOf(checkpoint, shape), checkpoint };
  }
  // A server keeps what it trains, and old states no shape: what was published is here all the same.
  const published = state.versions.find(({ version }) => version === state.stableVersion)?.adapter;
  if (which === "stable" && published) {
    const path = join(from, "adapters", adapterFileName(published.sha256));
    const bytes = new Uint8Array(await readFile(path));
    if ((await sha256(bytes)) === published.sha256) {
      return { adapter: readAdapter(bytes, published, base.config), checkpoint: null };
    }
  }
  throw new WaggleError(
    "CAPABILITY_MISSING",
    `${from} must hold the ${which} parameters, got ${checkpoint.location ?? "a state that does not say the adapter's alpha"}; save the stable version once one is published`,
  );
}
