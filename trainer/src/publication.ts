/**
 * From parameters to a deployed policy, one durable stage at a time: evaluate on frozen tasks beside
 * the stable version, publish to the canary channel, promote or roll back. Each stage may be
 * repeated after a crash and gives the same.
 *
 * Where the candidate is rolled back, the engine returns to the stable version's parameters: what
 * made it worse is undone, though its trajectories stay learned.
 */
import type { Adapter } from "@waggle/model";
import type {
  AdapterReference,
  EvaluationResult,
  GuidanceReference,
  PolicyVersionId,
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

/** Takes the publication in progress through its next stage and commits. */
export async function advancePublication(
  parts: PublicationParts,
  checkpoint: Checkpoint,
  commit: Commit,
  signal: AbortSignal,
): Promise<void> {
  const { publication } = checkpoint.state;
  if (publication === null) return;
  const stages = { evaluate, publish, decide };
  await stages[publication.stage](parts, checkpoint, publication, commit, signal);
}

async function evaluate(
  parts: PublicationParts,
  checkpoint: Checkpoint,
  publication: Publication,
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
  const candidate = await parts.evaluate(
    publication.version,
    adapter,
    signal,
    stableGuidance(state),
  );
  const evaluation: EvaluationResult = {
    tasks: candidate.length,
    successes: count(candidate),
    stableSuccesses: count(stable),
  };
  const bestKey = `best/${parts.evaluationName}`;
  const earlierBest = state.evaluations[bestKey] ?? stable;
  const best = count(stable) > count(earlierBest) ? stable : earlierBest;
  const promotes = parts.mayPromote(candidate, stable) && parts.mayPromote(candidate, best);
  parts.report.evaluated(publication.version, evaluation, promotes);
  await commit({
    ...checkpoint,
    state: {
      ...state,
      // Only these can be asked for again.
      evaluations: {
        [bestKey]: best,
        [stableKey]: stable,
        [evaluationKey(parts, publication.version)]: candidate,
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
  const { version, parent, step, evaluation } = publication;
  const { baseModel } = state;
  const guidance = stableGuidance(state);
  const said = guidance === undefined ? {} : { guidance };
  await parts.edge.publish({ version, parent, baseModel, adapter, ...said, evaluation, step });
  await commit({
    ...checkpoint,
    state: {
      ...state,
      versions: [...state.versions, { version, adapter, ...said, isRolledBack: false }],
      publication: { ...publication, stage: "decide" },
    },
  });
}

async function decide(
  parts: PublicationParts,
  checkpoint: Checkpoint,
  publication: Publication,
  commit: Commit,
): Promise<void> {
  const { state } = checkpoint;
  const { version } = publication;
  const promotes = await settled(parts.edge, version, publication.promotes);
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
    },
  });
  parts.report.published(version, promotes);
}

/**
 * Promotes or rolls back; a conflict with a decision already taken the same way is none.
 * @returns whether the version is stable now: an operator may have taken it back meanwhile
 */
async function settled(
  edge: EdgeClient,
  version: PolicyVersionId,
  promotes: boolean,
): Promise<boolean> {
  try {
    await (promotes ? edge.promote(version) : edge.rollBack(version));
  } catch (error) {
    if (!WaggleError.is(error, "CONFLICT")) throw error;
    const { policies } = await edge.policies();
    const status = policies.find((policy) => policy.version === version)?.status;
    if (promotes && status === "rolled-back") return false;
    if (status !== (promotes ? "stable" : "rolled-back")) throw error;
  }
  return promotes;
}

function stableAdapter(parts: PublicationParts, state: TrainerState): Promise<Adapter | null> {
  const known = state.versions.find(({ version }) => version === state.stableVersion);
  return known?.adapter ? parts.shelf.get(known.adapter) : Promise.resolve(null);
}

function evaluationKey(parts: PublicationParts, version: PolicyVersionId): string {
  return `${version}/${parts.evaluationName}`;
}

function count(successes: readonly boolean[]): number {
  return successes.filter(Boolean).length;
}
