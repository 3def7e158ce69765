/** Published policies, the manifest that pages read, and references to files by content hash. */
import { z } from "zod";
import { GuidanceReference } from "./guidance.ts";
import { PolicyVersionId } from "./policy.ts";

/** A SHA-256 in lowercase hex. */
export const Sha256: z.ZodType<string> = z.string().regex(/^[0-9a-f]{64}$/);

/** Release channel that a page follows. */
export type Channel = "stable" | "canary";
export const Channel: z.ZodType<Channel> = z.enum(["stable", "canary"]);

/** One file of a base model. */
export type FileReference = {
  /** Name within the model folder: `config.json`, `model.safetensors`, … */
  readonly path: string;
  readonly sha256: string;
  readonly sizeBytes: number;
};

export const FileReference: z.ZodType<FileReference> = z.strictObject({
  path: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/),
  sha256: Sha256,
  sizeBytes: z.int().min(0),
});

/** A base model as a list of files. */
export type BaseModelReference = {
  /** SHA-256 of the sorted lines `<sha256>  <path>\n` of its files. */
  readonly sha256: string;
  readonly files: readonly FileReference[];
};

export const BaseModelReference: z.ZodType<BaseModelReference> = z.strictObject({
  sha256: Sha256,
  files: z.array(FileReference).min(1).max(64),
});

/** A LoRA adapter by content hash. */
export type AdapterReference = {
  /** Hash of `adapter_model.safetensors` in the PEFT layout. */
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
 * Evaluation of one version on frozen tasks, paired with the stable version on the same tasks and
 * seeds. Versions from the previous release lack the optional members and cannot pass a gate.
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
  /** Identifies the tasks and sampling seeds. */
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

/** Where a version is in its life. */
export type PolicyStatus = "canary" | "stable" | "retired" | "rolled-back";

/** One published policy: a base model with an adapter, guidance or both. Version 0 is the base itself. */
export type PolicyVersion = {
  readonly version: PolicyVersionId;
  /** Version it was trained from; `null` for version 0. */
  readonly parent: PolicyVersionId | null;
  readonly baseModel: string;
  /** `null` for version 0 and for versions that change guidance only. */
  readonly adapter: AdapterReference | null;
  /** Learned text used instead of, or together with, an adapter. Absent if there is none. */
  readonly guidance?: GuidanceReference | undefined;
  readonly status: PolicyStatus;
  readonly evaluation: EvaluationResult | null;
  /** Optimizer steps taken to reach this version. */
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

/** The policy that a page should run, as served for its channel. */
export type PolicyManifest = {
  readonly channel: Channel;
  readonly policy: PolicyVersion;
  readonly baseModel: BaseModelReference;
  /**
   * The operator has silenced the assistant: the page must not answer while this is set. `policy` is
   * version 0 meanwhile. Sent only to pages that send `ACCEPT_SILENCE`.
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
 * `Accept` header of a page that understands `silenced`. Older pages reject manifests with unknown
 * fields, so the edge sends them version 0 without it.
 */
export const ACCEPT_SILENCE = "application/json;silence=1";
