/**
 * Intercepts onnxruntime's calls to the device, for two purposes. Stand-in buffers in its bind
 * groups are replaced by the actual memory at any offset, which its own interface cannot express.
 * And the commands of a run are recorded, to be submitted again over other memory without
 * onnxruntime.
 *
 * A recording is valid where onnxruntime's captured graph is: commands depend only on memory, and
 * their resources stay alive. So only replays of captured graphs are recorded.
 */

/** The memory behind a stand-in; onnxruntime's binding determines the size. */
export type Placement = { readonly buffer: GPUBuffer; readonly offset: number };
export type Placements = ReadonlyMap<GPUBuffer, Placement>;

type Dispatch = {
  readonly kind: "dispatch";
  readonly pipeline: GPUComputePipeline;
  readonly group: GPUBindGroup;
  readonly workgroups: readonly [number, number, number] | null;
  /** Set if the counts are in memory. */
  readonly indirect: Placement | null;
};
type Copy = {
  readonly kind: "copy";
  readonly from: Placement;
  readonly to: Placement;
  readonly bytes: number;
};
type Command = Dispatch | Copy;

/** Commands ready to be submitted, bound to actual memory. */
export type BoundCommands = readonly Command[];

/** The commands of one run, over stand-ins. */
export class Recording {
  readonly #commands: readonly Command[];
  readonly #plans: ReadonlyMap<GPUBindGroup, GPUBindGroupDescriptor>;
  readonly #create: GPUDevice["createBindGroup"];

  constructor(
    commands: readonly Command[],
    plans: ReadonlyMap<GPUBindGroup, GPUBindGroupDescriptor>,
    create: GPUDevice["createBindGroup"],
  ) {
    this.#commands = commands;
    this.#plans = plans;
    this.#create = create;
  }

  bind(placements: Placements): BoundCommands {
    const bound = new Map<GPUBindGroup, GPUBindGroup>();
    return this.#commands.map((command): Command => {
      if (command.kind === "copy") {
        const { from, to } = command;
        return { ...command, from: placed(from, placements), to: placed(to, placements) };
      }
      const plan = this.#plans.get(command.group);
      if (plan === undefined) return command;
      let group = bound.get(command.group);
      if (group === undefined) {
        group = this.#create(place(plan, placements));
        bound.set(command.group, group);
      }
      return { ...command, group };
    });
  }
}

/** Submits bound commands. Returns the pass left open after the last one, for further use. */
export function encodeCommands(
  encoder: GPUCommandEncoder,
  commands: BoundCommands,
): GPUComputePassEncoder {
  let pass = encoder.beginComputePass();
  let pipeline: GPUComputePipeline | null = null;
  for (const command of commands) {
    if (command.kind === "copy") {
      pass.end();
      const { from, to, bytes } = command;
      encoder.copyBufferToBuffer(from.buffer, from.offset, to.buffer, to.offset, bytes);
      pass = encoder.beginComputePass();
      pipeline = null;
      continue;
    }
    if (command.pipeline !== pipeline) {
      pipeline = command.pipeline;
      pass.setPipeline(pipeline);
    }
    pass.setBindGroup(0, command.group);
    if (command.indirect !== null) {
      pass.dispatchWorkgroupsIndirect(command.indirect.buffer, command.indirect.offset);
    } else if (command.workgroups !== null) {
      pass.dispatchWorkgroups(...command.workgroups);
    }
  }
  return pass;
}

const NO_PLACEMENTS: Placements = new Map();

export class CommandTap {
  readonly #createBindGroup: GPUDevice["createBindGroup"];
  readonly #createCommandEncoder: GPUDevice["createCommandEncoder"];
  /** Groups with stand-ins, as onnxruntime requested them. Kept while a graph is captured. */
  #plans: Map<GPUBindGroup, GPUBindGroupDescriptor> | null = null;
  #standIns: ReadonlySet<GPUBuffer> = new Set();
  #placements: Placements = NO_PLACEMENTS;
  #commands: Command[] | null = null;
  #unknown: string | null = null;

  constructor(device: GPUDevice) {
    this.#createBindGroup = device.createBindGroup.bind(device);
    this.#createCommandEncoder = device.createCommandEncoder.bind(device);
    device.createBindGroup = (descriptor) => this.#bindGroup(descriptor);
    device.createCommandEncoder = (descriptor) => this.#encoder(descriptor);
    const { queue } = device;
    const writeBuffer = queue.writeBuffer.bind(queue) as (...all: unknown[]) => undefined;
    queue.writeBuffer = (...all: unknown[]) => {
      this.#unknown = "writeBuffer";
      return writeBuffer(...all);
    };
  }

  /** Runs `run` with the stand-ins replaced. */
  async during<T>(placements: Placements, run: () => Promise<T>): Promise<T> {
    this.#placements = placements;
    try {
      return await run();
    } finally {
      this.#placements = NO_PLACEMENTS;
    }
  }

  /**
   * Captures a graph in one run, then records a second run, which replays it.
   *
   * @returns `null` if a run does something that cannot be recorded.
   */
  async record(placements: Placements, run: () => Promise<unknown>): Promise<Recording | null> {
    const plans = new Map<GPUBindGroup, GPUBindGroupDescriptor>();
    this.#plans = plans;
    this.#standIns = new Set(placements.keys());
    try {
      await this.during(placements, run);
      const commands: Command[] = [];
      this.#unknown = null;
      this.#commands = commands;
      await this.during(placements, run);
      if (this.#unknown !== null || commands.length === 0) return null;
      return new Recording(commands, plans, this.#createBindGroup);
    } finally {
      this.#commands = null;
      this.#plans = null;
    }
  }

  #bindGroup(descriptor: GPUBindGroupDescriptor): GPUBindGroup {
    const group = this.#createBindGroup(place(descriptor, this.#placements));
    const entries = [...descriptor.entries];
    if (this.#plans !== null && entries.some((entry) => this.#standIns.has(bufferOf(entry)!))) {
      this.#plans.set(group, { layout: descriptor.layout, entries });
    }
    return group;
  }

  #encoder(descriptor?: GPUCommandEncoderDescriptor): GPUCommandEncoder {
    const encoder = this.#createCommandEncoder(descriptor);
    if (this.#placements.size === 0) return encoder;
    const copy = encoder.copyBufferToBuffer.bind(encoder) as (...all: unknown[]) => undefined;
    encoder.copyBufferToBuffer = (...all: unknown[]) => {
      if (all.length !== 5) {
        this.#unknown = "copyBufferToBuffer of whole buffers";
        return copy(...all);
      }
      const [fromBuffer, fromOffset, toBuffer, toOffset, bytes] = all as Copied;
      const from = { buffer: fromBuffer, offset: fromOffset };
      const to = { buffer: toBuffer, offset: toOffset };
      this.#commands?.push({ kind: "copy", from, to, bytes });
      const [source, target] = [placed(from, this.#placements), placed(to, this.#placements)];
      return copy(source.buffer, source.offset, target.buffer, target.offset, bytes);
    };
    const commands = this.#commands;
    if (commands === null) return encoder;
    const beginComputePass = encoder.beginComputePass.bind(encoder);
    this.#refuseOthers(encoder, ["beginComputePass", "copyBufferToBuffer", "finish"]);
    encoder.beginComputePass = (options) => this.#pass(beginComputePass(options), commands);
    return encoder;
  }

  #pass(pass: GPUComputePassEncoder, commands: Command[]): GPUComputePassEncoder {
    let pipeline: GPUComputePipeline | null = null;
    let group: GPUBindGroup | null = null;
    const setPipeline = pass.setPipeline.bind(pass);
    const setBindGroup = pass.setBindGroup.bind(pass) as (...all: unknown[]) => undefined;
    const dispatch = pass.dispatchWorkgroups.bind(pass);
    const dispatchIndirect = pass.dispatchWorkgroupsIndirect.bind(pass);
    this.#refuseOthers(pass, [
      "setPipeline",
      "setBindGroup",
      "dispatchWorkgroups",
      "dispatchWorkgroupsIndirect",
      "end",
    ]);
    const add = (
      workgroups: readonly [number, number, number] | null,
      indirect: Placement | null,
    ): void => {
      if (pipeline === null || group === null) this.#unknown = "a dispatch without its group";
      else commands.push({ kind: "dispatch", pipeline, group, workgroups, indirect });
    };
    pass.setPipeline = (next) => {
      pipeline = next;
      return setPipeline(next);
    };
    pass.setBindGroup = (...all: unknown[]) => {
      const [index, next] = all as [number, GPUBindGroup];
      if (index !== 0 || all.length > 2) this.#unknown = "setBindGroup with offsets";
      group = next;
      return setBindGroup(...all);
    };
    pass.dispatchWorkgroups = (x, y = 1, z = 1) => {
      add([x, y, z], null);
      return dispatch(x, y, z);
    };
    pass.dispatchWorkgroupsIndirect = (buffer, offset) => {
      add(null, { buffer, offset });
      return dispatchIndirect(buffer, offset);
    };
    return pass;
  }

  /** Calling any other method invalidates the recording. */
  #refuseOthers(target: object, known: readonly string[]): void {
    const methods = target as { [name: string]: unknown };
    for (const name of Object.getOwnPropertyNames(Object.getPrototypeOf(target))) {
      if (known.includes(name) || name === "constructor" || name === "label") continue;
      const method = methods[name];
      if (typeof method !== "function") continue;
      methods[name] = (...all: unknown[]): unknown => {
        this.#unknown = name;
        return Reflect.apply(method, target, all);
      };
    }
  }
}

/** Arguments of `copyBufferToBuffer`. */
type Copied = [GPUBuffer, number, GPUBuffer, number, number];

function placed({ buffer, offset }: Placement, placements: Placements): Placement {
  const placement = placements.get(buffer);
  if (placement === undefined) return { buffer, offset };
  return { buffer: placement.buffer, offset: placement.offset + offset };
}

function bufferOf({ resource }: GPUBindGroupEntry): GPUBuffer | undefined {
  return (resource as Partial<GPUBufferBinding>).buffer;
}

function place(
  { layout, entries }: GPUBindGroupDescriptor,
  placements: Placements,
): GPUBindGroupDescriptor {
  return {
    layout,
    entries: [...entries].map((entry) => {
      const buffer = bufferOf(entry);
      const placement = buffer && placements.get(buffer);
      if (placement === undefined) return entry;
      const { offset = 0, size } = entry.resource as GPUBufferBinding;
      const moved = { buffer: placement.buffer, offset: placement.offset + offset };
      return {
        binding: entry.binding,
        resource: size === undefined ? moved : { ...moved, size },
      };
    }),
  };
}
