/**
 * The TrainEngine on onnxruntime: forward and hand-derived backward pass as ONNX graphs on any of its
 * providers, AdamW in TypeScript. On the CPU the event loop is free between
 * microbatches, not during one.
 */
import type { Adapter, ValueHead } from "@waggle/model";
import { WaggleError } from "@waggle/protocol";
import type { SharedBase, TrainEngine } from "@waggle/protocol";
import { ModelTable } from "../decoder/model-table.ts";
import { OnnxBase } from "./onnx-base.ts";
import type { OnnxBaseOptions } from "./onnx-base.ts";

export type OnnxEngineOptions = OnnxBaseOptions & {
  readonly trains: "lora" | "full";
  /** Where training starts; required with `lora`, refused with `full`. */
  readonly adapter?: Adapter;
  /** Heads that give `values` and are trained; copied. Absent: none, and `values` are refused. */
  readonly valueHead?: ValueHead;
};

/**
 * Loads the weights and returns an engine that owns copies of them.
 * @throws WaggleError `CAPABILITY_MISSING` for a type of decoder that only runs, `MODEL_CORRUPT` on
 *   weights that do not fit the config,
 *   `ADAPTER_INCOMPATIBLE` on an adapter of another decoder, `DEVICE_UNAVAILABLE` where the device
 *   does not start, `CAPABILITY_MISSING` where it lacks f16 and that is asked for, `INVALID_ARGUMENT` on options that contradict each other, `OUT_OF_MEMORY` where
 *   the plan takes more than there is.
 */
export async function createOnnxEngine(options: OnnxEngineOptions): Promise<TrainEngine> {
  const { trains, adapter = null, valueHead = null, ...ofBase } = options;
  if ((trains === "lora") !== (adapter !== null)) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `an adapter must be given with trains "lora" and only then, got trains "${trains}" ${adapter ? "with" : "without"} an adapter; use initializeAdapter for a fresh one`,
    );
  }
  const model = { rank: adapter?.rank ?? 0, valueHeads: valueHead?.heads ?? 0 };
  const base = await OnnxBase.open(ofBase, trains, model);
  try {
    return base.createEngine({ adapter, valueHead }, () => base.dispose());
  } catch (error) {
    await base.dispose();
    throw error;
  }
}

/**
 * Loads a frozen base over which adapters of any rank are trained, each as a model of its own.
 * @throws WaggleError as `createOnnxEngine`.
 */
export async function openOnnxBase(options: OnnxBaseOptions): Promise<SharedBase> {
  // room for the smallest model; each one's own is checked when it is created
  const base = await OnnxBase.open(options, "lora", { rank: 1, valueHeads: 0 });
  return new ModelTable({
    create: async ({ adapter, valueHead = null }, release) =>
      base.createEngine({ adapter, valueHead }, release),
    close: () => base.dispose(),
  });
}
