/**
 * Publishes parameters as a deployed policy, one durable stage at a time: evaluate on frozen tasks
 * beside the stable version, on retention tasks beside the base, and by probes beside the base, publish, promote. Only a
 * candidate that passed goes to the canary channel; one that failed is recorded at the edge as rolled back. On a site without
 * tasks, requests of visitors take their place, and visitors of a release decide. A stage may be repeated after a crash with
 * the same result.
 *
 * If the candidate is not promoted, the engine returns to the stable version's parameters. Its
 * trajectories stay learned.
 */
import { gateRefusal, type PairedCounts, pairedDifference } from "@waggle/evaluation";
import type { Adapter } from "@waggle/model";
import type {
  AdapterReference,
  EvaluationResult,
  GuidanceReference,
  PolicyVersionId,
  PromotionGate,
  TrainEngine,
} from "@waggle/protocol";
import { WaggleError } from "@waggle/protocol";
import type { AdapterCache } from "../model/adapter-cache.ts";
import type { TrainerCheckpoint } from "../checkpoint/trainer-checkpoint.ts";
import type { EdgeClient } from "../edge/edge-client.ts";
import type { FrozenOutcomes } from "../evaluation/frozen-tasks.ts";
import type { PromotionDecision, Reporter } from "../metrics/reporter.ts";
import {
  type Publication,
  stableGuidance,
  type TrainerState,
} from "../checkpoint/trainer-state.ts";
import { checkProbes } from "../probes/probe-check.ts";
import {
  evaluationKey,
  keptOutcomes,
  outcomesToKeep,
  reportOf,
  withCandidateAs,
} from "./kept-results.ts";
import { decidedWithoutTasks } from "./decision-without-tasks.ts";
import { count, decisionOnTasks, type MayPromote } from "./promotion-rule.ts";
import type { RequestComparison } from "./request-comparison.ts";
import { checkRetention, keptRetention, type RetentionPlayer } from "./retention-check.ts";

export type PublicationParts = {
  readonly edge: EdgeClient;
  readonly engine: Pick<TrainEngine, "parameters" | "load">;
  readonly adapterCache: AdapterCache;
  readonly adapterShape: { readonly rank: number; readonly alpha: number };
  /** Outcomes of a version by frozen task; tasks and seeds are always the same. */
  readonly evaluate: (
    version: PolicyVersionId,
    adapter: Adapter | null,
    signal: AbortSignal,
    guidance: GuidanceReference | undefined,
  ) => Promise<FrozenOutcomes>;
  /** Environment of the frozen tasks; empty for a site without one. */
  readonly environment: string;
  /** Name of the task set of `evaluate`, so that results of different sets are not mixed. */
  readonly evaluationName: string;
  readonly mayPromote: MayPromote;
  /** Requests of visitors, at which versions of a site without an environment are compared; absent = none. */
  readonly compareRequests?: RequestComparison | undefined;
  /** Tasks that are not practiced, on which a candidate must not fall; absent = none. */
  readonly retention?: RetentionPlayer | undefined;
  readonly report: Reporter;
};

type Commit = (next: TrainerCheckpoint) => Promise<void>;

/**
 * Temporary version number of a candidate during its evaluation; its real number is not known yet.
 */
const CANDIDATE: PolicyVersionId = 2 ** 31 - 1;

/** The base model's version, the same for the life of a site. */
const BASE: PolicyVersionId = 0;

/**
 * Runs the next stage of the publication in progress and commits.
 *
 * @param gate - the edge's gate; a candidate must pass it and the trainer's own.
 * @throws WaggleError `PUBLICATION_STALE` if the edge has changed; nothing is committed
 */
export async function advancePublication(
  parts: PublicationParts,
  checkpoint: TrainerCheckpoint,
  gate: PromotionGate,
  commit: Commit,
  signal: AbortSignal,
): Promise<void> {
  const { publication } = checkpoint.state;
  if (publication === null) return;
  if (publication.stage === "evaluate") {
    return evaluate(parts, checkpoint, publication, gate, commit, signal);
  }
  const stages = { publish, promote };
  await stages[publication.stage](parts, checkpoint, publication, commit);
}

async function evaluate(
  parts: PublicationParts,
  checkpoint: TrainerCheckpoint,
  publication: Publication,
  gate: PromotionGate,
  commit: Commit,
  signal: AbortSignal,
): Promise<void> {
  const { state } = checkpoint;
  const adapter = { ...parts.adapterShape, tensors: await parts.engine.parameters() };
  const reference = await parts.adapterCache.add(adapter);
  const { decision, evaluation, kept } = await (parts.environment === ""
    ? decidedOnRequests(parts, state, adapter, gate, signal)
    : decidedOnTasks(parts, state, adapter, gate, signal));
  parts.report.evaluated(evaluation, decision);
  // There is no evidence against the candidate, so training continues from its parameters.
  if (decision.verdict === "undecided") {
    const next: TrainerState = { ...withoutPublication(state), ...kept };
    return commit({ ...checkpoint, state: { ...next, publications: state.publications + 1 } });
  }
  const promotes = decision.verdict === "promote";
  await commit({
    ...checkpoint,
    state: {
      ...state,
      ...kept,
      publication: { ...publication, stage: "publish", evaluation, adapter: reference, promotes },
    },
  });
}

type Decided = {
  readonly decision: PromotionDecision;
  readonly evaluation: EvaluationResult;
  /** What the state keeps of it. */
  readonly kept: Pick<TrainerState, "evaluations" | "answers" | "heldOut">;
};

/** The decision where there are no tasks. */
async function decidedOnRequests(
  parts: PublicationParts,
  state: TrainerState,
  adapter: Adapter,
  gate: PromotionGate,
  signal: AbortSignal,
): Promise<Decided> {
  const answers = await parts.compareRequests?.(
    { version: CANDIDATE, adapter },
    { version: state.stableVersion, adapter: await stableAdapter(parts, state) },
    state.heldOut ?? [],
    gate.minTasks,
    signal,
  );
  return decidedWithoutTasks(state, gate, answers);
}

/** The decision at frozen tasks. */
async function decidedOnTasks(
  parts: PublicationParts,
  state: TrainerState,
  adapter: Adapter,
  gate: PromotionGate,
  signal: AbortSignal,
): Promise<Decided> {
  const stable = await stableOutcomes(parts, state, signal);
  const candidate = await parts.evaluate(CANDIDATE, adapter, signal, stableGuidance(state));
  const paired = pairedResult(
    candidate.successes,
    stable.successes,
    state.stableVersion,
    parts.evaluationName,
  );
  const bestKey = evaluationKey(parts, "best");
  const earlierBest = state.evaluations[bestKey] ?? stable.successes;
  const best = count(stable.successes) > count(earlierBest) ? stable.successes : earlierBest;
  const { mayPromote } = parts;
  const refusal = gateRefusal(paired, gate);
  const learned = decisionOnTasks(mayPromote, candidate, stable, best, refusal);
  const retention = await retained(parts, state, learned, paired, adapter, gate, signal);
  const { decision, evaluation } = await probed(parts, retention, candidate, gate, signal);
  const { evaluations, answers } = outcomesToKeep(parts, [
    [state.stableVersion, stable],
    ["candidate", candidate],
  ]);
  // Only these results can be needed again.
  const all = { ...retention.kept, [bestKey]: best, ...evaluations };
  return { decision, evaluation, kept: { evaluations: all, answers } };
}

/**
 * The decision after the retention set, which is played only if the candidate would be promoted otherwise.
 */
async function retained(
  parts: PublicationParts,
  state: TrainerState,
  learned: PromotionDecision,
  evaluation: EvaluationResult,
  adapter: Adapter,
  gate: PromotionGate,
  signal: AbortSignal,
): Promise<{
  readonly decision: PromotionDecision;
  readonly evaluation: EvaluationResult;
  readonly kept: TrainerState["evaluations"];
}> {
  if (learned.verdict !== "promote") {
    return { decision: learned, evaluation, kept: keptRetention(state.evaluations) };
  }
  const candidate = { version: CANDIDATE, adapter, guidance: stableGuidance(state) };
  const { retention, refusal, evaluations } = await checkRetention(
    parts.retention,
    state.evaluations,
    candidate,
    gate,
    signal,
  );
  return {
    decision: refusal === null ? learned : { verdict: "roll-back", reason: refusal },
    evaluation: retention === undefined ? evaluation : { ...evaluation, retention },
    kept: evaluations,
  };
}

/** The decision after the probes, which run only if the candidate would be promoted otherwise. */
async function probed(
  parts: PublicationParts,
  before: { readonly decision: PromotionDecision; readonly evaluation: EvaluationResult },
  candidate: FrozenOutcomes,
  gate: PromotionGate,
  signal: AbortSignal,
): Promise<typeof before> {
  const { decision, evaluation } = before;
  if (decision.verdict !== "promote") return before;
  const playBase = () => parts.evaluate(BASE, null, signal, undefined);
  const { probes, refusal } = await checkProbes(candidate, playBase, gate);
  return {
    decision: refusal === null ? decision : { verdict: "roll-back", reason: refusal },
    evaluation: probes === undefined ? evaluation : { ...evaluation, probes: [...probes] },
  };
}

/** Outcomes of the stable version; its last results are reused. */
async function stableOutcomes(
  parts: PublicationParts,
  state: TrainerState,
  signal: AbortSignal,
): Promise<FrozenOutcomes> {
  const { stableVersion } = state;
  const kept = keptOutcomes(parts, state, stableVersion);
  if (kept !== null) return kept;
  const adapter = await stableAdapter(parts, state);
  return parts.evaluate(stableVersion, adapter, signal, stableGuidance(state));
}

/**
 * Gives up a publication that the edge refuses for now. A candidate on the canary channel is rolled
 * back; the engine keeps its parameters, and a later step publishes.
 */
export async function postponePublication(
  { edge }: Pick<PublicationParts, "edge">,
  checkpoint: TrainerCheckpoint,
  reason: string,
  commit: Commit,
): Promise<void> {
  const { state } = checkpoint;
  const version = state.publication?.version ?? null;
  if (version !== null) await edge.rollBack(version, reason);
  await commit({ ...checkpoint, state: withoutPublication(state) });
}

async function publish(
  parts: PublicationParts,
  checkpoint: TrainerCheckpoint,
  publication: Publication,
  commit: Commit,
): Promise<void> {
  const { state } = checkpoint;
  const adapter = publication.adapter as AdapterReference;
  await parts.edge.putObject(adapter.sha256, await parts.adapterCache.bytes(adapter));
  const { publicationId, parent, step, evaluation, promotes } = publication;
  const guidance = stableGuidance(state);
  const said = guidance === undefined ? {} : { guidance };
  const { epoch = 0, baseModel } = state;
  const source = { publicationId, epoch, parent, baseModel, adapter, evaluation, step };
  let version: PolicyVersionId;
  try {
    const status = promotes ? "canary" : "rolled-back";
    ({ version } = await parts.edge.publish({ ...source, ...said, status }));
  } catch (error) {
    if (!promotes || !isRefused(error)) throw error;
    parts.report.failure(error);
    const next: TrainerState = { ...state, publication: { ...publication, promotes: false } };
    return commit({ ...checkpoint, state: next });
  }
  await parts.edge.putReport(version, reportOf(parts, state, parent));
  const known = { version, adapter, ...said, isRolledBack: !promotes };
  await commit({
    ...checkpoint,
    state: {
      ...state,
      versions: [...state.versions.filter((other) => other.version !== version), known],
      publication: { ...publication, version, stage: "promote" },
    },
  });
}

async function promote(
  parts: PublicationParts,
  checkpoint: TrainerCheckpoint,
  publication: Publication,
  commit: Commit,
): Promise<void> {
  const { state } = checkpoint;
  const version = publication.version as PolicyVersionId;
  // A release of this version may have ended meanwhile: promoting it again changes nothing.
  const isRolledBack = state.versions.some(
    (known) => known.version === version && known.isRolledBack,
  );
  const promotes = publication.promotes && !isRolledBack && (await isPromoted(parts, version));
  if (!promotes) await parts.engine.load(checkpoint.stable);
  await commit({
    engine: promotes ? checkpoint.engine : checkpoint.stable,
    stable: promotes ? checkpoint.engine : checkpoint.stable,
    state: {
      ...state,
      stableVersion: promotes ? version : state.stableVersion,
      versions: state.versions.map((known) =>
        known.version === version ? { ...known, isRolledBack: !promotes } : known,
      ),
      publications: state.publications + 1,
      promotions: state.promotions + (promotes ? 1 : 0),
      stepsSincePublication: 0,
      publication: null,
      learnedFrom: undefined,
      ...(promotes ? withCandidateAs(parts, state, version) : {}),
    },
  });
  parts.report.published(version, promotes);
}

/**
 * Promotes the canary.
 * @returns false if the edge refuses; the canary is then rolled back.
 */
async function isPromoted(
  { edge, report }: PublicationParts,
  version: PolicyVersionId,
): Promise<boolean> {
  try {
    await edge.promote(version);
    return true;
  } catch (error) {
    if (!isRefused(error)) throw error;
    report.failure(error);
    await edge.rollBack(version);
    return false;
  }
}

/** True if the edge decided against a version. A stale view of the edge is not a decision. */
function isRefused(error: unknown): boolean {
  const codes = ["CONFLICT", "GATE_NOT_PASSED", "LINEAGE_ROLLED_BACK"] as const;
  return codes.some((code) => WaggleError.is(error, code));
}

function stableAdapter(parts: PublicationParts, state: TrainerState): Promise<Adapter | null> {
  const known = state.versions.find(({ version }) => version === state.stableVersion);
  return known?.adapter ? parts.adapterCache.get(known.adapter) : Promise.resolve(null);
}

function withoutPublication(state: TrainerState): TrainerState {
  return { ...state, stepsSincePublication: 0, publication: null };
}

function pairedResult(
  candidate: readonly boolean[],
  stable: readonly boolean[],
  comparedWith: PolicyVersionId,
  taskSet: string,
): EvaluationResult & PairedCounts {
  const { tasks, gained, lost } = pairedDifference(stable, candidate);
  const [successes, stableSuccesses] = [count(candidate), count(stable)];
  return { tasks, successes, stableSuccesses, gained, lost, comparedWith, taskSet };
}
