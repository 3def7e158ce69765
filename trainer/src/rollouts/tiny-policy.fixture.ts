/**
 * A real decoder with a few thousand parameters, and adapters that change its output. Tests only.
 */
import { type Adapter, initializeAdapter } from "@waggle/model";
import { type AdaptivePolicy, createNodePolicy } from "@waggle/runtime/node";
import { TINY, TINY_BASE, tinyWeights } from "../edge-training/training.fixture.ts";

export const PROMPT: readonly number[] = Array.from({ length: 12 }, (_, i) => (i * i * 7 + 5) % 32);
const SHAPE = { rank: 4, alpha: 8 };

/** Opens the tiny decoder. */
export function tinyPolicy(): Promise<AdaptivePolicy> {
  return createNodePolicy({
    config: TINY,
    weights: tinyWeights(),
    baseModel: TINY_BASE,
    threads: 1,
  });
}

/** An adapter with deterministic weights for a seed. */
export function movedAdapter(seed: number): Adapter {
  const { tensors } = initializeAdapter(TINY, { ...SHAPE, seed });
  const moved = new Map(tensors);
  for (const [name, { shape, data }] of tensors) {
    const turned = data.map((_, i) => Math.sin(i * 12.9898 + seed * 78.233));
    if (name.includes("lora_B")) moved.set(name, { shape, data: turned });
  }
  return { ...SHAPE, tensors: moved };
}
