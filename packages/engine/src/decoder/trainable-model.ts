/** The decoder types that have training graphs; inference graphs support more. */
import type { DecoderConfig } from "@waggle/model";
import { WaggleError } from "@waggle/protocol";

const TRAINABLE: readonly DecoderConfig["modelType"][] = ["qwen3", "llama", "qwen2", "smollm3"];

/** @throws WaggleError `CAPABILITY_MISSING` for a decoder without training graphs. */
export function requireTrainable({ modelType }: DecoderConfig): void {
  if (TRAINABLE.includes(modelType)) return;
  throw new WaggleError(
    "CAPABILITY_MISSING",
    `trainable model types are ${TRAINABLE.join(", ")}, got ${modelType}, which only runs inference; choose a base model of those types`,
  );
}
