/** Weights of a loaded model, for the thread that runs it. Apart from `openModel`, because pages only read small files. */
import { openModelWeights } from "@waggle/model";
import type { TensorSource } from "@waggle/model";
import type { ModelReader } from "./loaded-model.ts";

/** @throws WaggleError `MODEL_CORRUPT` if weights are missing or broken. */
export function openWeights({ has, file }: ModelReader): Promise<TensorSource> {
  return openModelWeights(has, file);
}
