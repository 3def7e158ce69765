/**
 * From parameters to a deployed policy, one durable stage at a time: evaluate on frozen tasks beside
 * the stable version, publish, promote. Only a candidate that passed goes to the canary channel; one
 * that failed is recorded at the edge as rolled back. Each stage may be repeated after a crash and gives
 * the same.
 *
 * Where the candidate is not promoted, the engine returns to the stable version's parameters. Its
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
import type { AdapterShelf } from "./adapter-shelf.ts";
import type { Checkpoint } from "./checkpoint-store.ts";
import type { EdgeClient } from "./edge-client.ts";
import type { Reporter } from "./reporter.ts";
import { type Publication, stableGuidance, type TrainerState } from "./trainer-state.ts";

export type PublicationParts = {
  readonly edge: EdgeClient;
  readonly engine: TrainEngine;
  readonly shelf: AdapterShelf;
  readonly adapterShape: { readonly rank: number; readonly alpha: number };
  /** Success of a version by frozen task, always the same tasks and seeds. */
  readonly evaluate: (
    version: PolicyVersionId,
    adapter: Adapter | null,
    signal: AbortSignal,
    guidance: GuidanceReference | undefined,
  ) => Promise<boolean[]>;
  /** Names what `evaluate` measures, so that another task set is not taken for it. */
  readonly evaluationName: string;
  /**
   * Whether a candidate with these results may replace a version with those. Asked of the stable
   * version and of the best one so far, so that many small falls cannot add up.
   */
  readonly mayPromote: (candidate: readonly boolean[], earlier: readonly boolean[]) => boolean;
  readonly report: Reporter;
};

type Commit = (next: Checkpoint) => Promise<void>;

/** Names the candidate to the policy that evaluates it: its number is not known yet. */
const CANDIDATE: PolicyVersionId = 2 ** 31 - 1;

/**
 * Takes the publication in progress through its next stage and commits.
 *
 * @param gate of the edge; a candidate has to pass the trainer's own and this one.
 * @throws WaggleError `PUBLICATION_STALE` when the edge has changed; nothing is committed
 */
export async function advancePublication(
  parts: PublicationParts,
  checkpoint: Checkpoint,
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
  checkpoint: Checkpoint,
  publication: Publication,
  gate: PromotionGate,
  commit: Commit,
  signal: AbortSignal,
): Promise<void> {
  const { state } = checkpoint;
  const adapter = { ...parts.adapterShape, tensors: await parts.engine.parameters() };
  const reference = await parts.shelf.add(adapter);
  const stableKey = evaluationKey(parts, state.stableVersion);
  const stable =
    state.evaluations[stableKey] ??
    (await parts.evaluate(
      state.stableVersion,
      await stableAdapter(parts, state),
      signal,
      stableGuidance(state),
    ));
  const candidate = await parts.evaluate(CANDIDATE, adapter, signal, stableGuidance(state));
  const evaluation = pairedResult(candidate, stable, state.stableVersion, parts.evaluationName);
  const bestKey = evaluationKey(parts, "best");
  const earlierBest = state.evaluations[bestKey] ?? stable;
  const best = count(stable) > count(earlierBest) ? stable : earlierBest;
  const promotes =
    parts.mayPromote(candidate, stable) &&
    parts.mayPromote(candidate, best) &&
    gateRefusal(evaluation, gate) === null;
  parts.report.evaluated(evaluation, promotes);
  await commit({
    ...checkpoint,
    state: {
      ...state,
      // Only these can be asked for again.
      evaluations: {
        [bestKey]: best,
        [stableKey]: stable,
        [evaluationKey(parts, "candidate")]: candidate,
      },
      publication: { ...publication, stage: "publish", evaluation, adapter: reference, promotes },
    },
  });
}

async function publish(
  parts: PublicationParts,
  checkpoint: Checkpoint,
  publication: Publication,
  commit: Commit,
): Promise<void> {
  const { state } = checkpoint;
  const adapter = publication.adapter as AdapterReference;
  await parts.edge.putObject(adapter.sha256, await parts.shelf.bytes(adapter));
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
  checkpoint: Checkpoint,
  publication: Publication,
  commit: Commit,
): Promise<void> {
  const { state } = checkpoint;
  const version = publication.version as PolicyVersionId;
  const promotes = publication.promotes && (await isPromoted(parts, version));
  if (!promotes) await parts.engine.load(checkpoint.stable);
  const { [evaluationKey(parts, "candidate")]: candidate = [], ...evaluations } = state.evaluations;
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
      evaluations: promotes
        ? { ...evaluations, [evaluationKey(parts, version)]: candidate }
        : evaluations,
    },
  });
  parts.report.published(version, promotes);
}

/** Promotes the canary. @returns false where the edge refuses: it is taken off the channel then. */
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

/** True where the edge has decided against a version; a stale view of the edge is no decision. */
function isRefused(error: unknown): boolean {
  const codes = ["CONFLICT", "GATE_NOT_PASSED", "LINEAGE_ROLLED_BACK"] as const;
  return codes.some((code) => WaggleError.is(error, code));
}

function stableAdapter(parts: PublicationParts, state: TrainerState): Promise<Adapter | null> {
  const known = state.versions.find(({ version }) => version === state.stableVersion);
  return known?.adapter ? parts.shelf.get(known.adapter) : Promise.resolve(null);
}

function evaluationKey(
  parts: PublicationParts,
  of: PolicyVersionId | "best" | "candidate",
): string {
  return `${of}/${parts.evaluationName}`;
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

function count(successes: readonly boolean[]): number {
  return successes.filter(Boolean).length;
}
