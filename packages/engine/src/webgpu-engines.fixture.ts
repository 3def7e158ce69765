/**
 * Run as a process of its own by the test, with a device as argument: one forward and backward pass
 * of a golden decoder on WebGPU. Prints one JSON line. Tests only.
 */
import { WaggleError } from "@waggle/protocol";
import { createEngine } from "./create-engine.ts";
import { readGoldenDecoder } from "./golden-decoder.fixture.ts";

export type WebGpuReport =
  | { readonly code: string }
  | { readonly device: string; readonly logProbError: number; readonly gradientError: number };

async function report(): Promise<WebGpuReport> {
  const { config, weights, adapter, gradients, cases } = readGoldenDecoder("qwen3");
  const { sequences, outputs, derivatives } = cases.lora;
  const [, , asked] = process.argv;
  const engine = await createEngine({
    ...{ config, weights, trains: "lora", adapter },
    device: asked === "reference-webgpu" ? asked : "webgpu",
    checkpointing: asked === "webgpu by layers" ? "layer" : "auto",
  });
  const actual = await engine.forward({ sequences });
  const arrays = (name: "logProb" | "rawLogProb" | "entropy"): Float32Array[] =>
    (derivatives?.[name] ?? []).map((values) => Float32Array.from(values));
  await engine.backward(
    { sequences },
    {
      logProb: arrays("logProb"),
      rawLogProb: arrays("rawLogProb"),
      entropy: arrays("entropy"),
    },
  );
  const trained = await engine.gradients();
  const gradientErrors = Array.from(trained, ([name, { data }]) => {
    const expected = gradients.get(name)?.data ?? new Float32Array();
    return largestError(data, expected) / Math.max(...expected.map(Math.abs));
  });
  return {
    device: engine.capabilities().device,
    logProbError: Math.max(
      ...outputs.map(({ logProb }, i) => largestError(actual.logProb[i] ?? [], logProb)),
    ),
    gradientError: Math.max(...gradientErrors),
  };
}

/** Infinity where the lengths differ or a number is missing. */
function largestError(actual: ArrayLike<number>, expected: ArrayLike<number>): number {
  if (actual.length !== expected.length || actual.length === 0) return Infinity;
  const errors = Array.from(actual, (value, i) => Math.abs(value - (expected[i] as number)));
  return errors.some(Number.isNaN) ? Infinity : Math.max(...errors);
}

const line = await report().catch((error: unknown): WebGpuReport => {
  if (WaggleError.is(error)) return { code: error.code };
  throw error;
});
process.stdout.write(`${JSON.stringify(line)}\n`, () => process.exit(0));
