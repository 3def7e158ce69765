/**
 * One update of a stage: episodes in, an optimizer step or several, numbers and changed state out. The
 * parts are the stage's, gradients the engine's; a loss sees the whole minibatch at once. It rolls
 * nothing out and keeps nothing.
 */
import {
  type AdvantageRows,
  addLosses,
  type EpisodeGroup,
  type LossResult,
  type Minibatch,
  type PartContext,
  type PlannedMinibatch,
  planMinibatch,
  scaleLoss,
  scoreGroups,
  settingsAt,
  type Stage,
  type StateChange,
  toTokenDerivatives,
} from "@waggle/learning";
import type { TokenOutputs, TrainEngine, TrainSequence } from "@waggle/protocol";
import { WaggleError } from "@waggle/protocol";

/** Log-probs of policies that are not trained, `[B][T]`. */
export type FrozenScorer = (
  sequences: readonly TrainSequence[],
) => Promise<readonly Float32Array[]>;

/** What a stage's state slot may ask the trainer to open. */
export type StageResources = {
  readonly reference?: FrozenScorer;
  readonly teacher?: FrozenScorer;
};

export type StageUpdate = {
  /** Whether anything was learned: false where filters left nothing. */
  readonly learned: boolean;
  readonly metrics: { readonly [name: string]: number };
  readonly state: StateChange;
  /** Why episodes were left out, by id. */
  readonly dropped: ReadonlyMap<string, string>;
};

/**
 * @throws WaggleError `CAPABILITY_MISSING` where the stage needs a resource that was not opened,
 *   `NON_FINITE_VALUE` from engine or loss.
 */
export async function updateStage(
  engine: TrainEngine,
  stage: Stage,
  groups: readonly EpisodeGroup[],
  context: PartContext,
  resources: StageResources,
  signal: AbortSignal,
): Promise<StageUpdate> {
  const kept = scoreGroups(stage, groups, context);
  const seen = { ...context, state: { ...context.state, ...kept.state } };
  const settings = settingsAt(stage, seen);
  const hasCritic = stage.state["critic"] !== undefined;

  const first = planMinibatch(kept.groups, stage.aggregation, {}, kept.pairs);
  if (first.rows.length === 0) {
    return { learned: false, metrics: {}, state: kept.state, dropped: kept.dropped };
  }
  const batch = {
    sequences: first.rows.map(({ sample }) => sample.sequence),
    ...(hasCritic ? { values: true } : {}),
  };
  // The parameters are still those of the update's start.
  const proximal = await engine.forward(batch);
  signal.throwIfAborted();
  const estimated = estimate(stage, kept.groups, seen, first, proximal);
  const planned = planMinibatch(kept.groups, stage.aggregation, estimated, kept.pairs);
  const fixed = {
    ...planned,
    proximalLogProbs: proximal.logProb,
    proximalValues: proximal.values,
    referenceLogProbs: await scored(stage, "ref", resources.reference, batch.sequences),
    teacherLogProbs: await scored(stage, "teacher", resources.teacher, batch.sequences),
  };

  let metrics: { [name: string]: number } = {};
  for (let epoch = 0; epoch < settings.epochs; epoch += 1) {
    const outputs = epoch === 0 ? proximal : await engine.forward(batch);
    const result = stageLoss(stage, minibatchOf(fixed, engine, outputs), seen);
    signal.throwIfAborted();
    await engine.backward(batch, toTokenDerivatives(result.derivatives));
    const { gradientNorm } = await engine.optimStep({
      ...stage.optimizer,
      learningRate: settings.learningRate,
    });
    metrics = { ...result.metrics, loss: result.loss, gradientNorm };
  }
  return {
    learned: true,
    metrics: { ...metrics, learningRate: settings.learningRate, tokens: planned.tokenCount },
    state: { ...kept.state, ...estimated.state },
    dropped: kept.dropped,
  };
}

/** Advantages, with what the critic says of each episode. */
function estimate(
  stage: Stage,
  groups: Parameters<NonNullable<Stage["advantage"]>["estimate"]>[0],
  context: PartContext,
  { rows }: PlannedMinibatch,
  outputs: TokenOutputs,
): { advantages?: AdvantageRows; returns?: AdvantageRows; state?: StateChange } {
  if (stage.advantage === null) return {};
  const values = new Map<string, Float32Array[]>();
  for (const [
    b,
    {
      scored: { episode },
      index,
    },
  ] of rows.entries()) {
    const row = outputs.values?.[b];
    if (row === undefined) continue;
    const ofEpisode = values.get(episode.id) ?? [];
    ofEpisode[index] = row;
    values.set(episode.id, ofEpisode);
  }
  return stage.advantage.estimate(groups, {
    ...context,
    ...(outputs.values === undefined ? {} : { values }),
  });
}

function minibatchOf(
  fixed: Omit<Minibatch, "policyLogProbs" | "entropies" | "values">,
  engine: TrainEngine,
  outputs: TokenOutputs,
): Minibatch {
  const hasEntropy = engine.capabilities().outputs.includes("entropy");
  return {
    ...fixed,
    policyLogProbs: outputs.logProb,
    entropies: hasEntropy ? outputs.entropy : undefined,
    values: outputs.values,
  };
}

/** Sum of the stage's losses by their weights. */
function stageLoss(stage: Stage, minibatch: Minibatch, context: PartContext): LossResult {
  return addLosses(
    ...stage.losses.map(({ loss, weight }) => {
      const result = loss.compute(minibatch, context);
      return weight === 1 ? result : scaleLoss(result, weight);
    }),
  );
}

async function scored(
  stage: Stage,
  name: "ref" | "teacher",
  scorer: FrozenScorer | undefined,
  sequences: readonly TrainSequence[],
): Promise<readonly Float32Array[] | undefined> {
  if (stage.state[name] === undefined) return undefined;
  if (scorer === undefined) {
    throw new WaggleError(
      "CAPABILITY_MISSING",
      `stage ${stage.name} needs ${name === "ref" ? "a reference policy" : "a teacher"}, got none; open one for it or choose another recipe`,
    );
  }
  return scorer(sequences);
}
