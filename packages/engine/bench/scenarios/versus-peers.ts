/**
 * Tokens/s of training steps on each provider against jax-js, TensorFlow.js and PyTorch, and as a share
 * of the provider's fastest matrix product. Peers are processes of their own that take turns; medians
 * are reported. Gradients are compared first, parameter by parameter.
 */
import { decoderParameters, initializeDecoder, tensorMapSource } from "@waggle/model";
import { benchRow } from "../../../runtime/bench/row.ts";
import type { BenchRow } from "../../../runtime/bench/row.ts";
import { startPeer } from "../peer-process.ts";
import type { PeerProcess } from "../peer-process.ts";
import { chainLength, PRODUCT_SIZES } from "../product-chain.ts";
import type { EngineBenchContext, EngineScenario } from "../scenario.ts";
import { productOperations, SHAPES } from "../step-shapes.ts";
import type { ShapeName, StepShape } from "../step-shapes.ts";
import { findTorch, startTorch } from "../torch-step.ts";
import type { TorchPeer } from "../torch-step.ts";

/** Relative norm of the difference, for every parameter's gradient. */
const GRADIENT_TOLERANCE = 1e-4;
/** A longer step (ms) is measured once, after a warm-up step. */
const LONG_STEP = 8000;
const PROVIDERS = ["cpu", "wasm"] as const;

type Measured = {
  readonly peer: PeerProcess;
  readonly times: number[];
  agrees: boolean;
};

export function versusPeers(name: ShapeName): EngineScenario {
  const { config, sequences, length } = SHAPES[name];
  return {
    name: `peers-${name}`,
    description: `tokens/s of a training step: ${config.layers} layers, width ${config.width}, ffn ${config.feedForwardSize}, vocabulary ${config.vocabularySize}, ${sequences} × ${length}`,
    run: (context) => measure(name, context),
  };
}

async function* measure(name: ShapeName, context: EngineBenchContext): AsyncGenerator<BenchRow> {
  const { report, quick } = context;
  const shape = SHAPES[name];
  const ours = await Promise.all(
    PROVIDERS.map(async (provider) => startPeer("engine-peer.ts", name, provider)),
  );
  const products = await startProducts();
  const torch = await torchPeer(shape, report);
  const others = [
    await startPeer("jax-peer.ts", name),
    // Larger microbatches exceed WebAssembly's memory.
    await startPeer("engine-peer.ts", name, "reference-wasm", "512"),
    ...(torch === undefined ? [] : [torch]),
  ];
  const peers: Measured[] = [...ours, ...others].map((peer) => ({
    peer,
    times: [],
    agrees: false,
  }));
  try {
    const [first] = peers as [Measured];
    const reference = await first.peer.gradients();
    for (const entry of peers) {
      const error = gradientError(shape, await entry.peer.gradients(), reference);
      entry.agrees = error.largest <= GRADIENT_TOLERANCE;
      report(
        `   ${entry.peer.label}: gradients differ by ${error.largest.toExponential(1)} (${error.name})`,
      );
    }
    await takeTurns(peers, products, quick ? 1 : 5);
    yield* rowsOf(name, peers, products);
    for (const { peer, times } of peers) {
      report(`   ${peer.label}: ${times.length} steps, ${peer.megabytes().toFixed(0)} MB`);
    }
  } finally {
    for (const { peer } of peers) await peer.close();
    for (const { peer } of products) await peer.close();
    torch?.cleanUp();
  }
}

type Product = {
  readonly provider: string;
  readonly size: number;
  readonly peer: PeerProcess;
  best: number;
};

async function startProducts(): Promise<Product[]> {
  const products: Product[] = [];
  for (const provider of PROVIDERS) {
    for (const size of PRODUCT_SIZES) {
      const peer = await startPeer("product-peer.ts", provider, `${size}`);
      products.push({ provider, size, peer, best: 0 });
    }
  }
  return products;
}

async function takeTurns(
  peers: readonly Measured[],
  products: readonly Product[],
  rounds: number,
): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    for (const { peer, times } of peers) {
      const isLong = (times[0] ?? 0) > LONG_STEP;
      if (isLong) continue;
      const [warm = 0] = round === 0 ? await peer.steps(1) : [times[0]];
      times.push(...(await peer.steps(stepsOf(warm))));
    }
    for (const product of products) {
      const best = Math.min(...(await product.peer.steps(3)));
      const rate = (2 * product.size ** 3 * chainLength(product.size)) / best / 1e6;
      product.best = Math.max(product.best, rate);
    }
  }
}

/** Steps that take about half a second. */
function stepsOf(milliseconds: number): number {
  return Math.min(12, Math.max(1, Math.round(500 / milliseconds)));
}

function* rowsOf(
  name: ShapeName,
  peers: readonly Measured[],
  products: readonly Product[],
): Generator<BenchRow> {
  const shape = SHAPES[name];
  const tokens = shape.sequences * shape.length;
  const speed = ({ times }: Measured): number => (1000 * tokens) / median(times);
  const ours = peers.slice(0, PROVIDERS.length);
  for (const [place, provider] of PROVIDERS.entries()) {
    const own = ours[place] as Measured;
    for (const other of peers.slice(PROVIDERS.length)) {
      yield benchRow({
        name: `step ${name} ${provider}`,
        ours: speed(own),
        peer: speed(other),
        peerName: other.peer.label,
        unit: "tokens/s",
        agree: own.agrees && other.agrees,
      });
    }
    const best = products
      .filter((product) => product.provider === provider)
      .reduce((a, b) => (b.best > a.best ? b : a));
    yield benchRow({
      name: `share of the best product ${name} ${provider}`,
      ours: productOperations(shape, provider) / median(own.times) / 1e6,
      peer: best.best,
      peerName: `chained ${best.peer.label}`,
      unit: "GFLOP/s",
      agree: own.agrees,
    });
  }
}

function gradientError(
  { config }: StepShape,
  actual: Float32Array,
  expected: Float32Array,
): { readonly name: string; readonly largest: number } {
  let worst = { name: "", largest: actual.length === expected.length ? 0 : Infinity };
  let start = 0;
  for (const { name, shape } of decoderParameters(config)) {
    const end = start + shape.reduce((product, size) => product * size, 1);
    let difference = 0;
    let norm = 0;
    for (let i = start; i < end; i++) {
      difference += ((actual[i] as number) - (expected[i] as number)) ** 2;
      norm += (expected[i] as number) ** 2;
    }
    const largest = Math.sqrt(difference / norm);
    // Written so that NaN fails.
    if (!(largest <= worst.largest)) worst = { name, largest };
    start = end;
  }
  return worst;
}

/** PyTorch if an interpreter has it; otherwise reports that its rows are left out. */
async function torchPeer(
  shape: StepShape,
  report: EngineBenchContext["report"],
): Promise<TorchPeer | undefined> {
  const interpreter = findTorch("cpu");
  if (interpreter === undefined) {
    report(
      "   PyTorch is not installed; its rows are left out (Debian: python3-torch, libopenblas0-pthread)",
    );
    return undefined;
  }
  const weights = tensorMapSource(initializeDecoder(shape.config, 1));
  return startTorch(interpreter, { shape, weights, device: "cpu" });
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
