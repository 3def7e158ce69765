/**
 * The minimum time of a step of branches: each of its kernels alone, on tensors of the step's
 * sizes. The rest of a step's time is spent on the nodes between them.
 */
import { BRANCHES, branchesBy, buildDecoderGraph, OnnxGraphBuilder } from "@waggle/model";
import type { InputForm } from "@waggle/model";
import type { CpuDevice, CpuProgram, Operand } from "../../src/backend/cpu/cpu-device.ts";
import { createWasmDevice } from "../../src/backend/cpu/wasm-device.ts";
import { sampleToken } from "../../src/sampler.ts";
import { BENCH_CONFIGS, benchWeights } from "../bench-models.ts";
import type { BenchModelName } from "../bench-models.ts";
import { interleavedBest } from "../interleaved.ts";

export type GroupFloorOptions = {
  readonly model: BenchModelName;
  readonly rounds: number;
  readonly prefix: number;
  readonly group: number;
  /** Room for own positions of each branch. */
  readonly own: number;
};

/** Milliseconds of one step of the whole group, over all layers. */
export type GroupFloorResult = {
  readonly step: number;
  readonly parts: { readonly [part: string]: number };
};

/** Runs per measurement. */
const RUNS = 20;

/** A layer without attention: its linears, and writing keys and values to their places. */
const WITHOUT_ATTENTION: InputForm = branchesBy(
  "cpu",
  ({ graph, config }, layer, { query, key, value }, present, { slots }) => {
    const heads = graph.ints([-1, config.keyValueHeads, 1, config.headSize]);
    for (const [part, x] of [["key", key] as const, ["value", value] as const]) {
      const past = `past_key_values.${layer}.${part}`;
      const token = graph.op("Reshape", [x, heads]);
      graph.node("ScatterND", [past, slots, token], { outputs: [present[part]] });
    }
    return query;
  },
);

export async function measure(options: GroupFloorOptions): Promise<GroupFloorResult> {
  const { model, rounds, prefix, group, own } = options;
  const { heads, keyValueHeads, headSize, layers, vocabularySize } = BENCH_CONFIGS[model];
  const device = await createWasmDevice(1);
  const logits = Float32Array.from({ length: vocabularySize }, (_, i) => 4 * Math.sin(i * i));
  const perHead = heads / keyValueHeads;
  const rows = group * perHead;
  const product = (transB: 0 | 1) => ({ domain: "com.microsoft", attributes: { transB } });
  const kernels = {
    "scores of the prefix": await kernel(
      "FusedMatMul",
      [
        [keyValueHeads, rows, headSize],
        [keyValueHeads, headSize, prefix],
      ],
      product(0),
    ),
    "softmax of all": await kernel("Softmax", [[keyValueHeads, rows, prefix + own]], {
      attributes: { axis: -1 },
    }),
    "values of the prefix": await kernel(
      "FusedMatMul",
      [
        [keyValueHeads, rows, prefix],
        [keyValueHeads, prefix, headSize],
      ],
      product(0),
    ),
    "own scores": await kernel(
      "FusedMatMul",
      [
        [group, keyValueHeads, perHead, headSize],
        [group, keyValueHeads, own, headSize],
      ],
      product(1),
    ),
    "own values": await kernel(
      "FusedMatMul",
      [
        [group, keyValueHeads, perHead, own],
        [group, keyValueHeads, own, headSize],
      ],
      product(0),
    ),
    "all but attention": await step(WITHOUT_ATTENTION),
    sampling,
  };
  const runs = [await step(BRANCHES), ...Object.values(kernels)];
  const [whole = 0, ...times] = await interleavedBest(
    rounds,
    runs.map((run) => async () => {
      const start = performance.now();
      for (let i = 0; i < RUNS; i++) run();
      return (performance.now() - start) / RUNS;
    }),
  );
  device.dispose();
  const parts = Object.fromEntries(Object.keys(kernels).map((name, i) => [name, times[i] ?? 0]));
  return { step: whole + (parts["sampling"] ?? 0), parts };

  function sampling(): void {
    const distribution = { temperature: 1, topK: 0, topP: 1 };
    for (let row = 0; row < group; row++) sampleToken(logits, distribution, (row + 0.5) / group);
  }

  /** One node per layer, on tensors of its own. */
  async function kernel(
    opType: string,
    shapes: readonly (readonly number[])[],
    node: Parameters<OnnxGraphBuilder["node"]>[2],
  ): Promise<() => void> {
    const graph = new OnnxGraphBuilder();
    const inputs: Operand[] = [];
    const sizes: string[] = [];
    for (let layer = 0; layer < layers; layer++) {
      const names = shapes.map((shape, i) => {
        const name = `x${layer}.${i}`;
        inputs.push(tensor(device, name, shape));
        // With known sizes the runtime could optimize the node away.
        return graph.input(
          name,
          "f32",
          shape.map((_, axis) => `${name}.${axis}`),
        );
      });
      const y = graph.op(opType, names, node);
      const size = graph.op("Shape", [y], { attributes: { start: 0, end: 1 } });
      sizes.push(graph.op("Cast", [size], { attributes: { to: 1 } }));
    }
    const [sum] = graph.node("Sum", sizes, { outputs: ["sum"] });
    graph.output(sum as string, "f32", [1]);
    const program = await device.load({ model: graph.build(), externalData: [] });
    const run = program.bind(inputs, [tensor(device, "sum", [1])]);
    return () => void run.execute();
  }

  async function step(inputs: InputForm): Promise<() => void> {
    const config = BENCH_CONFIGS[model];
    const built = await buildDecoderGraph(config, benchWeights(model), {
      lora: null,
      logitRows: true,
      inputs,
    });
    const program: CpuProgram = await device.load(built);
    const ints = (name: string, shape: readonly number[], values: readonly number[]): Operand => {
      const operand = tensor(device, name, shape);
      operand.buffer.ints(0, values.length).set(values);
      return { ...operand, type: "i32" };
    };
    const all = Array.from({ length: group }, (_, row) => row);
    const slots = all.flatMap((row) =>
      Array.from({ length: keyValueHeads }, (_, head) => [row, head, own - 1]).flat(),
    );
    const states = Array.from({ length: layers }, (_, layer) =>
      ["key", "value"].map((part) => {
        const state = tensor(device, "", [group, keyValueHeads, own, headSize]);
        return {
          past: { ...state, name: `past_key_values.${layer}.${part}` },
          present: { ...state, name: `present.${layer}.${part}` },
        };
      }),
    ).flat();
    const prefixes = Array.from({ length: layers }, (_, layer) => [
      tensor(device, `prefix.${layer}.key`, [1, keyValueHeads, headSize, prefix]),
      tensor(device, `prefix.${layer}.value`, [1, keyValueHeads, prefix, headSize]),
    ]);
    const run = program.bind(
      [
        ints("input_ids", [group, 1], all),
        ints(
          "positions",
          [group, 1],
          all.map(() => prefix + own - 1),
        ),
        ints("logit_rows", [group], all),
        ints("slots", [group, keyValueHeads, 1, 3], slots),
        tensor(device, "own_bias", [group, 1, 1, own]),
        ...prefixes.flat(),
        ...states.map(({ past }) => past),
      ],
      [
        tensor(device, "logits", [1, group, vocabularySize]),
        ...states.map(({ present }) => present),
      ],
    );
    return () => void run.execute();
  }
}

/** A tensor in new memory, with numbers like those of a model's keys. */
function tensor(device: CpuDevice, name: string, shape: readonly number[]): Operand {
  const count = shape.reduce((product, size) => product * size, 1);
  const buffer = device.allocate(4 * count);
  const numbers = buffer.floats(0, count);
  for (let i = 0; i < count; i++) numbers[i] = Math.sin(i * 12.9898);
  return { name, buffer, offset: 0, type: "f32", shape };
}
