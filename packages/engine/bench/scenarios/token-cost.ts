/**
 * Cost of a token as batches grow in number and length, with attention measured separately and
 * subtracted, and cost of each added layer. Measured in CPU time of all threads, because other load on
 * the machine affects it less than wall time.
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { initializeDecoder, OnnxGraphBuilder } from "@waggle/model";
import type { DecoderConfig } from "@waggle/model";
import { lineChart } from "../../../../trainer/src/charts/line-chart.ts";
import { benchRow } from "../../../runtime/bench/row.ts";
import { attentionBlocks, causalView } from "../../src/batch/attention-view.ts";
import { attentionInputs, causalAttention, nameIn } from "../../src/graphs/causal-attention.ts";
import type { Feed } from "../../src/graphs/graph-matrix.ts";
import { GraphTape } from "../../src/graphs/graph-tape.ts";
import { openOnnxDevice } from "../../src/onnx/onnx-device.ts";
import type { OnnxDevice } from "../../src/onnx/onnx-device.ts";
import { createOnnxEngine } from "../../src/onnx/onnx-engine.ts";
import { OnnxGraph } from "../../src/onnx/onnx-graph.ts";
import { layersAgree } from "../child-step.ts";
import { QWEN3_0_6B, randomBatch } from "../random-decoder.ts";
import type { EngineScenario } from "../scenario.ts";

const PICTURE = join(import.meta.dirname, "../../../../docs/evidence/engine-token-cost.svg");
const MICROBATCH_TOKENS = 1024;
/** Shape M of the benchmark, with one key-value head per query head. */
const M: DecoderConfig = {
  ...QWEN3_0_6B,
  vocabularySize: 1024,
  width: 384,
  layers: 8,
  heads: 6,
  keyValueHeads: 6,
  headSize: 64,
  feedForwardSize: 1024,
  contextLength: 512,
};
type Shape = { readonly sequences: number; readonly length: number };

export const tokenCost: EngineScenario = {
  name: "token-cost",
  description: "CPU time of a token from 1 × 128 to 16 × 512, and by layers, with a plot",
  run: async function* ({ quick, threads, report }) {
    const agree = await layersAgree();
    const shapes: Shape[] = [1, 4, 8, 16].flatMap((sequences) =>
      (quick ? [128] : [128, 256, 512]).map((length) => ({ sequences, length })),
    );
    const rounds = quick ? 1 : 4;
    const step = shapes.map(() => Infinity);
    const alone = shapes.map(() => Infinity);
    const config = quick ? { ...M, layers: 2 } : M;
    const engine = await openStep(config, threads);
    const attend = await openAttention(config, threads);
    // in rounds, so that other load on the machine affects all sizes alike
    for (const shape of shapes) await engine.time(shape); // loads graphs, fills arenas
    for (let round = 0; round < rounds; round++) {
      for (const [i, shape] of shapes.entries()) {
        step[i] = Math.min(step[i] as number, await engine.time(shape));
        alone[i] = Math.min(alone[i] as number, await attend.time(shape));
      }
      report(`round ${round + 1} of ${rounds}`);
    }
    await engine.close();
    await attend.close();
    const perToken = (times: readonly number[]): number[] =>
      times.map((ms, i) => (1000 * ms) / tokensOf(shapes[i] as Shape));
    const [whole, own] = [perToken(step), perToken(alone)];
    const rest = whole.map((cost, i) => cost - (own[i] as number));
    for (const [i, { sequences, length }] of shapes.entries()) {
      yield benchRow({
        name: `M, ${sequences} x ${length}, a token`,
        unit: "us",
        agree,
        ours: whole[i] as number,
        peer: own[i] as number,
        peerName: "attention alone",
      });
    }
    const [least, most] = [Math.min(...rest), Math.max(...rest)];
    yield benchRow({
      name: "M, cost a token without attention: dearest against cheapest size",
      unit: "us",
      ours: most,
      peer: least,
      peerName: "cheapest",
      agree: agree && most / least < 1.3,
    });
    yield* layerRows(quick, threads, agree);
    if (!quick) await drawCosts(shapes, whole, rest, PICTURE);
  },
};

/** Plots one line per length over the number of sequences, and the longest length with attention. */
async function drawCosts(
  shapes: readonly Shape[],
  whole: readonly number[],
  rest: readonly number[],
  path: string,
): Promise<void> {
  const lengths = [...new Set(shapes.map(({ length }) => length))];
  const costs = (length: number, values: readonly number[]): [number, number][] =>
    shapes.flatMap((shape, i) =>
      shape.length === length ? [[shape.sequences, values[i] as number]] : [],
    );
  const longest = Math.max(...lengths);
  const chart = await lineChart(
    "A training step of M: CPU time of a token",
    { x: "sequences", y: "µs per token" },
    [
      { name: `${longest} tokens, attention included`, points: costs(longest, whole) },
      ...lengths.map((length) => ({
        name: `${length} tokens, without attention`,
        points: costs(length, rest),
      })),
    ],
  );
  await writeFile(path, chart);
}

async function* layerRows(quick: boolean, threads: number, agree: boolean) {
  const counts = quick ? [1, 2] : [2, 4, 8, 16];
  const shape = { sequences: quick ? 1 : 2, length: quick ? 128 : 512 };
  const times: number[] = [];
  for (const layers of counts) {
    const engine = await openStep({ ...M, layers }, threads);
    await engine.time(shape);
    let best = Infinity;
    for (let round = 0; round < (quick ? 1 : 4); round++)
      best = Math.min(best, await engine.time(shape));
    await engine.close();
    times.push(best);
  }
  for (const [i, layers] of counts.entries()) {
    if (i === 0) continue;
    const before = counts[i - 1] as number;
    const perLayer = ((times[i] as number) - (times[i - 1] as number)) / (layers - before);
    const average = (times.at(-1) as number) / (counts.at(-1) as number);
    yield benchRow({
      name: `M, a layer more, from ${before} to ${layers}`,
      unit: "ms",
      agree,
      ours: perLayer,
      peer: average,
      peerName: `step of ${counts.at(-1)} layers / layers`,
    });
  }
}

type Timed = {
  readonly time: (shape: Shape) => Promise<number>;
  readonly close: () => Promise<void>;
};

/** CPU milliseconds of all gradients. AdamW is left out: its time does not depend on tokens. */
async function openStep(config: DecoderConfig, threads: number): Promise<Timed> {
  const engine = await createOnnxEngine({
    config,
    weights: initializeDecoder(config, 1),
    trains: "full",
    threads,
    device: "cpu",
    maxMicrobatchTokens: MICROBATCH_TOKENS,
    checkpointing: "none",
  });
  return {
    time: async ({ sequences, length }) => {
      const batch = randomBatch(config, sequences, length);
      const logProb = batch.sequences.map(({ tokenIds }) =>
        new Float32Array(tokenIds.length).fill(-1e-3),
      );
      const start = process.cpuUsage();
      await engine.backward(batch, { logProb });
      const milliseconds = millisecondsSince(start);
      await engine.optimStep({ learningRate: 1e-4 });
      return milliseconds;
    },
    close: () => engine.dispose(),
  };
}

/** CPU milliseconds of attention, forward and backward, over all layers and microbatches. */
async function openAttention(config: DecoderConfig, threads: number): Promise<Timed> {
  const { heads, keyValueHeads, headSize, layers } = config;
  const device = await openOnnxDevice("cpu", threads);
  const graphs = new Map<number, OnnxGraph>();
  const graphOf = async (blocks: number): Promise<OnnxGraph> => {
    const graph =
      graphs.get(blocks) ??
      (await OnnxGraph.create(attentionGraph(config, blocks, device), device));
    graphs.set(blocks, graph);
    return graph;
  };
  return {
    time: async ({ sequences, length }) => {
      const each = Math.min(sequences, Math.max(1, Math.floor(MICROBATCH_TOKENS / length)));
      const tensor = (headCount: number) => {
        const data = new Float32Array(each * headCount * length * headSize).fill(0.1);
        return { shape: [each, headCount, length, headSize], data };
      };
      const view = causalView(length, attentionBlocks(length, "cpu"));
      const sizes = attentionInputs({ ...config, batch: each, length }, view);
      const feeds = new Map<string, Feed>([
        ["queries", tensor(heads)],
        ["keys", tensor(keyValueHeads)],
        ["values", tensor(keyValueHeads)],
        ["outputGradient", tensor(heads)],
        ...view.map(({ mask }, block) => [nameIn(block)("mask"), mask] as const),
      ]);
      for (const [name, values] of Object.entries(sizes)) {
        feeds.set(name, { shape: [values.length], data: BigInt64Array.from(values, BigInt) });
      }
      const graph = await graphOf(view.length);
      await graph.run(feeds);
      const start = process.cpuUsage();
      await graph.run(feeds);
      return millisecondsSince(start) * layers * Math.ceil(sequences / each);
    },
    close: async () => {
      for (const graph of graphs.values()) await graph.dispose();
    },
  };
}

function attentionGraph(
  config: DecoderConfig,
  blocks: number,
  { savesNormScale, hasAllKernels }: OnnxDevice,
): Uint8Array {
  const { heads, keyValueHeads, headSize } = config;
  const builder = new OnnxGraphBuilder();
  const tape = new GraphTape(builder, { savesNormScale, hasAllKernels, products: "f32" });
  for (const name of ["queries", "keys", "values", "outputGradient"]) {
    const count = name === "queries" || name === "outputGradient" ? heads : keyValueHeads;
    builder.input(name, "f32", ["B", count, "T", headSize]);
    tape.track(name);
  }
  const view = causalView(blocks, blocks);
  view.forEach((_, block) => {
    builder.input(nameIn(block)("mask"), "f32", ["M", 1, `T${block}`, `E${block}`]);
  });
  const sizes = attentionInputs({ ...config, batch: 1, length: blocks }, view);
  for (const [name, values] of Object.entries(sizes)) builder.input(name, "i64", [values.length]);
  const scale = 1 / Math.sqrt(headSize);
  const output = causalAttention(tape, "queries", "keys", "values", { scale, blocks });
  tape.contribute(output, () => "outputGradient");
  tape.backward();
  for (const name of ["queries", "keys", "values"]) {
    // a single number, so that copies out of the runtime are not measured
    const sum = builder.op("ReduceSum", [tape.gradient(name) as string]);
    builder.output(sum, "f32", [1, 1, 1, 1]);
  }
  return builder.build();
}

function millisecondsSince(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

function tokensOf({ sequences, length }: Shape): number {
  return sequences * length;
}
