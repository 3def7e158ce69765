/** Reads a trained adapter from a trainer's state folder or from an adapter's folder. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Adapter, readAdapter } from "@waggle/model";
import { type EngineCheckpoint, sha256, WaggleError } from "@waggle/protocol";
import { adapterOf, readAdapterFolder } from "../model/adapter-folder.ts";
import { openTrainerCheckpoints } from "../checkpoint/trainer-checkpoint.ts";
import { adapterFileName } from "../model/adapter-cache.ts";
import { adapterShapeOf } from "../checkpoint/trainer-state.ts";
import type { BaseFolder } from "./base-folder.ts";

/**
 * States of a state folder: the version that visitors get, or the last step, from which training
 * continues.
 */
export const TRAINED_STATES = ["stable", "newest"] as const;
export type TrainedState = (typeof TRAINED_STATES)[number];

/** A trained adapter and its optimizer state. */
export type TrainedAdapter = {
  readonly adapter: Adapter;
  /** `null` if only the adapter is available. */
  readonly checkpoint: EngineCheckpoint | null;
};

/**
 * @throws WaggleError `NOT_FOUND`, `ADAPTER_INCOMPATIBLE`, `CHECKPOINT_CORRUPT`; `INVALID_ARGUMENT`
 *   if the state belongs to another base model; `CAPABILITY_MISSING` if a server keeps the state.
 */
export async function readTrained(
  from: string,
  base: BaseFolder,
  which: TrainedState,
  signal: AbortSignal,
): Promise<TrainedAdapter> {
  const saved = await openTrainerCheckpoints(from).load();
  if (saved === null) return readAdapterFolder(from, base.config);
  const { state, engine, stable } = saved;
  const { sha256: digest } = await base.reference(signal);
  if (digest !== state.baseModel) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `the adapter was trained on another base model (${state.baseModel.slice(0, 12)}, and --base is ${digest.slice(0, 12)}); pass the folder of that model`,
    );
  }
  const checkpoint = which === "stable" ? stable : engine;
  const shape = adapterShapeOf(state);
  if (checkpoint.tensors.size > 0 && shape !== null) {
    return { adapter: adapterOf(checkpoint, shape), checkpoint };
  }
  // Servers keep their training state, and old states lack the adapter's shape. Published versions
  // are stored here in both cases.
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
    `${from} does not contain the ${which} parameters, only ${checkpoint.location ?? "a state without the adapter's alpha"}; save the stable version once one is published`,
  );
}
