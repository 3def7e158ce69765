/** Which decoders the training graphs compute: fewer than the inference graphs. */
import type { DecoderConfig } from "@waggle/model";
import { WaggleError } from "@waggle/protocol";

const TRAINABLE: readonly DecoderConfig["modelType"][] = ["qwen3", "llama", "qwen2", "smollm3"];

/** @throws WaggleError `CAPABILITY_MISSING` for a decoder that has no training graph. */
export function requireTrainable({ modelType }: DecoderConfig): void {
  if (TRAINABLE.includes(modelType)) return;
  throw new WaggleError(
    "CAPABILITY_MISSING",
    `a decoder to train must be ${TRAINABLE.join(", ")}, got ${modelType}, which only runs; choose a base model of those types`,
  );
}
