/** How fast a model reads and writes on this machine's CPU, and how much memory that takes. */
import { fork } from "node:child_process";
import { join } from "node:path";
import type { DecoderConfig } from "@waggle/model";
import { WaggleError, type WaggleErrorCode } from "@waggle/protocol";
import { modelMemory, wasmLimits } from "@waggle/runtime";
import { computedFormat, type PageFormat } from "./model-check.ts";

const PROMPT_TOKENS = 128;
const SAMPLED_TOKENS = 32;

/** What `speed-process` measures: tokens per second, and its resident memory. */
export type SpeedRun = {
  readonly read: number;
  readonly written: number;
  /** Before the model is loaded. */
  readonly startBytes: number;
  /** Once it is loaded and has run. */
  readonly loadedBytes: number;
  /** At most, while loading or running. */
  readonly peakBytes: number;
};

/** What it sends: the run, or an error. */
export type SpeedMessage =
  | SpeedRun
  | { readonly code: WaggleErrorCode | null; readonly message: string };

/** Tokens per second. */
export type ModelSpeed = Pick<SpeedRun, "read" | "written">;

/** Measured memory in bytes, and what was predicted for it. */
export type MeasuredMemory = Pick<SpeedRun, "startBytes" | "loadedBytes" | "peakBytes"> & {
  /** Of the model alone: what the process has at its peak above `startBytes`. */
  readonly modelBytes: number;
  /** For the model alone in a page on WASM, with the same context. */
  readonly predictedBytes: number;
  /** Tokens of the run. */
  readonly contextLength: number;
};

/** @throws WaggleError as the policy in Node. */
export async function measureModel(
  folder: string,
  config: DecoderConfig,
  format: PageFormat,
  signal: AbortSignal,
): Promise<{ readonly speed: ModelSpeed; readonly memory: MeasuredMemory }> {
  const prompt = Math.min(PROMPT_TOKENS, Math.floor(config.contextLength / 2));
  const sampled = Math.min(SAMPLED_TOKENS, Math.floor(config.contextLength / 4));
  const dtype = computedFormat(format);
  const contextLength = prompt + sampled + 1;
  const run = await runOf([folder, dtype, String(prompt), String(sampled)], signal);
  const { read, written, startBytes, loadedBytes, peakBytes } = run;
  return {
    speed: { read, written },
    memory: {
      startBytes,
      loadedBytes,
      peakBytes,
      modelBytes: peakBytes - startBytes,
      predictedBytes: modelMemory(config, { dtype, contextLength, limits: wasmLimits() }).total,
      contextLength,
    },
  };
}

async function runOf(args: readonly string[], signal: AbortSignal): Promise<SpeedRun> {
  const isSource = import.meta.filename.endsWith(".ts");
  const program = join(import.meta.dirname, `speed-process.${isSource ? "ts" : "js"}`);
  const child = fork(program, args, {
    execArgv: isSource ? ["--conditions=source", "--disable-warning=ExperimentalWarning"] : [],
    signal,
  });
  const message = await new Promise<SpeedMessage>((resolve, reject) => {
    child.once("message", (sent) => resolve(sent as SpeedMessage));
    child.once("error", reject);
    child.once("exit", (code, ended) =>
      resolve({ code: null, message: `the process ended with ${ended ?? `code ${code}`}` }),
    );
  });
  signal.throwIfAborted();
  if ("read" in message) return message;
  const text = `the model cannot be run here: ${message.message}`;
  throw message.code === null ? new Error(text) : new WaggleError(message.code, message.message);
}
