/**
 * What packing saves. Counts tokens read for groups that the nano model rolled out in the loop, and for
 * widely varying lengths, against one sequence a row sorted by length. Measures tokens/s of a step on
 * the groups against sequences of the same lengths that share nothing.
 */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { initializeAdapter, initializeDecoder } from "@waggle/model";
import type { DecoderConfig } from "@waggle/model";
import type { TrainEngine, TrainSequence } from "@waggle/protocol";
import type { PrintedGroups } from "../../../../trainer/bench/print-groups.ts";
import { benchRow } from "../../../runtime/bench/row.ts";
import { packMicrobatches } from "../../src/batch/microbatch.ts";
import { createOnnxEngine } from "../../src/onnx/onnx-engine.ts";
import type { EngineScenario } from "../scenario.ts";

const PROGRAM = join(import.meta.dirname, "../../../../trainer/bench/print-groups.ts");
const MICROBATCH_TOKENS = 1024;
/** Relative norm of the difference, for every matrix's gradient. */
const GRADIENT_TOLERANCE = 1e-4;

type Sample = PrintedGroups["groups"][number][number];

export const packedGroups: EngineScenario = {
  name: "packed-groups",
  description: "tokens read for groups of the loop, and tokens/s of a step on them",
  run: async function* ({ quick, threads, report }) {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ["--conditions=source", PROGRAM, quick ? "2" : "8"],
      { maxBuffer: 2 ** 28 },
    );
    const { config, groups } = JSON.parse(stdout) as PrintedGroups;
    const samples = groups.flat();
    const lengths = samples.map(({ sequence }) => sequence.tokenIds.length);
    const sorted = lengths.toSorted((a, b) => a - b);
    report(
      `   ${lengths.length} sequences of ${sorted[0]} to ${sorted.at(-1)} tokens, median ${sorted[sorted.length >> 1]}`,
    );
    const error = await gradientError(config, samples, threads);
    report(`   gradients of packed and single sequences differ by ${error.toExponential(1)}`);
    const agree = error <= GRADIENT_TOLERANCE;
    const tokens = { unit: "tokens", peerName: "a sequence a row, like lengths together", agree };
    const apart = samples.map(nothingShared);
    const wide = wideLengths(config);
    yield benchRow({
      name: "groups of the loop, read",
      ...tokens,
      ours: packedTokens(config, samples),
      peer: rowTokens(lengths),
    });
    yield benchRow({
      name: "the same lengths, nothing shared, read",
      ...tokens,
      ours: packedTokens(config, apart),
      peer: rowTokens(lengths),
    });
    yield benchRow({
      name: "64 lengths from 8 to 500, nothing shared, read",
      ...tokens,
      ours: packedTokens(config, wide),
      peer: rowTokens(wide.map(({ lossMask }) => lossMask.length)),
    });
    const [shared, own] = await secondsOf(config, [samples, apart], threads, quick ? 1 : 5);
    const total = lengths.reduce((sum, length) => sum + length, 0);
    yield benchRow({
      name: "step on groups of the loop",
      unit: "tokens/s",
      agree,
      ours: total / (shared as number),
      peer: total / (own as number),
      peerName: "the same lengths, nothing shared",
    });
  },
};

/** The sample with a first token that no other sample has. */
function nothingShared({ sequence, lossMask }: Sample, index: number): Sample {
  return { sequence: { ...sequence, tokenIds: [index, ...sequence.tokenIds.slice(1)] }, lossMask };
}

/** 64 lengths from 8 to 500, growing by a constant factor. */
function wideLengths({ vocabularySize }: DecoderConfig): Sample[] {
  return Array.from({ length: 64 }, (_, index) => {
    const length = Math.round(8 * (500 / 8) ** (index / 63));
    const tokenIds = Array.from({ length }, (_unused, t) =>
      t === 0 ? index : (t * 31 + index) % vocabularySize,
    );
    return { sequence: { tokenIds }, lossMask: tokenIds.map(() => true) };
  });
}

function packedTokens(config: DecoderConfig, samples: readonly Sample[]): number {
  const sequences = samples.map(({ sequence }) => sequence);
  return packMicrobatches({ sequences }, config, MICROBATCH_TOKENS, () => true).reduce(
    (sum, { batch, length }) => sum + batch * length,
    0,
  );
}

/** Tokens of one sequence a row, padding included. The last token of a sequence is not read. */
function rowTokens(lengths: readonly number[]): number {
  const sorted = lengths.map((length) => length - 1).toSorted((a, b) => b - a);
  let sum = 0;
  for (let start = 0; start < sorted.length;) {
    const longest = sorted[start] as number;
    const fitting = Math.max(1, Math.floor(MICROBATCH_TOKENS / longest));
    const rows = Math.min(fitting, sorted.length - start);
    sum += rows * longest;
    start += rows;
  }
  return sum;
}

async function openEngine(
  config: DecoderConfig,
  threads: number,
  maxMicrobatchTokens = MICROBATCH_TOKENS,
): Promise<TrainEngine> {
  return createOnnxEngine({
    config,
    weights: initializeDecoder(config, 1),
    trains: "lora",
    device: "cpu",
    adapter: initializeAdapter(config, { rank: 16, alpha: 32, seed: 1 }),
    threads,
    maxMicrobatchTokens,
  });
}

async function passes(engine: TrainEngine, samples: readonly Sample[]): Promise<void> {
  const sequences: TrainSequence[] = samples.map(({ sequence }) => sequence);
  const logProb = samples.map(({ lossMask }) =>
    Float32Array.from(lossMask, (isTrained) => (isTrained ? -1e-3 : 0)),
  );
  await engine.forward({ sequences });
  await engine.backward({ sequences }, { logProb });
}

/** Gradient error of packed groups against one sequence a microbatch, for the worst matrix. */
async function gradientError(
  config: DecoderConfig,
  samples: readonly Sample[],
  threads: number,
): Promise<number> {
  const engines = [await openEngine(config, threads), await openEngine(config, threads, 1)];
  for (const engine of engines) await passes(engine, samples);
  const [packed, single] = await Promise.all(engines.map((engine) => engine.gradients()));
  for (const engine of engines) await engine.dispose();
  const errors = Array.from(single ?? [], ([name, { data }]) => {
    const other = packed?.get(name)?.data ?? [];
    const norm = Math.hypot(...data);
    // only one of a fresh adapter's two matrices has gradients
    return norm === 0
      ? Math.hypot(...other)
      : Math.hypot(...data.map((v, i) => v - (other[i] ?? Number.NaN))) / norm;
  });
  return Math.max(...errors);
}

/** Fastest step on each batch in seconds, measured in turns. */
async function secondsOf(
  config: DecoderConfig,
  batches: readonly (readonly Sample[])[],
  threads: number,
  rounds: number,
): Promise<number[]> {
  const engine = await openEngine(config, threads);
  for (const samples of batches) await passes(engine, samples); // loads graphs, fills arenas
  const least = batches.map(() => Infinity);
  for (let round = 0; round < rounds; round++) {
    for (const [index, samples] of batches.entries()) {
      const start = performance.now();
      await passes(engine, samples);
      await engine.optimStep({ learningRate: 1e-4 });
      least[index] = Math.min(least[index] as number, (performance.now() - start) / 1000);
    }
  }
  await engine.dispose();
  return least;
}
