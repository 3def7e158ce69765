/** The checkpoint of training from an edge: a trainer's state with the engines that belong to it. */
import type { EngineCheckpoint } from "@waggle/protocol";
import { type CheckpointKind, openCheckpoints } from "./checkpoint.ts";
import { TrainerProgress, TrainerSettings, type TrainerState } from "./trainer-state.ts";

/** A trainer's state with the engine checkpoints that belong to it. */
export type TrainerCheckpoint = {
  readonly state: TrainerState;
  /** The engine at `state.step`. */
  readonly engine: EngineCheckpoint;
  /** The engine at the stable version, to which a roll-back returns. */
  readonly stable: EngineCheckpoint;
};

/** Reads and writes a trainer's checkpoints. */
export interface TrainerCheckpoints {
  /**
   * @throws WaggleError `CHECKPOINT_CORRUPT` if a checkpoint exists but cannot be read completely.
   */
  load(): Promise<TrainerCheckpoint | null>;
  /** Resolves when the checkpoint would survive a crash of the process or the machine. */
  commit(checkpoint: TrainerCheckpoint): Promise<void>;
  /** Deletes everything. */
  clear(): Promise<void>;
}

const KIND: CheckpointKind<TrainerProgress> = {
  name: "train-edge",
  state: TrainerProgress,
  settings: TrainerSettings,
  startOver: "with --no-resume",
  upgrade: ({ state, engine, stable }) => {
    const { formatVersion: _, baseModel, recipe, seed, step, ...progress } = state as FirstState;
    const settings = { baseModel, recipe, seed };
    return { settings, step, engines: { policy: engine, stable }, state: progress };
  },
};

/** A trainer's state in version 1, which had no settings of its own. */
type FirstState = TrainerState & { readonly formatVersion: 1 };

/** Opens the checkpoints in a trainer's state folder. */
export function openTrainerCheckpoints(folder: string): TrainerCheckpoints {
  const checkpoints = openCheckpoints(folder, KIND);
  return {
    async load() {
      const found = await checkpoints.load();
      if (found === null) return null;
      const state = { ...(found.settings as TrainerSettings), step: found.step, ...found.state };
      const engine = found.engines.get("policy") as EngineCheckpoint;
      return { state, engine, stable: found.engines.get("stable") ?? engine };
    },
    commit({ state: { baseModel, recipe, seed, step, ...state }, engine, stable }) {
      const settings = { baseModel, recipe, seed };
      const engines = new Map([["policy", engine] as const, ["stable", stable]]);
      return checkpoints.commit({ settings, step, engines, state, values: null });
    },
    clear: () => checkpoints.clear(),
  };
}
