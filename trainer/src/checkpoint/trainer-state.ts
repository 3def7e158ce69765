/**
 * What a trainer must not forget: counters, what it learned and has not yet been able to say, and a
 * publication in progress. Parameters and moments lie beside it in the engine's checkpoint; the two
 * are committed together. Randomness is derived from seed and step, so there is none to keep.
 */
import { randomUUID } from "node:crypto";
import {
  type AcknowledgeRequest,
  AdapterReference,
  EvaluationResult,
  GuidanceReference,
  MetricsRow,
  PolicyVersionId,
  Sha256,
  TrajectoryOutcome,
} from "@waggle/protocol";
import { z } from "zod";
import { LiveWatch } from "../sink/live-watch.ts";

/** Outcomes of one lease that the edge has not yet confirmed. */
type PendingAcknowledgement = {
  readonly leaseId: string;
  readonly fencingToken: number;
  readonly outcomes: readonly TrajectoryOutcome[];
};

/** A publication moves through its stages; each is durable before the next begins. */
export type Publication = {
  /** Under which the edge knows it, however often it is sent. */
  readonly publicationId: string;
  /** As the edge numbered it; `null` before it is published. */
  readonly version: PolicyVersionId | null;
  readonly parent: PolicyVersionId;
  /** Learning step whose parameters are published. */
  readonly step: number;
  readonly stage: "evaluate" | "publish" | "promote";
  readonly evaluation: EvaluationResult | null;
  readonly adapter: AdapterReference | null;
  readonly promotes: boolean;
};

/** A version the trainer can re-score at. */
export type KnownVersion = {
  readonly version: PolicyVersionId;
  readonly adapter: AdapterReference | null;
  /** What it says; absent = nothing. */
  readonly guidance?: GuidanceReference | undefined;
  readonly isRolledBack: boolean;
};

export type TrainerState = {
  readonly formatVersion: 1;
  /** Names this lineage of parameters to the edge; states of the previous release lack it. */
  readonly stateId?: string | undefined;
  readonly baseModel: string;
  readonly recipe: string;
  readonly seed: number;
  /** Of the adapter that is trained; states of before it was kept lack it. */
  readonly adapterShape?: { readonly rank: number; readonly alpha: number } | undefined;
  /** Origin of the server that holds the engine's checkpoint; absent = this machine. */
  readonly server?: string | undefined;
  /** The adapter that is merged into that server's base, and the shape of the one trained over it. */
  readonly mergedBase?:
    | {
        readonly adapter: AdapterReference;
        readonly trained: { readonly rank: number; readonly alpha: number };
      }
    | undefined;
  /** Learning steps taken. Never falls, also where the engine goes back to the stable version. */
  readonly step: number;
  readonly stableVersion: PolicyVersionId;
  readonly versions: readonly KnownVersion[];
  /** Of the edge's policies as they are known here; absent = never read. */
  readonly epoch?: number | undefined;
  readonly publications: number;
  readonly promotions: number;
  readonly stepsSincePublication: number;
  readonly publication: Publication | null;
  /** Learned digests whose acknowledgement is not confirmed: never to be learned again. */
  readonly learned: { readonly [digest: string]: TrajectoryOutcome };
  readonly acknowledgements: readonly PendingAcknowledgement[];
  /** Rows that the edge or the metrics file may lack. */
  readonly metrics: readonly MetricsRow[];
  /** What the recipe carries from step to step, by its state slot; plain values. */
  readonly kept?: { readonly [state: string]: unknown } | undefined;
  /** Success by task of a version on the frozen tasks; the key names version, tasks and seed. */
  readonly evaluations: { readonly [key: string]: readonly boolean[] };
  /** What visitors' rollouts say of the deployed version; absent = nothing yet. */
  readonly watch?: LiveWatch | undefined;
  /** Raised and not yet told to the edge. */
  readonly alarm?: Alarm | undefined;
};

/** Why publishing must stop. */
export type Alarm = {
  /** The stable version to roll back; `null` where only the training has to go back. */
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

/** The previous release numbered versions itself. Its publication begins again. */
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

export const TrainerState: z.ZodType<TrainerState> = z.strictObject({
  formatVersion: z.literal(1),
  stateId: z.uuid().optional(),
  baseModel: Sha256,
  recipe: z.string(),
  seed: z.int(),
  adapterShape: Shape.optional(),
  server: z.string().optional(),
  mergedBase: z.strictObject({ adapter: AdapterReference, trained: Shape }).optional(),
  step: z.int().min(0),
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
  evaluations: z.record(z.string(), z.array(z.boolean())),
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
    formatVersion: 1,
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

/** What the stable version says: versions trained from it go on saying it. */
export function stableGuidance({
  versions,
  stableVersion,
}: TrainerState): GuidanceReference | undefined {
  return versions.find(({ version }) => version === stableVersion)?.guidance;
}

/** Published versions, not rolled back, that are newer than `version`. */
export function stalenessOf(state: TrainerState, version: PolicyVersionId): number {
  return state.versions.filter((known) => known.version > version && !known.isRolledBack).length;
}

/** Rank and alpha of the adapter that is trained, where the state or a version says so. */
export function adapterShapeOf({
  adapterShape,
  versions,
}: TrainerState): { readonly rank: number; readonly alpha: number } | null {
  if (adapterShape !== undefined) return adapterShape;
  const adapter = versions.findLast((known) => known.adapter !== null)?.adapter;
  return adapter ? { rank: adapter.rank, alpha: adapter.alpha } : null;
}

/** What the edge is told of the state, where it has a name. */
export function lineageOf({ stateId, step }: TrainerState): Pick<AcknowledgeRequest, "lineage"> {
  return stateId === undefined ? {} : { lineage: { stateId, step } };
}
