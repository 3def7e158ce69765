/**
 * A decoder graph in onnxruntime, run over memory chosen for each run. For single tokens, commands
 * are recorded: onnxruntime captures the graph once per number of rows, its replay is recorded, and
 * afterwards the commands are submitted without it, over any block and any adapter. Other runs of
 * the session are not captured.
 */
import { adapterGraphInputs, assembleDecoder, stateShape } from "@waggle/model";
import type { DecoderConfig, DecoderState, TensorSource, WeightFormat } from "@waggle/model";
import { boundary } from "@waggle/protocol";
import type { TensorMap } from "@waggle/protocol";
import type { CommandTap, Placement, Placements, Recording } from "./command-tap.ts";
import type { GpuMemory } from "./gpu-memory.ts";
import type { AddPort, BranchForm, Port, ProgramGraph } from "./program-port.ts";
import type { BranchProgram, ForkedProgram } from "./shared-steps.ts";
import type { StepShape } from "./step-inputs.ts";
import type { CreateWebgpuGraph, GpuOperand, WebgpuGraph } from "./webgpu-graph.ts";
import type { WeightMemory } from "./weight-memory.ts";

export type DecoderProgramOptions = {
  readonly createGraph: CreateWebgpuGraph;
  readonly memory: GpuMemory;
  readonly tap: CommandTap;
  readonly config: DecoderConfig;
  readonly weights: WeightMemory;
  readonly dtype: WeightFormat;
  /** Rank of adapters as graph inputs; 0 for a graph without. */
  readonly rank: number;
  /** Positions of every cache. */
  readonly capacity: number;
  readonly replay: boolean;
  /** Absent: a graph for all runs. */
  readonly branches?: BranchForm;
};

const UNCAPTURED = -1;

export class DecoderProgram implements BranchProgram, ForkedProgram {
  /** Number of sessions that use it. */
  users = 0;
  readonly graph: ProgramGraph;
  readonly options: DecoderProgramOptions;
  branches: Promise<BranchProgram> | null = null;
  readonly loadBranches: WebgpuGraph["loadBranches"];
  readonly #graph: WebgpuGraph;
  readonly #ports: ReadonlyMap<string, Port>;
  readonly #recordings = new Map<number, Recording>();
  #released: Promise<void> | null = null;
  #replays: boolean;

  /** @param weights - for the first program of a model, whose weights are not on the device yet. */
  static async open(
    options: DecoderProgramOptions,
    weights: TensorMap | TensorSource = new Map(),
  ): Promise<DecoderProgram> {
    const { createGraph, memory, config, dtype, rank, capacity } = options;
    const lora = rank === 0 ? null : { rank };
    const { graph, ...facts } = await assembleDecoder(config, weights, {
      lora,
      dtype,
      maxPositions: capacity,
      logitRows: true,
      inputs: options.branches?.form,
      store: options.weights,
    });
    // Windows of branches are biases, which capturing preserves.
    const captures = options.branches ? facts.states.every(isInPlace) : canCapture(facts.states);
    const creation = boundary("device", () => createGraph(graph.build(), memory.device, captures));
    return new DecoderProgram(options, await memory.untilLost(creation), facts, captures);
  }

  private constructor(
    options: DecoderProgramOptions,
    compiled: WebgpuGraph,
    graph: ProgramGraph,
    captures: boolean,
  ) {
    this.options = options;
    this.#graph = compiled;
    this.loadBranches = compiled.loadBranches;
    this.graph = graph;
    this.#replays = options.replay && captures;
    this.#ports = portsOf(options, graph, captures);
  }

  /** Whether steps of single tokens use recorded commands. */
  get replays(): boolean {
    return this.#replays;
  }

  /** Placements by stand-in, from placements by name: inputs, `logits`, separate outputs. */
  placements(named: { readonly [name: string]: Placement }): Placements {
    const placements = new Map<GPUBuffer, Placement>();
    for (const [name, { standIn }] of this.#ports) {
      const placement = named[name];
      if (placement === undefined) throw new Error(`no memory for ${name}`);
      placements.set(standIn, placement);
    }
    return placements;
  }

  /** One normal run. */
  async run(shape: StepShape, placements: Placements): Promise<void> {
    const { tap, memory } = this.options;
    const done = tap.during(placements, () => this.#run(shape, UNCAPTURED));
    await memory.untilLost(done);
  }

  /**
   * The commands of a step of one token in each row, `null` if they cannot be recorded. The first
   * call for a number of rows also runs the step.
   *
   * @param id - identifies the shape, on which the commands depend.
   * @returns whether the step has already run.
   */
  async record(
    shape: StepShape,
    placements: Placements,
    id: number = shape.rows,
  ): Promise<{ readonly recording: Recording | null; readonly hasRun: boolean }> {
    const known = this.#recordings.get(id);
    if (known !== undefined) return { recording: known, hasRun: false };
    const { tap, memory } = this.options;
    const recording = await memory.untilLost(tap.record(placements, () => this.#run(shape, id)));
    if (recording === null) this.#replays = false;
    else this.#recordings.set(id, recording);
    return { recording, hasRun: true };
  }

  openBranches(branches: BranchForm): Promise<BranchProgram> {
    return DecoderProgram.open({ ...this.options, branches });
  }

  /** Frees it. A second call waits for the first. */
  release(): Promise<void> {
    return (this.#released ??= this.#free());
  }

  async #free(): Promise<void> {
    for (const { standIn } of this.#ports.values()) standIn.destroy();
    await this.#graph.release();
    await (await this.branches)?.release();
  }

  #run(shape: StepShape, graphId: number): Promise<void> {
    const inputs: GpuOperand[] = [...this.options.weights.tensors.values()];
    const outputs: GpuOperand[] = [];
    for (const { standIn, type, input, output, onHost, shape: shapeOf } of this.#ports.values()) {
      const tensor = { type, shape: shapeOf(shape), value: onHost?.(shape) ?? standIn };
      if (input !== null) inputs.push({ ...tensor, name: input });
      if (output !== null) outputs.push({ ...tensor, name: output });
    }
    return boundary("device", () => this.#graph.run(inputs, outputs, graphId));
  }
}

/**
 * Whether a captured graph computes the decoder correctly. onnxruntime 1.30.0 captures nothing if a
 * node runs on the host, as those of convolutions do, and attention in its capturing sessions
 * ignores the window of sliding layers.
 */
export function canCapture(states: readonly DecoderState[]): boolean {
  return states.every((state) => isInPlace(state) && state.window === null);
}

function portsOf(
  { memory, config, rank, capacity, branches }: DecoderProgramOptions,
  graph: ProgramGraph,
  captures: boolean,
): Map<string, Port> {
  const ports = new Map<string, Port>();
  const add: AddPort = (name, shape, options) => {
    const standIn = memory.create("scratch", 16);
    ports.set(name, { standIn, type: "i32", input: name, output: null, shape, ...options });
  };
  add("input_ids", ({ rows, length }) => [rows, length]);
  add("logit_rows", ({ logits }) => [logits]);
  add("logits", ({ logits }) => [1, logits, config.vocabularySize], {
    type: "f32",
    input: null,
    output: "logits",
  });
  if (branches === undefined) {
    add("seqlens_k", ({ rows }) => [rows]);
    // Attention reads it on the host, unless its session captures graphs.
    const onHost = ({ totalLength }: StepShape): number => totalLength;
    add("total_sequence_length", () => [], captures ? {} : { onHost });
  } else branches.addPorts(add, graph);
  for (const state of graph.states) {
    const { past, present } = state;
    const type = state.dtype;
    const shape: Port["shape"] = ({ rows, room = capacity }) => stateShape(state, rows, room);
    if (isInPlace(state)) add(past, shape, { type, output: present });
    else {
      add(past, shape, { type });
      add(present, shape, { type, input: null, output: present });
    }
  }
  if (rank > 0) {
    for (const [name, { shape }] of adapterGraphInputs(config, null, rank)) {
      const type = graph.activations;
      add(name, () => shape, { type });
    }
  }
  return ports;
}

/** True for keys and values: attention writes new positions into the buffer that it reads. */
export function isInPlace(state: DecoderState): boolean {
  return state.rowShape.includes("positions");
}
