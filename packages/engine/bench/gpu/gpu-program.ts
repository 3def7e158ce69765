/**
 * Measures training on one provider in a process of its own, as drivers are found by the environment a
 * process starts with: `gpu-program.ts '<GpuOptions as JSON>'`. Each line of stdout is a row as JSON;
 * progress goes to stderr.
 */
import { execFileSync } from "node:child_process";
import { availableParallelism } from "node:os";
import { WaggleError } from "@waggle/protocol";
import { benchRow } from "../../../runtime/bench/row.ts";
import type { BenchRow } from "../../../runtime/bench/row.ts";
import { attentionBlocks } from "../../src/attention-view.ts";
import { openOnnxDevice, requireHalf } from "../../src/onnx-device.ts";
import type { OnnxDevice } from "../../src/onnx-device.ts";
import { webGpuAdapter } from "../../src/webgpu-adapter.ts";
import type { StepShape } from "../step-shapes.ts";
import { findTorch } from "../torch-step.ts";
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
  /** The first kind of step on the first shape only. */
  readonly quick: boolean;
};

type Ceilings = {
  readonly copy: Ceiling;
  readonly f32: Ceiling;
  /** Null where the device has no such products. */
  readonly f16: Ceiling | null;
};

const report = (line: string): void => console.error(`   ${line}`);

async function* measure({ provider, size, quick }: GpuOptions): AsyncGenerator<BenchRow> {
  const crossing = countCrossingBytes(provider);
  const device = await openOnnxDevice(provider, availableParallelism());
  const card = await cardOf(provider);
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
  report(`at most: ${best.join(", ")}, copies of ${copy.of} ${copy.best.toFixed(1)} GB/s`);
  const torch = size === "real" ? findTorch("cuda") : undefined;
  if (torch === undefined) report("no PyTorch with CUDA here: no rows of it");
  const cases = GPU_CASES[size].filter(({ base }) => hasHalf || base !== "f16");
  for (const kind of quick ? cases.slice(0, 1) : cases) {
    const { agree, words } = await compareGradients(provider, kind, torch);
    report(`${titleOf(kind)}: gradients differ by ${words} from the processor's`);
    for (const [name, shape] of GPU_SHAPES[size].slice(0, quick ? 1 : undefined)) {
      const batch = `${shape.sequences} x ${shape.length}`;
      const title = `${name} ${batch}, ${titleOf(kind)}, ${provider} on ${card}`;
      try {
        const measured = await measureCase(provider, shape, kind, { crossing, size });
        const { seconds, standing, left } = measured;
        report(`${name}: ${standing} tensors on the device between steps, ${left} left by them`);
        const rows = { ceilings, measured, agree: agree && left === 0 };
        yield* rowsOf(title, device, shape, kind, rows);
        yield* speedRows(title, shape, kind, { seconds, agree, torch });
      } catch (error) {
        if (!WaggleError.is(error, "OUT_OF_MEMORY")) throw error;
        report(`${title} is left out: ${error.message}`);
      }
    }
  }
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
  const { seconds, crossing, firstCrossing } = measured;
  const best = kind.base === "f16" ? (ceilings.f16 ?? ceilings.f32) : ceilings.f32;
  const blocks = attentionBlocks(shape.length, device.provider);
  const bytes = matrixBytes(shape, kind);
  yield benchRow({
    ...{ name: `${title}: share of the best product`, unit: "GFLOP/s", agree },
    ours: gpuStepOperations(shape, kind, blocks) / seconds / 1e9,
    ...{ peer: best.best, peerName: best.of },
  });
  yield benchRow({
    ...{ name: `${title}: share of the bandwidth by reading matrices`, unit: "GB/s", agree },
    ours: (MATRIX_READS * bytes) / seconds / 1e9,
    ...{ peer: ceilings.copy.best, peerName: `copies of ${ceilings.copy.of}` },
  });
  for (const [step, taken] of [
    ["the first step", firstCrossing],
    ["a later step", crossing],
  ] as const) {
    yield benchRow({
      ...{ name: `${title}: fed to the device in ${step}`, unit: "MB", agree },
      ...{ ours: taken / 1e6, peer: bytes / 1e6, peerName: "matrices" },
    });
  }
}

async function* speedRows(
  title: string,
  shape: StepShape,
  kind: GpuCase,
  {
    seconds,
    agree,
    torch,
  }: { readonly seconds: number; readonly agree: boolean; readonly torch: string | undefined },
): AsyncGenerator<BenchRow> {
  const tokens = shape.sequences * shape.length;
  const row = { name: `${title}: step`, unit: "tokens/s", ours: tokens / seconds, agree };
  const processor = await processorSeconds(shape, kind);
  const peerName = `onnx native cpu x${availableParallelism()}`;
  yield benchRow({ ...row, peer: tokens / processor, peerName });
  if (torch === undefined) return;
  const peer = await torchSeconds(torch, shape, kind);
  yield benchRow({ ...row, peer: tokens / peer.seconds, peerName: `${peer.label} in f32` });
}

function titleOf({ trains, checkpointing, base }: GpuCase): string {
  return `${trains}, ${base} base, checkpointing ${checkpointing}`;
}

/** The card in its driver's words. */
async function cardOf(provider: GpuOptions["provider"]): Promise<string> {
  if (provider === "webgpu") {
    const adapter = await webGpuAdapter();
    return `${adapter?.name}, ${adapter?.description}`;
  }
  const query = ["--query-gpu=name,driver_version,memory.total", "--format=csv,noheader"];
  return execFileSync("nvidia-smi", query, { encoding: "utf8" }).trim();
}

const [, , argument = ""] = process.argv;
for await (const row of measure(JSON.parse(argument) as GpuOptions)) {
  process.stdout.write(`${JSON.stringify(row)}\n`);
}
process.stdout.write("", () => process.exit(0));
