/**
 * The training loop with rollouts that continue while a step is taken. The caller supplies rollout, step
 * and sink; `rollouts-in-flight.ts` has the rollouts. All work has ended when it returns or throws.
 */
import type { FlowLimits, RolloutFlow } from "@waggle/learning";
import { type RollOut, type Rolled, RolloutsInFlight } from "../source/rollouts-in-flight.ts";
import { train } from "../training/train.ts";

/** The caller's rollout, learning step and sink. */
export type OverlappedWork<T, Learned> = {
  readonly rollOut: RollOut<T>;
  /** One learning step. */
  readonly learn: (batch: readonly Rolled<T>[], flow: RolloutFlow) => Promise<Learned>;
  /** Stores what was learned. When it resolves, version `flow.capacity.version + 1` is published. */
  readonly keep?: (learned: Learned) => Promise<void>;
};

/** @returns the state after the last step, with the counts. */
export async function overlappedSteps<T, Learned = void>(
  limits: FlowLimits,
  steps: number,
  { rollOut, learn, keep }: OverlappedWork<T, Learned>,
  signal: AbortSignal,
): Promise<RolloutFlow> {
  const rollouts = new RolloutsInFlight(limits, steps, rollOut, signal);
  const { source, check } = rollouts;
  let stepsDone = 0;
  try {
    return await train(
      {
        source,
        check,
        update: (batch) => learn(batch, rollouts.flow),
        sink: {
          keep: async (learned) => {
            await keep?.(learned);
            rollouts.published();
            stepsDone += 1;
          },
        },
      },
      {
        stop: () => {
          if (stepsDone >= steps) return rollouts.flow;
          rollouts.throwIfEnded();
          return null;
        },
      },
    );
  } finally {
    await rollouts.close();
  }
}
