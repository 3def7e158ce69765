/**
 * A decoder graph in onnxruntime, run over memory that is chosen at each run. Single tokens are read
 * by recorded commands: onnxruntime captures the graph once for a number of rows, its replay is
 * recorded, and from then on the commands are submitted without it, over any block and any adapter.
 *
 * onnxruntime 1.30.0 switches capturing on for a whole session and then wants every tensor bound the
 * same; a switch that answers "yes" only once, when the session is made, gives sessions that capture
 * runs with a graph id of 0 or more and run the rest as usual.
 */
import { adapterGraphInputs, buildDecoderGraph, stateShape } from "@waggle/model";
import type {
  DecoderConfig,
  DecoderGraph,
  DecoderState,
  TensorSource,
  WeightFormat,
} from "@waggle/model";
import { boundary } from "@waggle/protocol";
import type { TensorMap } from "@waggle/protocol";
import type * as OrtWeb from "onnxruntime-web";
import type { CommandTap, Placement, Placements, Recording } from "./command-tap.ts";
import type { GpuMemory } from "./gpu-memory.ts";
import type { StepShape } from "./step-inputs.ts";

export type DecoderProgramOptions = {
  readonly ort: typeof OrtWeb;
  readonly memory: GpuMemory;
  readonly tap: CommandTap;
  readonly config: DecoderConfig;
  readonly weights: TensorMap | TensorSource;
  readonly dtype: WeightFormat;
  /** Of adapters that are graph inputs; 0 for a graph without. */
  readonly rank: number;
  /** Positions of every cache. */
  readonly capacity: number;
  readonly replay: boolean;
};

/** A graph's input or output, or both where it is written in place. */
type Port = {
  readonly standIn: GPUBuffer;
  readonly dtype: "float32" | "float16" | "int32";
  readonly input: string | null;
  readonly output: string | null;
  readonly shape: (step: StepShape) => readonly number[];
};

const UNCAPTURED = { extra: { gpu_graph_id: "-1" } };

export class DecoderProgram {
  /** Sessions that use it. */
  users = 0;
  readonly rank: number;
  readonly graph: Pick<DecoderGraph, "states" | "dtype" | "activations">;
  readonly #session: OrtWeb.InferenceSession;
  readonly #options: DecoderProgramOptions;
  readonly #ports: ReadonlyMap<string, Port>;
  readonly #recordings = new Map<number, Recording>();
  readonly #captures: boolean;
  #released: Promise<void> | null = null;
  #replays: boolean;

  static async open(options: DecoderProgramOptions): Promise<DecoderProgram> {
    const { ort, memory, config, weights, dtype, rank, capacity } = options;
    const lora = rank === 0 ? null : { rank };
    const { model, externalData, ...graph } = await buildDecoderGraph(config, weights, {
      lora,
      dtype,
      maxPositions: capacity,
      logitRows: true,
    });
    const captures = canCapture(graph.states);
    const plainOptions: OrtWeb.InferenceSession.SessionOptions = {
      executionProviders: [{ name: "webgpu", device: memory.device }],
      externalData: [...externalData],
      preferredOutputLocation: "gpu-buffer",
    };
    const sessionOptions = captures ? onceCapturing(plainOptions) : plainOptions;
    memory.foreignUse = "weights";
    const creation = boundary("device", () =>
      ort.InferenceSession.create(model, sessionOptions),
    ).finally(() => {
      memory.foreignUse = "scratch";
    });
    return new DecoderProgram(options, await memory.untilLost(creation), graph);
  }

  private constructor(
    options: DecoderProgramOptions,
    session: OrtWeb.InferenceSession,
    graph: Pick<DecoderGraph, "states" | "dtype" | "activations">,
  ) {
    this.#options = options;
    this.#session = session;
    this.graph = graph;
    this.rank = options.rank;
    this.#captures = canCapture(graph.states);
    this.#replays = options.replay && this.#captures;
    this.#ports = portsOf(options, graph);
  }

  /** Whether steps of single tokens go by recorded commands. */
  get replays(): boolean {
    return this.#replays;
  }

  /** Placements by stand-in, from placements by name: inputs, `logits`, outputs of their own. */
  placements(named: { readonly [name: string]: Placement }): Placements {
    const placements = new Map<GPUBuffer, Placement>();
    for (const [name, { standIn }] of this.#ports) {
      const placement = named[name];
      if (placement === undefined) throw new Error(`no memory is placed for ${name}`);
      placements.set(standIn, placement);
    }
    return placements;
  }

  /** One ordinary run. */
  async run(shape: StepShape, totalLength: number, placements: Placements): Promise<void> {
    const { tap, memory } = this.#options;
    const done = tap.during(placements, () => this.#run(shape, totalLength, UNCAPTURED));
    await memory.untilLost(done);
  }

  /**
   * The commands of a step of one token in each row, `null` where they cannot be recorded. The first
   * call for a number of rows also runs the step.
   *
   * @returns whether the step has run already.
   */
  async record(
    rows: number,
    placements: Placements,
  ): Promise<{ readonly recording: Recording | null; readonly hasRun: boolean }> {
    const known = this.#recordings.get(rows);
    if (known !== undefined) return { recording: known, hasRun: false };
    const { tap, memory } = this.#options;
    const options = { extra: { gpu_graph_id: String(rows) } };
    const shape = { rows, length: 1, logits: rows };
    const recording = await memory.untilLost(
      tap.record(placements, () => this.#run(shape, 0, options)),
    );
    if (recording === null) this.#replays = false;
    else this.#recordings.set(rows, recording);
    return { recording, hasRun: true };
  }

  /** Frees it; a second call waits for the first. */
  release(): Promise<void> {
    return (this.#released ??= this.#free());
  }

  async #free(): Promise<void> {
    for (const { standIn } of this.#ports.values()) standIn.destroy();
    await this.#session.release();
  }

  #run(
    shape: StepShape,
    totalLength: number,
    options: OrtWeb.InferenceSession.RunOptions,
  ): Promise<unknown> {
    const { Tensor } = this.#options.ort;
    const feeds: { [name: string]: OrtWeb.Tensor } = {};
    const fetches: { [name: string]: OrtWeb.Tensor } = {};
    for (const { standIn, dtype, input, output, shape: shapeOf } of this.#ports.values()) {
      const tensor = Tensor.fromGpuBuffer(standIn, {
        dataType: dtype,
        dims: [...shapeOf(shape)],
      });
      if (input !== null) feeds[input] = tensor;
      if (output !== null) fetches[output] = tensor;
    }
    // Attention reads it on the host, unless its session captures graphs.
    if (!this.#captures) {
      feeds["total_sequence_length"] = new Tensor("int32", Int32Array.of(totalLength), []);
    }
    return boundary("device", () => this.#session.run(feeds, fetches, options));
  }
}

/**
 * Whether a captured graph computes the decoder rightly. onnxruntime 1.30.0 captures nothing where a
 * node runs on the host, as those of convolutions do, and the attention of its capturing sessions
 * forgets the window of sliding layers.
 */
export function canCapture(states: readonly DecoderState[]): boolean {
  return states.every((state) => isInPlace(state) && state.window === null);
}

/** Session options whose `enableGraphCapture` is true when it is read first, and never again. */
function onceCapturing(
  options: OrtWeb.InferenceSession.SessionOptions,
): OrtWeb.InferenceSession.SessionOptions {
  let reads = 0;
  return Object.defineProperty(options, "enableGraphCapture", {
    enumerable: true,
    get: () => (reads++ === 0 ? true : undefined),
  });
}

function portsOf(
  { memory, config, rank, capacity }: DecoderProgramOptions,
  graph: Pick<DecoderGraph, "states" | "activations">,
): Map<string, Port> {
  const ports = new Map<string, Port>();
  const add = (name: string, port: Omit<Port, "standIn">): void => {
    ports.set(name, { ...port, standIn: memory.create("scratch", 16) });
  };
  const integers = (name: string, shape: Port["shape"]): void =>
    add(name, { dtype: "int32", input: name, output: null, shape });
  integers("input_ids", ({ rows, length }) => [rows, length]);
  integers("seqlens_k", ({ rows }) => [rows]);
  integers("total_sequence_length", () => []);
  integers("logit_rows", ({ logits }) => [logits]);
  add("logits", {
    dtype: "float32",
    input: null,
    output: "logits",
    shape: ({ logits }) => [logits, config.vocabularySize],
  });
  const dtypeOf = (dtype: "f32" | "f16"): "float32" | "float16" =>
    dtype === "f16" ? "float16" : "float32";
  for (const state of graph.states) {
    const { past, present } = state;
    const dtype = dtypeOf(state.dtype);
    const shape: Port["shape"] = ({ rows }) => stateShape(state, rows, capacity);
    if (isInPlace(state)) add(past, { dtype, input: past, output: present, shape });
    else {
      add(past, { dtype, input: past, output: null, shape });
      add(present, { dtype, input: null, output: present, shape });
    }
  }
  if (rank > 0) {
    for (const [name, { shape }] of adapterGraphInputs(config, null, rank)) {
      const dtype = dtypeOf(graph.activations);
      add(name, { dtype, input: name, output: null, shape: () => shape });
    }
  }
  return ports;
}

/** Keys and values are: attention writes the new positions into the buffer that it reads. */
export function isInPlace(state: DecoderState): boolean {
  return state.rowShape.includes("positions");
}
