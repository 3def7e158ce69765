/**
 * The TrainEngine on onnxruntime: forward pass and hand-derived backward pass as ONNX graphs on any
 * of its providers, AdamW in TypeScript. On the CPU, a microbatch blocks the event loop.
 */
import type { Adapter, ValueHead } from "@waggle/model";
import { WaggleError } from "@waggle/protocol";
import type { SharedBase, TrainEngine } from "@waggle/protocol";
import { ModelTable } from "../decoder/model-table.ts";
import { OnnxBase } from "./onnx-base.ts";
import type { OnnxBaseOptions } from "./onnx-base.ts";

/** Options of `createOnnxEngine`. */
export type OnnxEngineOptions = OnnxBaseOptions & {
  readonly trains: "lora" | "full";
  /** Where training starts. Required with `lora`, refused with `full`. */
  readonly adapter?: Adapter;
  /** Trainable heads that output `values`; copied. Without them, `values` are refused. */
  readonly valueHead?: ValueHead;
};

/**
 * Loads the weights and returns an engine that owns copies of them.
 * @throws WaggleError `CAPABILITY_MISSING` for a model type that cannot be trained or a device without
 *   the requested f16, `MODEL_CORRUPT` on weights that do not match the config, `ADAPTER_INCOMPATIBLE`
 *   on an adapter for another decoder, `DEVICE_UNAVAILABLE` where the device does not start,
 *   `INVALID_ARGUMENT` on contradictory options, `OUT_OF_MEMORY` where the plan exceeds the limit.
 */
export async function createOnnxEngine(options: OnnxEngineOptions): Promise<TrainEngine> {
  const { trains, adapter = null, valueHead = null, ...ofBase } = options;
  if ((trains === "lora") !== (adapter !== null)) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      adapter
        ? 'trains "full" takes no adapter; leave it out, or set trains to "lora"'
        : 'trains "lora" needs an adapter; create a fresh one with initializeAdapter',
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
 * Loads a frozen base over which several adapters of any rank can be trained.
 * @throws WaggleError as `createOnnxEngine` does.
 */
export async function openOnnxBase(options: OnnxBaseOptions): Promise<SharedBase> {
  // plans for the smallest model; each model is checked when it is created
  const base = await OnnxBase.open(options, "lora", { rank: 1, valueHeads: 0 });
  return new ModelTable({
    create: async ({ adapter, valueHead = null }, release) =>
      base.createEngine({ adapter, valueHead }, release),
    close: () => base.dispose(),
  });
}
