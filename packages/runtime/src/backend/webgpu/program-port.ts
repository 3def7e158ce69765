/** Inputs and outputs of a decoder graph, and those that a branch graph adds. */
import type { DecoderGraph, InputForm } from "@waggle/model";
import type { ElementType } from "../cpu/cpu-device.ts";
import type { StepShape } from "./step-inputs.ts";

export type ProgramGraph = Pick<DecoderGraph, "states" | "dtype" | "activations">;

export type AddPort = (name: string, shape: Port["shape"], options?: Partial<Port>) => void;

/** A graph's input or output, or both if it is written in place. */
export type Port = {
  readonly standIn: GPUBuffer;
  readonly type: ElementType;
  readonly input: string | null;
  readonly output: string | null;
  readonly shape: (step: StepShape) => readonly number[];
  /** Set if the host reads it. */
  readonly onHost?: (step: StepShape) => number;
};

/** A branch graph. */
export type BranchForm = {
  readonly form: InputForm;
  /** Adds inputs besides tokens, states and adapters. */
  readonly addPorts: (add: AddPort, graph: ProgramGraph) => void;
};
