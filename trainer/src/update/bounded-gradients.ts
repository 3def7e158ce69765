/**
 * Bounds what senders cause of a step whose losses have no advantages, such as KTO and DPO: an engine that scales the
 * derivatives of each sender's rows before the backward pass. So the bound is on the gradient itself, whatever the loss.
 */
import { derivativeMasses } from "@waggle/learning";
import type { TokenDerivatives, TokenOutputs, TrainEngine, TrainSequence } from "@waggle/protocol";
import { WaggleError } from "@waggle/protocol";
import type { LearnableTrajectory } from "../check/learnable-group.ts";
import { type BoundResult, senderBound, type SenderBounds } from "./sender-influence.ts";

type RowOutputs = {
  readonly logProb: ArrayLike<number>;
  readonly sumSquaredProb: ArrayLike<number> | undefined;
};

/**
 * The engine with bounded backward passes. Each must be a whole minibatch, after a forward pass of its sequences.
 *
 * @returns `result` gives the masses of the last step.
 */
export function withBoundedGradients(
  engine: TrainEngine,
  trajectories: readonly LearnableTrajectory[],
  bounds: SenderBounds,
): { readonly engine: TrainEngine; readonly result: () => BoundResult | undefined } {
  let result: BoundResult | undefined;
  const boundOf = senderBound(trajectories, bounds);
  const ids = new Map(
    trajectories.flatMap(({ trajectory: { id, samples } }) =>
      samples.map(({ sequence }) => [sequence, id] as const),
    ),
  );
  const hasSquares = engine.capabilities().outputs.includes("sumSquaredProb");
  const read = new Map<TrainSequence, RowOutputs>();
  const bounded: TrainEngine = {
    capabilities: () => engine.capabilities(),
    async forward(batch) {
      const outputs = await engine.forward(batch);
      for (const [b, sequence] of batch.sequences.entries()) {
        if (ids.has(sequence)) read.set(sequence, rowOutputs(outputs, b, hasSquares));
      }
      return outputs;
    },
    async backward(batch, derivatives) {
      const rows = batch.sequences.map((sequence) => ({ id: ids.get(sequence) ?? "", sequence }));
      const outputs = batch.sequences.map((sequence) => outputsOf(read, sequence));
      const masses = derivativeMasses(rows, derivatives.logProb ?? [], {
        logProb: outputs.map(({ logProb }) => logProb),
        ...(hasSquares && { sumSquaredProb: outputs.map((row) => row.sumSquaredProb ?? []) }),
      });
      const bound = boundOf(masses);
      result = bound.result;
      await engine.backward(
        batch,
        scaledRows(
          derivatives,
          rows.map(({ id }) => bound.factorOf(id)),
        ),
      );
    },
    optimStep: (step) => engine.optimStep(step),
    gradients: () => engine.gradients(),
    parameters: () => engine.parameters(),
    save: () => engine.save(),
    load: (checkpoint) => engine.load(checkpoint),
    dispose: () => engine.dispose(),
  };
  return { engine: bounded, result: () => result };
}

function rowOutputs(outputs: TokenOutputs, b: number, hasSquares: boolean): RowOutputs {
  const logProb = outputs.logProb[b] ?? [];
  return { logProb, sumSquaredProb: hasSquares ? outputs.sumSquaredProb[b] : undefined };
}

function outputsOf(
  read: ReadonlyMap<TrainSequence, RowOutputs>,
  sequence: TrainSequence,
): RowOutputs {
  const outputs = read.get(sequence);
  if (outputs !== undefined) return outputs;
  throw new WaggleError(
    "INVALID_ARGUMENT",
    "a sequence has no log-probs; run the engine's forward pass before the bound",
  );
}

/** Losses over an edge have no other derivatives: those need a critic or a teacher. */
function scaledRows(
  { logProb, entropy, ...rest }: TokenDerivatives,
  factors: readonly number[],
): TokenDerivatives {
  const scaled = (rows: readonly Float32Array[]): Float32Array[] =>
    rows.map((row, b) => row.map((value) => value * (factors[b] ?? 1)));
  return {
    ...rest,
    ...(logProb === undefined ? {} : { logProb: scaled(logProb) }),
    ...(entropy === undefined ? {} : { entropy: scaled(entropy) }),
  };
}
