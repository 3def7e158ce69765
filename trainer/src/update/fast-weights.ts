/**
 * Fast weights. Before an outer step, the parameters take some inner steps of another loss; see the loss
 * part `bilevel` of `@waggle/learning`.
 */
import { toTokenDerivatives, withOuterStep, withTrained } from "@waggle/learning";
import type { Minibatch, PartContext, Stage } from "@waggle/learning";
import type { TensorMap, TokenOutputs, TrainBatch, TrainEngine } from "@waggle/protocol";
import { setParameters } from "./engine-parameters.ts";
import type { BatchEngine } from "./role-engine.ts";

export type FastWeights = {
  /** Applies the change of the outer step to the original parameters. */
  readonly settle: () => Promise<void>;
};

/**
 * Takes the inner steps.
 * @returns `null` if the stage has none.
 */
export async function fastWeights(
  stage: Stage,
  engine: BatchEngine,
  batch: TrainBatch,
  minibatchOf: (outputs: TokenOutputs) => Minibatch | Promise<Minibatch>,
  context: PartContext,
): Promise<FastWeights | null> {
  const inner = stage.losses.find(({ loss }) => loss.inner !== undefined)?.loss.inner;
  if (inner === undefined) return null;
  const slow = await Promise.all(
    engine.learners.map(async (learner) => ({
      learner,
      checkpoint: await learner.save(),
      parameters: await learner.parameters(),
    })),
  );
  for (let step = 0; step < inner.steps; step += 1) {
    const { derivatives } = inner.compute(await minibatchOf(await engine.forward(batch)), context);
    await engine.backward(batch, toTokenDerivatives(derivatives));
    for (const { learner, parameters } of slow) {
      await learner.optimStep({ learningRate: inner.learningRate, maxGradientNorm: 1 });
      await keepOnly(learner, parameters, inner.trains?.([...parameters.keys()], context));
    }
  }
  const fast: { learner: TrainEngine; slow: TensorMap; parameters: TensorMap }[] = [];
  for (const { learner, checkpoint, parameters } of slow) {
    const reached = await learner.parameters();
    // Moments and step count belong to the outer loop only.
    await learner.load(checkpoint);
    await setParameters(learner, reached);
    fast.push({ learner, slow: parameters, parameters: reached });
  }
  return {
    settle: async () => {
      for (const { learner, slow: before, parameters } of fast) {
        const stepped = await learner.parameters();
        await setParameters(learner, withOuterStep(before, parameters, stepped));
      }
    },
  };
}

async function keepOnly(
  learner: TrainEngine,
  before: TensorMap,
  chosen: ReadonlySet<string> | undefined,
): Promise<void> {
  if (chosen === undefined) return;
  const after = await learner.parameters();
  await setParameters(
    learner,
    withTrained(before, after, (name) => chosen.has(name)),
  );
}
