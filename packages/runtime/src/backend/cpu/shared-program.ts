/**
 * The graph of one set of weights while sessions use it. Initially the plain one, which is the
 * fastest for single steps. When a session first branches, small models load a second graph with
 * its own weights; large models replace the plain graph by one that runs both ways.
 */
import { BRANCHES, PACKED_INPUTS, PACKED_OR_BRANCHES } from "@waggle/model";
import type { DecoderConfig, InputForm } from "@waggle/model";
import { WaggleError } from "@waggle/protocol";
import type { Awaitable } from "../decoder-backend.ts";
import { BranchSwitch } from "./branch-switch.ts";
import type { CpuDevice, CpuProgram, Operand } from "./cpu-device.ts";

/** A graph with the inputs of every run, besides the run's own inputs and an adapter. */
export type FedProgram = { readonly program: CpuProgram; readonly fed: readonly Operand[] };

/** The graphs that a session runs. */
export interface Programs {
  /** For rows without a prefix. It may be replaced when a session first branches. */
  readonly packed: FedProgram;
  /** The branch graph, loaded when first needed. No run may be in progress. */
  branches(): Awaitable<FedProgram>;
}

/** A session whose runs are bound to a program. */
export interface ProgramUser {
  /** Releases every bound run, because the program is going away. */
  unbind(): void;
}

type SharedProgramOptions = {
  readonly device: CpuDevice;
  readonly config: DecoderConfig;
  /** Rank of adapters as inputs; 0 for none. */
  readonly rank: number;
  /** Whether the weights are loaded a second time once a session has branched. */
  readonly branchWeights: "twice" | "once";
  readonly load: (inputs: InputForm) => Promise<CpuProgram>;
};

export class SharedProgram implements Programs {
  readonly users: Set<ProgramUser> = new Set();
  readonly #options: SharedProgramOptions;
  /** `null` while it is being replaced, and if that failed. */
  #packed: FedProgram | null;
  #branching: Promise<FedProgram> | null = null;
  #branches: FedProgram | null = null;
  #switch: BranchSwitch | null = null;

  private constructor(options: SharedProgramOptions, program: CpuProgram) {
    this.#options = options;
    this.#packed = { program, fed: [] };
  }

  static async open(options: SharedProgramOptions): Promise<SharedProgram> {
    return new SharedProgram(options, await options.load(PACKED_INPUTS));
  }

  get rank(): number {
    return this.#options.rank;
  }

  get sizeBytes(): number {
    const programs = new Set([this.#packed?.program, this.#branches?.program]);
    return [...programs].reduce((sum, program) => sum + (program?.sizeBytes ?? 0), 0);
  }

  /** @throws WaggleError `DEVICE_LOST` (retryable) if there was no memory to replace it. */
  get packed(): FedProgram {
    if (this.#packed !== null) return this.#packed;
    throw new WaggleError(
      "DEVICE_LOST",
      "the model could not be loaded again for branches; open it again",
      { retryable: true },
    );
  }

  branches(): Promise<FedProgram> {
    this.#branching ??= this.#load().catch((error: unknown) => {
      this.#branching = null;
      throw error;
    });
    return this.#branching;
  }

  async release(): Promise<void> {
    await this.#branching?.catch(() => undefined);
    const programs = new Set([this.#packed?.program, this.#branches?.program]);
    for (const program of programs) await program?.release();
    this.#switch?.free();
  }

  async #load(): Promise<FedProgram> {
    const { device, config, branchWeights, load } = this.#options;
    if (branchWeights === "twice") {
      this.#branches = { program: await load(BRANCHES), fed: [] };
      return this.#branches;
    }
    const plain = this.#packed;
    this.#packed = null;
    for (const user of this.users) user.unbind();
    await plain?.program.release();
    this.#switch ??= new BranchSwitch(device, config);
    const { packed, branches } = this.#switch;
    const program = await load(PACKED_OR_BRANCHES);
    this.#packed = { program, fed: packed };
    this.#branches = { program, fed: branches };
    return this.#branches;
  }
}
