/**
 * An engine that trains a fresh adapter over a base with an earlier adapter merged in, and exports both
 * as one. Servers of the Tinker API take no adapter from outside, so training with a learned policy
 * moves to them this way: the server's base contains the earlier adapter, pages and re-scoring keep the
 * original base, and the two stacked adapters are one adapter over it.
 *
 * The delta of the stack is exactly B₁A₁·s₁ + B₂A₂·s₂; its rank is the sum of both ranks.
 */
import { adapterSum } from "@waggle/learning";
import type { Adapter } from "@waggle/model";
import type { TrainEngine } from "@waggle/protocol";

/** Rank and alpha of a LoRA adapter; its scaling is alpha / rank. */
export type AdapterShape = { readonly rank: number; readonly alpha: number };

/** Rank and alpha of the stack; its scaling is 1. */
export function stackedShape(merged: AdapterShape, trained: AdapterShape): AdapterShape {
  const rank = merged.rank + trained.rank;
  return { rank, alpha: rank };
}

/**
 * @param engine - trains an adapter of shape `trained` over the merged base; disposed of with the
 *   result.
 * @param merged - the adapter that is merged into the engine's base.
 */
export function mergedBaseEngine(
  engine: TrainEngine,
  merged: Adapter,
  trained: AdapterShape,
): TrainEngine {
  return {
    capabilities: () => engine.capabilities(),
    forward: (batch) => engine.forward(batch),
    backward: (batch, derivatives) => engine.backward(batch, derivatives),
    optimStep: (options) => engine.optimStep(options),
    gradients: () => engine.gradients(),
    async parameters() {
      const scaling = (shape: AdapterShape): number => shape.alpha / shape.rank;
      return adapterSum([
        { parameters: merged.tensors, scaling: scaling(merged), weight: 1 },
        { parameters: await engine.parameters(), scaling: scaling(trained), weight: 1 },
      ]);
    },
    save: () => engine.save(),
    load: (checkpoint) => engine.load(checkpoint),
    dispose: () => engine.dispose(),
  };
}
