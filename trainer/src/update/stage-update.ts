/**
 * One update of a stage: trajectories in; optimizer steps, metrics and changed state out. The stage
 * supplies the parts and the engine the gradients; a loss sees the whole minibatch at once. It does not
 * roll out or store anything.
 */
import {
  mismatchMetrics,
  nextKlTerm,
  planMinibatch,
  rewardGroups,
  settingsAt,
  tokenOwners,
  withKlPenalty,
  write,
} from "@waggle/learning";
import type {
  FeedbackWeights,
  AdvantageRows,
  JudgedGroup,
  Kept,
  LossResult,
  Observed,
  PartContext,
  PlannedMinibatch,
  RewardedGroup,
  Row,
  Stage,
  StateChange,
  TokenRows,
} from "@waggle/learning";
import type { TrainEngine, TrainSequence } from "@waggle/protocol";
import { WaggleError } from "@waggle/protocol";
import { beforeTokens, estimatedAdvantages } from "./estimated-advantages.ts";
import { hindsightLogProbs } from "./hindsight.ts";
import { modelPorts } from "./model-ports.ts";
import { optimizerSteps } from "./optimizer-steps.ts";
import { type BatchEngine, roleEngine, soleEngine } from "./role-engine.ts";
import { type CandidateScorer, candidatesOf, withCandidates } from "./teacher-candidates.ts";
import type { FrozenScorer, RecipeModels } from "./recipe-models.ts";

/** Resources that a stage's state slot may require; the trainer opens them. */
export type StageResources = {
  readonly models?: RecipeModels;
  readonly reference?: FrozenScorer;
  readonly teacher?: FrozenScorer;
  readonly teacherCandidates?: CandidateScorer;
};

/** The result of an update. */
export type StageUpdate = {
  /** False if filters left nothing to train on. */
  readonly learned: boolean;
  /** Means over the optimizer steps. */
  readonly metrics: { readonly [name: string]: number };
  readonly state: StateChange;
  /** Why trajectories were left out, by id. */
  readonly dropped: ReadonlyMap<string, string>;
  /** The numbers that the update was computed from; `null` if nothing was learned. */
  readonly numbers: UpdateNumbers | null;
};

/** Intermediate results between trajectories and gradients. */
export type UpdateNumbers = {
  /** The groups after filtering, with the KL subtracted if it is in the reward. */
  readonly groups: readonly RewardedGroup[];
  /** `[samples][T]` by trajectory id; absent if the stage has no advantages. */
  readonly advantages: AdvantageRows | undefined;
  /** By trajectory id, the share of the absolute advantage that a correction causes; absent = none. */
  readonly ofCorrection: ReadonlyMap<string, number> | undefined;
  readonly minibatch: PlannedMinibatch;
  /** `[B][T]` log-probs of the trained model before the first optimizer step. */
  readonly proximalLogProbs: TokenRows;
  /** Result of the last epoch, with derivatives by row of the minibatch. */
  readonly result: LossResult;
};

/**
 * Rewards the groups, filters them and trains on the rest.
 *
 * @param policy - the policy's engine; the stage may train another of `resources.models`.
 * @throws WaggleError `CAPABILITY_MISSING` if the stage needs a resource that was not opened,
 *   `NON_FINITE_VALUE` from the engine or a loss.
 */
export async function updateStage(
  policy: TrainEngine,
  stage: Stage,
  groups: readonly JudgedGroup[],
  given: PartContext,
  resources: StageResources,
  signal: AbortSignal,
): Promise<StageUpdate> {
  const models = resources.models ?? new Map<string, TrainEngine>();
  const ports = { ...given.ports, ...modelPorts(models, resources.reference) };
  const context = { ...given, ports };
  const kept = await rewardGroups(stage, groups, context);
  return updateFrom(policy, stage, kept, idsOf(groups), context, resources, signal);
}

/**
 * Trains on groups that were already rewarded and filtered for this step. Throws like `updateStage`.
 *
 * @param own - ids of this step's trajectories; filters may have added earlier ones.
 */
export async function updateFrom(
  policy: TrainEngine,
  stage: Stage,
  kept: Kept,
  own: ReadonlySet<string>,
  context: PartContext,
  resources: StageResources,
  signal: AbortSignal,
): Promise<StageUpdate> {
  const models = resources.models ?? new Map<string, TrainEngine>();
  const settings = settingsAt(stage, context);
  const { rewardWeights } = settings;
  const seen = { ...context, rewardWeights, state: { ...context.state, ...kept.state } };
  const isRewardModel = stage.trains === "rm";
  const hasValues = isRewardModel || stage.state["critic"] !== undefined;

  const written =
    stage.writing === null ? null : await write(stage.writing, onlyOf(kept.groups, own), seen);
  const { changes = 0, refused = 0 } = written ?? {};
  const writing: { [name: string]: number } = written === null ? {} : { changes, refused };
  const changed = { ...kept.state, ...written?.state };

  const first = planMinibatch(kept.groups, stage.aggregation, {}, kept.pairs);
  if (first.rows.length === 0 || stage.losses.length === 0) {
    const learned = changes > 0;
    return { learned, metrics: writing, state: changed, dropped: kept.dropped, numbers: null };
  }
  const engine = stageEngine(stage, policy, models, first.rows);
  const sequences = first.rows.map(({ sample }) => sample.sequence);
  const candidates = await candidatesOf(stage, engine, sequences, first.lossMask, resources);
  const batch = {
    sequences: withCandidates(sequences, candidates),
    ...(hasValues
      ? { values: true, valuesTrainDecoder: !stage.losses.some(({ loss }) => loss.endsAtHeads) }
      : {}),
  };
  // The parameters are still those from the start of the update.
  const proximal = await engine.forward(batch);
  signal.throwIfAborted();
  const referenceLogProbs = await frozenLogProbs(stage, "ref", resources.reference, sequences);
  const paid = withKlPenalty(stage, kept.groups, first, proximal.logProb, referenceLogProbs, seen);
  const capabilities = engine.capabilities();
  const hindsight = await hindsightLogProbs(engine, stage, first.rows, seen.ports);
  const estimated = estimatedAdvantages(
    stage,
    paid,
    seen,
    first,
    proximal,
    capabilities,
    hindsight,
  );
  const planned = planMinibatch(paid, stage.aggregation, estimated, kept.pairs);
  const fixed = {
    proximalLogProbs: proximal.logProb,
    proximalValues: proximal.values?.map(beforeTokens),
    referenceLogProbs,
    teacherLogProbs: await frozenLogProbs(stage, "teacher", resources.teacher, sequences),
    teacherCandidateLogProbs: candidates?.logProbs,
  };
  const { metrics, result } = await optimizerSteps({
    stage,
    settings,
    context: seen,
    groups: paid,
    estimated,
    pairs: kept.pairs,
    planned,
    batch,
    engineOf: (rows) => stageEngine(stage, policy, models, rows),
    proximal,
    fixed,
    reference: resources.reference,
    signal,
  });
  const { advantages, ofCorrection } = estimated;
  const proximalLogProbs = proximal.logProb;
  const whole = { ...planned, ...fixed };
  const kl = nextKlTerm(stage, whole, seen);
  return {
    learned: true,
    metrics: {
      ...metrics,
      ...kl.metrics,
      ...writing,
      ...mismatch(stage, planned, proximal.logProb),
      learningRate: settings.learningRate,
      tokens: planned.tokenCount,
    },
    state: { ...changed, ...observed(stage, whole, seen), ...estimated.state, ...kl.state },
    dropped: kept.dropped,
    numbers: {
      groups: paid,
      advantages,
      ofCorrection,
      minibatch: planned,
      proximalLogProbs,
      result,
    },
  };
}

/**
 * Divergence between the sampled and the trained policy at the start of the step; it includes any staleness.
 * Demonstrations, edited answers and those of staff were not sampled and have none.
 */
function mismatch(
  { learns, reward }: Stage,
  { lossMask, behaviorLogProbs }: PlannedMinibatch,
  proximalLogProbs: TokenRows,
): { readonly mismatchK3?: number } {
  if (learns !== "rewards" || imitatesTexts(reward?.feedback)) return {};
  const { mismatchK3 } = mismatchMetrics({ lossMask, behaviorLogProbs, proximalLogProbs });
  return { mismatchK3 };
}

function imitatesTexts({ edit, staff }: FeedbackWeights = {}): boolean {
  return edit !== undefined || staff !== undefined;
}

/** State that filters store about the model's outputs before the step. */
function observed({ filters }: Stage, minibatch: Observed, context: PartContext): StateChange {
  return filters.reduce((state: StateChange, filter) => {
    const now = { ...context, state: { ...context.state, ...state } };
    return { ...state, ...filter.observes?.(minibatch, now) };
  }, {});
}

/** @throws WaggleError `CAPABILITY_MISSING` if the stage trains a model that was not opened. */
function stageEngine(
  { name, trains, state, losses }: Stage,
  policy: TrainEngine,
  models: RecipeModels,
  rows: readonly Row[],
): BatchEngine {
  if (trains === "roles") {
    const roles = state["role-adapters"]?.roles;
    const owners = rows.map(({ rewarded, index }) =>
      tokenOwners(rewarded.trajectory, index, roles?.hears),
    );
    const engines = new Map([...models, ["policy", policy] as const]);
    return roleEngine(engines, owners, roles?.learn ?? []);
  }
  const engine = trains === "policy" ? policy : models.get(trains);
  if (engine !== undefined) {
    if (losses.some(({ loss }) => loss.packs === true)) requireTrees(engine);
    return soleEngine(engine);
  }
  throw new WaggleError(
    "CAPABILITY_MISSING",
    `stage ${name} trains the model ${trains}, which is not open; open it or choose another recipe`,
  );
}

/** @throws WaggleError `CAPABILITY_MISSING` if the engine does not support prefix trees. */
function requireTrees(engine: TrainEngine): void {
  const { sequences, device } = engine.capabilities();
  if (sequences.includes("parents")) return;
  throw new WaggleError(
    "CAPABILITY_MISSING",
    `tree-pack needs an engine that supports prefix trees, but ${device} does not; train with --device cpu or use another recipe`,
  );
}

/** The groups without trajectories from earlier steps, which were credited then. */
function onlyOf(kept: readonly RewardedGroup[], own: ReadonlySet<string>): RewardedGroup[] {
  return kept.map(({ task, trajectories }) => ({
    task,
    trajectories: trajectories.filter(({ trajectory }) => own.has(trajectory.id)),
  }));
}

function idsOf(groups: readonly JudgedGroup[]): ReadonlySet<string> {
  return new Set(groups.flatMap(({ trajectories }) => trajectories.map(({ id }) => id)));
}

async function frozenLogProbs(
  stage: Stage,
  name: "ref" | "teacher",
  scorer: FrozenScorer | undefined,
  sequences: readonly TrainSequence[],
): Promise<readonly Float32Array[] | undefined> {
  // A teacher that the trainer learns itself gives demonstrations only; it computes no log-probs.
  const part = stage.state[name];
  if (part === undefined || part.initial !== undefined) return undefined;
  if (scorer === undefined) {
    throw new WaggleError(
      "CAPABILITY_MISSING",
      `stage ${stage.name} needs ${name === "ref" ? "a reference policy" : "a teacher"}; open one for it or choose another recipe`,
    );
  }
  return scorer(sequences);
}
