/**
 * Interfaces for steps of sequences with a long common prefix, between sessions and graphs.
 * `branch-steps.ts` implements them and is loaded with the first long fork.
 */
import type { DecoderRow, RowResult } from "../decoder-backend.ts";
import type { AdapterMemory } from "./adapter-memory.ts";
import type { CacheStore } from "./cache-rows.ts";
import type { Placement, Placements, Recording } from "./command-tap.ts";
import type { GpuMemory } from "./gpu-memory.ts";
import type { GpuSampler } from "./gpu-sampler.ts";
import type { BranchForm, ProgramGraph } from "./program-port.ts";
import type { StepInputs, StepShape } from "./step-inputs.ts";

/** Prefix length from which one product for all forks is faster than one for each. */
export const MIN_SHARED_LENGTH = 128;

export interface SharedSteps {
  /** Runs rows that share a prefix and sets their results; leaves the others alone. */
  run(rows: readonly DecoderRow[], results: RowResult[]): Promise<void>;
  dispose(): void;
}

/** The graph that computes such steps. */
export interface BranchProgram {
  /** Whether steps use recorded commands. */
  readonly replays: boolean;
  /** Placements by stand-in, from placements by name. */
  placements(named: { readonly [name: string]: Placement }): Placements;
  /** One normal run. */
  run(shape: StepShape, placements: Placements): Promise<void>;
  /** @returns the commands of a step (`null` if they cannot be recorded), and whether it has run. */
  record(
    shape: StepShape,
    placements: Placements,
    id: number,
  ): Promise<{ readonly recording: Recording | null; readonly hasRun: boolean }>;
  /** Frees it. A second call waits for the first. */
  release(): Promise<void>;
}

/** The graph of the session that forks. */
export interface ForkedProgram {
  readonly graph: ProgramGraph;
  /** The branch graph over the same weights, once it is needed. Released with this one. */
  branches: Promise<BranchProgram> | null;
  /** Opens a branch graph. */
  openBranches(form: BranchForm): Promise<BranchProgram>;
}

export type SharedStepsOptions = {
  readonly memory: GpuMemory;
  readonly program: ForkedProgram;
  readonly adapter: AdapterMemory;
  readonly inputs: StepInputs;
  readonly sampler: GpuSampler;
  /** `[maxRunScores, V]`, shared by all sessions, because runs do not overlap. */
  readonly logits: GPUBuffer;
  readonly contextLength: number;
  readonly maxRows: number;
};

export type SharedStepsClass = new (options: SharedStepsOptions, caches: CacheStore) => SharedSteps;
