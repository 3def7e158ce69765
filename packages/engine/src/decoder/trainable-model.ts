/** The decoder types that have training graphs; inference graphs support more. */
import type { DecoderConfig } from "@waggle/model";
import { WaggleError } from "@waggle/protocol";

const TRAINABLE: readonly DecoderConfig["modelType"][] = ["qwen3", "llama", "qwen2", "smollm3"];

/** @throws WaggleError `CAPABILITY_MISSING` for a decoder without training graphs. */
export function requireTrainable({ modelType }: DecoderConfig): void {
  if (TRAINABLE.includes(modelType)) return;
  throw new WaggleError(
    "CAPABILITY_MISSING",
    `model type ${modelType} supports only inference; choose a base model of type ${TRAINABLE.join(", ")}`,
  );
}
