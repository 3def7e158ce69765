/**
 * The state of a pretraining run on disk. Each save replaces it atomically, so a kill leaves the
 * previous one.
 */
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { readSafetensors, writeSafetensors } from "@waggle/model";
import { WaggleError } from "@waggle/protocol";
import type { EngineCheckpoint } from "@waggle/protocol";
import { writeDurably } from "./checkpoint-store.ts";

/** One measurement of a run. */
export type CurvePoint = {
  readonly step: number;
  readonly tokens: number;
  /** Mean −log π of the policy's tokens on fresh demonstrations, in nats. */
  readonly assistantLoss: number;
  /** The same on digits that the policy writes: ids, amounts, prices. */
  readonly digitLoss: number;
  readonly learningRate: number;
  readonly gradientNorm: number;
  readonly seconds: number;
};

/** Seed and progress of a pretraining run. */
export type RunState = {
  readonly seed: number;
  readonly totalSteps: number;
  readonly curve: readonly CurvePoint[];
  readonly tokens: number;
  readonly seconds: number;
};

/** A pretraining run's state with its engine. */
export type RunCheckpoint = { readonly state: RunState; readonly engine: EngineCheckpoint };

const STATE = "run_state";
const CHECKPOINT = "checkpoint.safetensors";

/** Saves the complete state of a run in one file. */
export async function saveRun(folder: string, run: RunCheckpoint): Promise<void> {
  await mkdir(folder, { recursive: true });
  const metadata = { [STATE]: JSON.stringify(run.state), step: String(run.engine.step) };
  await writeDurably(folder, CHECKPOINT, writeSafetensors(run.engine.tensors, metadata));
}

/** @throws WaggleError `CHECKPOINT_CORRUPT` if the folder has no readable run. */
export async function loadRun(folder: string): Promise<RunCheckpoint> {
  const path = join(folder, CHECKPOINT);
  try {
    const { tensors, metadata } = readSafetensors(await readFile(path));
    const state = JSON.parse(metadata[STATE] ?? "null") as RunState;
    if (!Number.isInteger(state.totalSteps)) throw new Error("no run state");
    return { state, engine: { step: Number(metadata["step"]), tensors } };
  } catch (cause) {
    throw new WaggleError(
      "CHECKPOINT_CORRUPT",
      `there is no readable checkpoint to resume at ${path}; start without --resume`,
      { cause },
    );
  }
}
