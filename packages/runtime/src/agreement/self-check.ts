/**
 * The agreement suite's short form for a visitor's device: finds kernels that compute wrongly there
 * before the first conversation, and works around them or refuses the device. It runs tiny random
 * decoders with the model's head sizes, key sharing, number format and kinds of layers. If `open`
 * sizes them as the model, they use the same kernels. Not tested: the model's larger matrices, and
 * attention of branches of a prefix, which starts at longer prefixes.
 */
import { layerKind, mergeAdapter, roundedWeights } from "@waggle/model";
import type { DecoderConfig, LayerKind, WeightFormat } from "@waggle/model";
import { WaggleError } from "@waggle/protocol";
import type { TensorMap } from "@waggle/protocol";
import type { DecoderBackend, DecoderSession } from "../backend/decoder-backend.ts";
import type { SamplingDistribution } from "../sampler.ts";
import { Deviation, ForcedSequence, Reference } from "./forced-sequence.ts";
import type { Asked } from "./forced-sequence.ts";
import { randomAdapter, randomDecoderWeights, randomTokenIds } from "./random-decoder.ts";

/** How to use a device that is not correct, or not fast, with the defaults. `{}`: the defaults. */
export type KernelWorkaround = {
  /** Maximum tokens per run. */
  readonly maxRunTokens?: number;
  /** False: request the device without the feature `subgroups`. */
  readonly subgroups?: false;
  /** False: use onnxruntime where this package's WebAssembly kernels would be faster. */
  readonly simd?: false;
};

/** The outcome of a self-check. */
export type SelfCheckResult =
  /** The backend's defaults are correct. */
  | { readonly verdict: "ok" }
  /** Correct this way. `why` says what was wrong before; empty if nothing was. */
  | {
      readonly verdict: "workaround";
      readonly workaround: KernelWorkaround;
      readonly why: string;
    }
  /** No variant is correct; use another backend. */
  | { readonly verdict: "refused"; readonly why: string };

/** The model, and how to open tiny models on the device. */
export type SelfCheckOptions = {
  /** The model to run after the check. */
  readonly config: DecoderConfig;
  readonly dtype: WeightFormat;
  /** Format of everything but the matrices. */
  readonly activations: "f32" | "f16";
  /** Tried in order until one is correct. */
  readonly ladder: readonly KernelWorkaround[];
  /**
   * Opens a tiny model on the device, used as the rung says. The caller frees the device
   * afterwards.
   */
  readonly open: (
    config: DecoderConfig,
    weights: TensorMap,
    workaround: KernelWorkaround,
  ) => Promise<DecoderBackend>;
};

/** onnxruntime has no variants on WASM: a wrong device is refused. */
export const WASM_LADDER: readonly KernelWorkaround[] = [{}];

/** For models that run on this package's kernels. */
export const SIMD_LADDER: readonly KernelWorkaround[] = [{}, { simd: false }];

/**
 * The fastest first: runs as long as is useful, longer than the backend's cautious default.
 * onnxruntime 1.30's attention with subgroups is wrong for runs of 32 and more tokens on some
 * adapters. Without subgroups it uses other kernels, which read a prompt in half the time of runs
 * of 31 and decode at the same speed.
 */
export const WEBGPU_LADDER: readonly KernelWorkaround[] = [
  { maxRunTokens: 256 },
  { maxRunTokens: 256, subgroups: false },
  { maxRunTokens: 31 },
  { maxRunTokens: 31, subgroups: false },
];

/** Nats: far above rounding, far below the error of a wrong kernel (0.8 and more). */
const BUDGET = { f32: 1e-3, f16: 5e-2 } as const;

/** Positions of the tiny models, which `open` must allow. */
const TINY_CONTEXT = 128;

/**
 * Around the sizes of subgroups and attention's blocks, starting with a length known to fail. Runs
 * of two tokens are left out, here and below: onnxruntime compiles attention for them separately,
 * which takes a second on software devices, from the same source as for 1 and 4.
 */
const LENGTHS: readonly number[] = [33, 32, 31, 65, 1];
const DISTRIBUTION: SamplingDistribution = { temperature: 0.9, topK: 0, topP: 1 };
const SCORE: Asked = { kind: "score", distribution: DISTRIBUTION };
const SAMPLE: Asked = { kind: "sample", distribution: DISTRIBUTION, uniform: 0.4 };
/** The five most likely of every third id. */
const CUT: Asked = {
  kind: "sample",
  distribution: { ...DISTRIBUTION, topK: 5 },
  uniform: 0.7,
  allowed: Uint32Array.of(0x9249_2492, 0x2492_4924),
};

/** Tries the ladder. An error on a rung counts as a wrong result; a lost device ends the check. */
export async function selfCheck(options: SelfCheckOptions): Promise<SelfCheckResult> {
  const { ladder, activations } = options;
  let why = "";
  for (const workaround of ladder) {
    const found = await checkRung(options, workaround);
    if (found === null) {
      return Object.keys(workaround).length === 0
        ? { verdict: "ok" }
        : { verdict: "workaround", workaround, why };
    }
    why = found;
  }
  return { verdict: "refused", why: `${why} (budget ${BUDGET[activations]} nats)` };
}

/** @returns what is wrong, `null` if nothing is. */
async function checkRung(
  options: SelfCheckOptions,
  workaround: KernelWorkaround,
): Promise<string | null> {
  const { dtype, activations, open } = options;
  const config = tinyConfigFor(options.config);
  const stored = randomDecoderWeights(config, 3);
  const weights = roundedWeights(config, stored, dtype, activations);
  try {
    const backend = await open(config, stored, workaround);
    const deviation = new Deviation();
    for await (const _ of checkBackend(backend, config, weights, deviation)) {
      if (deviation.nats >= BUDGET[activations]) break;
    }
    if (deviation.nats < BUDGET[activations]) return null;
    return `off by ${deviation.nats.toPrecision(2)} nats at ${deviation.where}`;
  } catch (error) {
    // A module that did not load says nothing about the device, and the next visit may load it.
    const isUnknown = WaggleError.is(error, "DEVICE_UNAVAILABLE") && error.retryable;
    if (!WaggleError.is(error) || isUnknown) throw error;
    return error.message;
  }
}

/** Yields where the check can stop early, because every new kernel may take long to compile. */
async function* checkBackend(
  backend: DecoderBackend,
  config: DecoderConfig,
  weights: TensorMap,
  deviation: Deviation,
): AsyncGenerator<void> {
  const longest = Math.max(...LENGTHS);
  const tokenIds = randomTokenIds(config.vocabularySize, longest + 4, 1);
  const base = new Reference(config, weights, tokenIds);
  const plain = await backend.open(null);
  for (const length of LENGTHS) {
    const row = await rowOf(plain, base, deviation, `prefill ${length}`);
    await row.read(plain, length, SCORE);
    yield;
    await row.read(plain, 1, SCORE);
    await row.read(plain, 1, length === longest ? CUT : SAMPLE);
    row.cache.dispose();
    yield;
  }
  const trunk = await checkRows(plain, base, deviation);
  yield;
  const other = [...tokenIds.slice(0, 8), ...randomTokenIds(config.vocabularySize, 8, 2)];
  await checkBranches(plain, trunk, new Reference(config, weights, other), deviation);
  trunk.cache.dispose();
  yield;
  for (const [seed, scale] of [
    [1, 0.5],
    [2, 1],
  ] as const) {
    const adapter = randomAdapter(config, 4, seed);
    const scaled = { ...adapter, alpha: adapter.alpha * scale };
    const adapted = new Reference(config, mergeAdapter(config, weights, scaled), tokenIds);
    const session = await backend.open(adapter, scale);
    const row = await rowOf(session, adapted, deviation, `with adapter ${seed}`);
    await row.read(session, 17, SCORE);
    await row.read(session, 1, SAMPLE);
    row.cache.dispose();
    await session.release();
    yield;
  }
  // The base again: the adapter must be gone.
  const row = await rowOf(plain, base, deviation, "after an adapter");
  await row.read(plain, 9, SCORE);
  row.cache.dispose();
  await plain.release();
}

/** Reads three rows side by side. @returns the first, which has read 8 tokens. */
async function checkRows(
  session: DecoderSession,
  reference: Reference,
  deviation: Deviation,
): Promise<ForcedSequence> {
  const rows: ForcedSequence[] = [];
  for (let row = 1; row <= 3; row++) {
    const cache = await session.createCache();
    rows.push(new ForcedSequence(cache, reference, deviation, `row ${row} of 3`));
  }
  const groups = session.maxRows >= 3 ? [rows] : rows.map((row) => [row]);
  for (const counts of [
    [6, 13, 4],
    [1, 1, 1],
    [1, 1, 1],
  ]) {
    for (const group of groups) {
      const asked = group.map((row) => row.row(counts[rows.indexOf(row)] ?? 1, SCORE));
      const results = await session.run(asked);
      for (const [index, row] of group.entries()) row.check(results[index]);
    }
  }
  const [trunk, ...rest] = rows as [ForcedSequence, ...ForcedSequence[]];
  for (const { cache } of rest) cache.dispose();
  return trunk;
}

/** A fork and its origin continue separately; then the origin is truncated and continues again. */
async function checkBranches(
  session: DecoderSession,
  trunk: ForcedSequence,
  other: Reference,
  deviation: Deviation,
): Promise<void> {
  const cache = await session.fork(trunk.cache, trunk.cache.length);
  const fork = new ForcedSequence(cache, other, deviation, "fork", cache.length);
  await fork.read(session, 5, SCORE);
  await trunk.read(session, 5, SCORE);
  await fork.read(session, 1, SCORE);
  cache.dispose();
  trunk.cache.truncate(8);
  const kept = trunk.cache.length; // 0 where a layer's state cannot go back
  const again = new ForcedSequence(trunk.cache, other, deviation, "truncated", kept);
  await again.read(session, 5, SCORE);
}

async function rowOf(
  session: DecoderSession,
  reference: Reference,
  deviation: Deviation,
  label: string,
): Promise<ForcedSequence> {
  return new ForcedSequence(await session.createCache(), reference, deviation, label);
}

/**
 * One layer of each kind in the model, with its heads' size and sharing; everything else is small.
 */
function tinyConfigFor(config: DecoderConfig): DecoderConfig {
  const layers = Array.from({ length: config.layers }, (_, layer) => layerKind(config, layer));
  const kinds: readonly LayerKind[] = [...new Set(layers)];
  const sharing = config.heads / config.keyValueHeads;
  const keyValueHeads = Math.min(2, config.keyValueHeads);
  return {
    ...config,
    vocabularySize: 64,
    width: 32,
    layers: kinds.length,
    heads: keyValueHeads * sharing,
    keyValueHeads,
    feedForwardSize: 32,
    contextLength: TINY_CONTEXT,
    layerKinds: kinds,
    ...(config.slidingWindow !== undefined && { slidingWindow: 20 }),
  };
}
