/**
 * Measures training on one provider: `gpu-program.ts '<GpuOptions as JSON>'`. It runs in a process of
 * its own because drivers are located by the environment at start. Each line of stdout is a row as
 * JSON; progress goes to stderr.
 */
import { availableParallelism } from "node:os";
import { WaggleError } from "@waggle/protocol";
import { benchRow } from "../../../runtime/bench/row.ts";
import type { BenchRow } from "../../../runtime/bench/row.ts";
import { attentionBlocks } from "../../src/batch/attention-view.ts";
import { openOnnxDevice, requireHalf } from "../../src/onnx/onnx-device.ts";
import type { OnnxDevice } from "../../src/onnx/onnx-device.ts";
import type { StepShape } from "../step-shapes.ts";
import { findTorch } from "../torch-step.ts";
import { cardName } from "./card.ts";
import { countCrossingBytes } from "./crossing-bytes.ts";
import { copyCeiling, productCeiling } from "./gpu-ceilings.ts";
import type { Ceiling } from "./gpu-ceilings.ts";
import {
  GPU_CASES,
  GPU_SHAPES,
  gpuStepOperations,
  MATRIX_READS,
  matrixBytes,
} from "./gpu-steps.ts";
import type { GpuCase, GpuSize } from "./gpu-steps.ts";
import { compareGradients, measureCase, processorSeconds, torchSeconds } from "./measured-case.ts";

export type GpuOptions = {
  readonly provider: "cuda" | "webgpu";
  readonly size: GpuSize;
  /** Measure only the first kind of step, on the first shape. */
  readonly quick: boolean;
};

type Ceilings = {
  readonly copy: Ceiling;
  readonly f32: Ceiling;
  /** Null where the device cannot multiply in f16. */
  readonly f16: Ceiling | null;
};

/** Memory that a LoRA step of 0.6 B on 2,048 tokens must fit in. */
const CARD_LIMIT_GB = 16;

const report = (line: string): void => console.error(`   ${line}`);

async function* measure({ provider, size, quick }: GpuOptions): AsyncGenerator<BenchRow> {
  const crossing = countCrossingBytes(provider);
  const device = await openOnnxDevice(provider, availableParallelism());
  const card = await cardName(provider);
  report(`${device.label}: ${card}`);
  const hasHalf = await requireHalf(device).then(
    () => true,
    () => false,
  );
  const ceilings: Ceilings = {
    copy: await copyCeiling(device, size),
    f32: await productCeiling(device, size, "f32"),
    f16: hasHalf ? await productCeiling(device, size, "f16") : null,
  };
  const products = [ceilings.f32, ...(ceilings.f16 === null ? [] : [ceilings.f16])];
  const best = products.map(({ of, best: rate }) => `${of} ${rate.toFixed(1)} GFLOP/s`);
  const { copy } = ceilings;
  report(`ceilings: ${best.join(", ")}, copies of ${copy.of} ${copy.best.toFixed(1)} GB/s`);
  const torch = size === "real" ? findTorch("cuda") : undefined;
  if (torch === undefined) report("PyTorch with CUDA not found; its rows are left out");
  const cases = GPU_CASES[size].filter(({ base }) => hasHalf || base !== "f16");
  const peers = new Map<string, Promise<Peers>>();
  let failed = 0;
  for (const kind of quick ? cases.slice(0, 1) : cases) {
    const { agree, words } = await compareGradients(provider, kind, torch);
    report(`${titleOf(kind)}: gradients differ from the CPU's by ${words}`);
    for (const [name, shape] of GPU_SHAPES[size].slice(0, quick ? 1 : undefined)) {
      const batch = `${shape.sequences} x ${shape.length}`;
      const title = `${name} ${batch}, ${titleOf(kind)}, ${provider} on ${card}`;
      try {
        const measured = await measureCase(provider, shape, kind, { crossing, size });
        const { seconds, heldTensors, left } = measured;
        report(`${name}: ${heldTensors} tensors on the device between steps, ${left} left by them`);
        const rows = { ceilings, measured, agree: agree && left === 0 };
        yield* rowsOf(title, device, shape, kind, rows);
        const key = `${name} ${batch} ${kind.trains}`;
        const measuring = peers.get(key) ?? measurePeers(shape, kind, torch);
        peers.set(key, measuring);
        const tokens = shape.sequences * shape.length;
        for (const { label, seconds: theirs } of await measuring) {
          yield benchRow({
            name: `${title}: step`,
            unit: "tokens/s",
            agree,
            ours: tokens / seconds,
            peer: tokens / theirs,
            peerName: label,
          });
        }
      } catch (error) {
        // go on with the other cases: a borrowed GPU may be available for minutes only
        const isTooLarge = WaggleError.is(error, "OUT_OF_MEMORY");
        if (!isTooLarge) failed += 1;
        report(`${title} ${isTooLarge ? "is left out" : "FAILED"}: ${String(error)}`);
      }
    }
  }
  if (failed > 0) throw new Error(`${failed} steps could not be measured; see the messages above`);
}

type Peers = readonly { readonly label: string; readonly seconds: number }[];

/** Peers in float32, whatever the base's format: the CPU, and PyTorch on CUDA where available. */
async function measurePeers(
  shape: StepShape,
  kind: GpuCase,
  torch: string | undefined,
): Promise<Peers> {
  const plain: GpuCase = { ...kind, base: "f32" };
  const label = `onnx native cpu x${availableParallelism()} in f32`;
  const processor = { label, seconds: await processorSeconds(shape, plain) };
  if (torch === undefined) return [processor];
  const peer = await torchSeconds(torch, shape, plain);
  return [processor, { ...peer, label: `${peer.label} in f32` }];
}

function* rowsOf(
  title: string,
  device: OnnxDevice,
  shape: StepShape,
  kind: GpuCase,
  given: {
    readonly ceilings: Ceilings;
    readonly measured: Awaited<ReturnType<typeof measureCase>>;
    readonly agree: boolean;
  },
): Generator<BenchRow> {
  const { ceilings, measured, agree } = given;
  const { seconds, crossing, firstCrossing, cardBytes } = measured;
  const best = kind.base === "f16" ? (ceilings.f16 ?? ceilings.f32) : ceilings.f32;
  const blocks = attentionBlocks(shape.length, device.provider);
  const bytes = matrixBytes(shape, kind);
  yield benchRow({
    name: `${title}: share of the best product`,
    unit: "GFLOP/s",
    agree,
    ours: gpuStepOperations(shape, kind, blocks) / seconds / 1e9,
    peer: best.best,
    peerName: best.of,
  });
  yield benchRow({
    name: `${title}: share of the bandwidth by reading matrices`,
    unit: "GB/s",
    agree,
    ours: (MATRIX_READS * bytes) / seconds / 1e9,
    peer: ceilings.copy.best,
    peerName: `copies of ${ceilings.copy.of}`,
  });
  if (cardBytes !== null) {
    yield benchRow({
      name: `${title}: memory of the card, of all its processes`,
      unit: "GB",
      agree,
      ours: cardBytes / 1e9,
      peer: CARD_LIMIT_GB,
      peerName: "limit",
    });
  }
  for (const [step, taken] of [
    ["the first step", firstCrossing],
    ["a later step", crossing],
  ] as const) {
    yield benchRow({
      name: `${title}: fed to the device in ${step}`,
      unit: "MB",
      agree,
      ours: taken / 1e6,
      peer: bytes / 1e6,
      peerName: "matrices",
    });
  }
}

function titleOf({ trains, checkpointing, base }: GpuCase): string {
  return `${trains}, ${base} base, checkpointing ${checkpointing}`;
}

const [, , argument = ""] = process.argv;
for await (const row of measure(JSON.parse(argument) as GpuOptions)) {
  process.stdout.write(`${JSON.stringify(row)}\n`);
}
process.stdout.write("", () => process.exit(0));
