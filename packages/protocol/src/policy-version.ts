/** A published policy, the manifest a page reads, and the files they name by content hash. */
import { z } from "zod";
import { GuidanceReference } from "./guidance.ts";
import { PolicyVersionId } from "./policy.ts";

/** Hex sha256. */
export const Sha256: z.ZodType<string> = z.string().regex(/^[0-9a-f]{64}$/);

export type Channel = "stable" | "canary";
export const Channel: z.ZodType<Channel> = z.enum(["stable", "canary"]);

export type FileReference = {
  /** Name inside the model folder: `config.json`, `model.safetensors`, … */
  readonly path: string;
  readonly sha256: string;
  readonly sizeBytes: number;
};

export const FileReference: z.ZodType<FileReference> = z.strictObject({
  path: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/),
  sha256: Sha256,
  sizeBytes: z.int().min(0),
});

export type BaseModelReference = {
  /** sha256 of the sorted lines `<sha256>  <path>\n` of its files. */
  readonly sha256: string;
  readonly files: readonly FileReference[];
};

export const BaseModelReference: z.ZodType<BaseModelReference> = z.strictObject({
  sha256: Sha256,
  files: z.array(FileReference).min(1).max(64),
});

export type AdapterReference = {
  /** `adapter_model.safetensors`, PEFT layout. */
  readonly sha256: string;
  readonly sizeBytes: number;
  readonly rank: number;
  /** LoRA alpha: the delta is B·A·alpha/rank. */
  readonly alpha: number;
};

export const AdapterReference: z.ZodType<AdapterReference> = z.strictObject({
  sha256: Sha256,
  sizeBytes: z.int().min(1),
  rank: z.int().min(1).max(4096),
  alpha: z.number().positive(),
});

/**
 * Result of one version on frozen tasks, paired with the stable version's on the same tasks and seeds.
 * Versions of the previous release lack the optional members; they cannot pass a gate.
 */
export type EvaluationResult = {
  readonly tasks: number;
  readonly successes: number;
  /** Successes of the stable version on the same tasks. */
  readonly stableSuccesses?: number | undefined;
  /** Tasks that only this version solved. */
  readonly gained?: number | undefined;
  /** Tasks that only the stable version solved. */
  readonly lost?: number | undefined;
  /** The stable version it was compared with. */
  readonly comparedWith?: PolicyVersionId | undefined;
  /** Names the tasks and the seeds of sampling. */
  readonly taskSet?: string | undefined;
};

export const EvaluationResult: z.ZodType<EvaluationResult> = z.strictObject({
  tasks: z.int().min(0),
  successes: z.int().min(0),
  stableSuccesses: z.int().min(0).optional(),
  gained: z.int().min(0).optional(),
  lost: z.int().min(0).optional(),
  comparedWith: PolicyVersionId.optional(),
  taskSet: z.string().max(200).optional(),
});

export type PolicyStatus = "canary" | "stable" | "retired" | "rolled-back";

export type PolicyVersion = {
  readonly version: PolicyVersionId;
  /** Version it was trained from; `null` for the base. */
  readonly parent: PolicyVersionId | null;
  readonly baseModel: string;
  /** `null` for version 0, the base itself, and for versions that only say something else to it. */
  readonly adapter: AdapterReference | null;
  /** Text learned in place of weights, or beside them; absent = none. */
  readonly guidance?: GuidanceReference | undefined;
  readonly status: PolicyStatus;
  readonly evaluation: EvaluationResult | null;
  /** Optimizer steps taken so far. */
  readonly step: number;
  readonly publishedAt: string;
};

export const PolicyVersion: z.ZodType<PolicyVersion> = z.strictObject({
  version: PolicyVersionId,
  parent: PolicyVersionId.nullable(),
  baseModel: Sha256,
  adapter: AdapterReference.nullable(),
  guidance: GuidanceReference.optional(),
  status: z.enum(["canary", "stable", "retired", "rolled-back"]),
  evaluation: EvaluationResult.nullable(),
  step: z.int().min(0),
  publishedAt: z.iso.datetime(),
});

/** What a page asks for: the policy of its channel. */
export type PolicyManifest = {
  readonly channel: Channel;
  readonly policy: PolicyVersion;
  readonly baseModel: BaseModelReference;
  /**
   * The operator has switched the assistant off: a page must not answer until it is absent again.
   * `policy` is version 0 meanwhile. Sent only to pages that ask with `ACCEPT_SILENCE`.
   */
  readonly silenced?: true | undefined;
};

export const PolicyManifest: z.ZodType<PolicyManifest> = z.strictObject({
  channel: Channel,
  policy: PolicyVersion,
  baseModel: BaseModelReference,
  silenced: z.literal(true).optional(),
});

/**
 * `Accept` header of a page that understands `silenced`. Older pages reject a manifest with a field
 * they do not know, so they get version 0 without it.
 */
export const ACCEPT_SILENCE = "application/json;silence=1";
