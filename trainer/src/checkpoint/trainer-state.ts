/**
 * The durable state of a trainer: counters, unacknowledged outcomes, and a publication in progress.
 * Parameters and moments are in the engine's checkpoint beside it; both are committed together. Random
 * numbers are derived from seed and step, so no generator state is stored.
 */
import { randomUUID } from "node:crypto";
import {
  type AcknowledgeRequest,
  AdapterReference,
  EvaluationResult,
  GuidanceReference,
  LearnedFrom,
  MetricsRow,
  PolicyVersionId,
  SampledAnswer,
  Sha256,
  TrajectoryOutcome,
} from "@waggle/protocol";
import { z } from "zod";
import { StepInfluence } from "./step-influence.ts";
import { LiveWatch } from "../evaluation/live-watch.ts";

/** Outcomes of one lease that the edge has not confirmed yet. */
type PendingAcknowledgement = {
  readonly leaseId: string;
  readonly fencingToken: number;
  readonly outcomes: readonly TrajectoryOutcome[];
};

/** A publication in progress; each stage is durable before the next begins. */
export type Publication = {
  /** The edge's idempotency key, the same for every attempt. */
  readonly publicationId: string;
  /** The edge's version number; `null` before it is published. */
  readonly version: PolicyVersionId | null;
  readonly parent: PolicyVersionId;
  /** Learning step whose parameters are published. */
  readonly step: number;
  readonly stage: "evaluate" | "publish" | "promote";
  readonly evaluation: EvaluationResult | null;
  readonly adapter: AdapterReference | null;
  readonly promotes: boolean;
};

/** A version whose log-probs the trainer can re-score. */
export type KnownVersion = {
  readonly version: PolicyVersionId;
  readonly adapter: AdapterReference | null;
  /** The version's guidance; absent = none. */
  readonly guidance?: GuidanceReference | undefined;
  readonly isRolledBack: boolean;
};

/** What a trainer is started with. */
export type TrainerSettings = {
  readonly baseModel: string;
  readonly recipe: string;
  readonly seed: number;
};

/** The counters of a trainer and its unfinished work. */
export type TrainerProgress = {
  /** Identifies this lineage of parameters at the edge; states of the previous release lack it. */
  readonly stateId?: string | undefined;
  /** Rank and alpha of the trained adapter; older states lack it. */
  readonly adapterShape?: { readonly rank: number; readonly alpha: number } | undefined;
  /** Origin of the server that has the engine's checkpoint; absent = this machine. */
  readonly server?: string | undefined;
  /**
   * The adapter that is merged into that server's base, and the shape of the one trained over it.
   */
  readonly mergedBase?:
    | {
        readonly adapter: AdapterReference;
        readonly trained: { readonly rank: number; readonly alpha: number };
      }
    | undefined;
  readonly stableVersion: PolicyVersionId;
  readonly versions: readonly KnownVersion[];
  /** Epoch of the edge's policies when they were last read; absent = never. */
  readonly epoch?: number | undefined;
  readonly publications: number;
  readonly promotions: number;
  readonly stepsSincePublication: number;
  readonly publication: Publication | null;
  /** Learned digests whose acknowledgement is not confirmed; they must not be trained on again. */
  readonly learned: { readonly [digest: string]: TrajectoryOutcome };
  readonly acknowledgements: readonly PendingAcknowledgement[];
  /** Rows that may not be at the edge or in the metrics file yet. */
  readonly metrics: readonly MetricsRow[];
  /** The recipe's state by its state slot, as plain values. */
  readonly kept?: { readonly [state: string]: unknown } | undefined;
  /** What senders caused in the last steps, oldest first; absent = nothing yet. */
  readonly influence?: readonly StepInfluence[] | undefined;
  /** Success by task of a version on the frozen tasks; the key names version, tasks and seed. */
  readonly evaluations: { readonly [key: string]: readonly boolean[] };
  /** Answers of a version to the first frozen tasks, by the same keys; states of the previous release lack it. */
  readonly answers?: { readonly [key: string]: readonly SampledAnswer[] } | undefined;
  /**
   * Digests of the requests at which versions of a site without an environment are compared. Nothing is learned from them.
   * Absent = none are chosen yet.
   */
  readonly heldOut?: readonly string[] | undefined;
  /** What the engine's parameters learned from since the stable version; absent = nothing. */
  readonly learnedFrom?: LearnedFrom | undefined;
  /** Live results of the deployed version; absent = none yet. */
  readonly watch?: LiveWatch | undefined;
  /** An alarm that has not been reported to the edge yet. */
  readonly alarm?: Alarm | undefined;
};

/** The complete state of a trainer, without its engines. */
export type TrainerState = TrainerSettings &
  TrainerProgress & {
    /** Learning steps taken. It never decreases, even if the engine returns to the stable version. */
    readonly step: number;
  };

/** The reason to stop publishing. */
export type Alarm = {
  /** The stable version to roll back; `null` if only the training has to return to it. */
  readonly version: PolicyVersionId | null;
  readonly reason: string;
};

const Publication: z.ZodType<Publication> = z.strictObject({
  publicationId: z.uuid(),
  version: PolicyVersionId.nullable(),
  parent: PolicyVersionId,
  step: z.int().min(0),
  stage: z.enum(["evaluate", "publish", "promote"]),
  evaluation: EvaluationResult.nullable(),
  adapter: AdapterReference.nullable(),
  promotes: z.boolean(),
});

/** The previous release numbered versions itself. Its publication starts over. */
const EarlierPublication: z.ZodType<Publication> = z
  .object({ version: PolicyVersionId, parent: PolicyVersionId, step: z.int().min(0) })
  .transform(({ parent, step }) => newPublication(randomUUID(), parent, step));

/** A publication before its first stage. */
export function newPublication(
  publicationId: string,
  parent: PolicyVersionId,
  step: number,
): Publication {
  return {
    publicationId,
    parent,
    step,
    version: null,
    stage: "evaluate",
    evaluation: null,
    adapter: null,
    promotes: false,
  };
}

const Shape = z.strictObject({ rank: z.int().min(1), alpha: z.number() });

export const TrainerSettings: z.ZodType<TrainerSettings> = z.strictObject({
  baseModel: Sha256,
  recipe: z.string(),
  seed: z.int(),
});

export const TrainerProgress: z.ZodType<TrainerProgress> = z.strictObject({
  stateId: z.uuid().optional(),
  adapterShape: Shape.optional(),
  server: z.string().optional(),
  mergedBase: z.strictObject({ adapter: AdapterReference, trained: Shape }).optional(),
  stableVersion: PolicyVersionId,
  versions: z.array(
    z.strictObject({
      version: PolicyVersionId,
      adapter: AdapterReference.nullable(),
      guidance: GuidanceReference.optional(),
      isRolledBack: z.boolean(),
    }),
  ),
  epoch: z.int().min(0).optional(),
  publications: z.int().min(0),
  promotions: z.int().min(0),
  stepsSincePublication: z.int().min(0),
  publication: z.union([Publication, EarlierPublication]).nullable(),
  learned: z.record(z.string(), TrajectoryOutcome),
  acknowledgements: z.array(
    z.strictObject({
      leaseId: z.uuid(),
      fencingToken: z.int().min(0),
      outcomes: z.array(TrajectoryOutcome),
    }),
  ),
  metrics: z.array(MetricsRow),
  kept: z.record(z.string(), z.unknown()).optional(),
  influence: z.array(StepInfluence).optional(),
  evaluations: z.record(z.string(), z.array(z.boolean())),
  answers: z.record(z.string(), z.array(SampledAnswer)).optional(),
  heldOut: z.array(Sha256).optional(),
  learnedFrom: LearnedFrom.optional(),
  watch: LiveWatch.optional(),
  alarm: z.strictObject({ version: PolicyVersionId.nullable(), reason: z.string() }).optional(),
});

/** The state of a trainer that has learned nothing and knows only the base model. */
export function initialState(options: {
  readonly baseModel: string;
  readonly recipe: string;
  readonly seed: number;
  readonly adapterShape?: TrainerState["adapterShape"];
}): TrainerState {
  return {
    ...options,
    step: 0,
    stableVersion: 0,
    versions: [{ version: 0, adapter: null, isRolledBack: false }],
    publications: 0,
    promotions: 0,
    stepsSincePublication: 0,
    publication: null,
    learned: {},
    acknowledgements: [],
    metrics: [],
    evaluations: {},
  };
}

/** Guidance of the stable version, which versions trained from it inherit. */
export function stableGuidance({
  versions,
  stableVersion,
}: TrainerState): GuidanceReference | undefined {
  return versions.find(({ version }) => version === stableVersion)?.guidance;
}

/** Number of published versions newer than `version` that were not rolled back. */
export function stalenessOf(state: TrainerState, version: PolicyVersionId): number {
  return state.versions.filter((known) => known.version > version && !known.isRolledBack).length;
}

/** Rank and alpha of the trained adapter, if the state or a version records them. */
export function adapterShapeOf({
  adapterShape,
  versions,
}: TrainerState): { readonly rank: number; readonly alpha: number } | null {
  if (adapterShape !== undefined) return adapterShape;
  const adapter = versions.findLast((known) => known.adapter !== null)?.adapter;
  return adapter ? { rank: adapter.rank, alpha: adapter.alpha } : null;
}

/** The state's lineage for the edge, if it has an id. */
export function lineageOf({ stateId, step }: TrainerState): Pick<AcknowledgeRequest, "lineage"> {
  return stateId === undefined ? {} : { lineage: { stateId, step } };
}
