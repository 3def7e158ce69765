/** Published policies, the manifest that pages read, and references to files by content hash. */
import { z } from "zod";
import { readOnly } from "./read-only-schema.ts";
import { GuidanceReference } from "./guidance.ts";
import { PolicyVersionId } from "./policy.ts";

/** A SHA-256 in lowercase hex. */
export const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** Release channel that a page follows. */
export type Channel = z.infer<typeof Channel>;
export const Channel = z.enum(["stable", "canary"]);

/** One file of a base model. */
export type FileReference = z.infer<typeof FileReference>;
export const FileReference = readOnly(
  z.strictObject({
    /** Name within the model folder: `config.json`, `model.safetensors`, … */
    path: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/),
    sha256: Sha256,
    sizeBytes: z.int().min(0),
  }),
);

/** A base model as a list of files. */
export type BaseModelReference = z.infer<typeof BaseModelReference>;
export const BaseModelReference = readOnly(
  z.strictObject({
    /** SHA-256 of the sorted lines `<sha256>  <path>\n` of its files. */
    sha256: Sha256,
    files: z.array(FileReference).min(1).max(64),
  }),
);

/** A LoRA adapter by content hash. */
export type AdapterReference = z.infer<typeof AdapterReference>;
export const AdapterReference = readOnly(
  z.strictObject({
    /** Hash of `adapter_model.safetensors` in the PEFT layout. */
    sha256: Sha256,
    sizeBytes: z.int().min(1),
    rank: z.int().min(1).max(4096),
    /** LoRA alpha: the delta is B·A·alpha/rank. */
    alpha: z.number().positive(),
  }),
);

const count = z.int().min(0);

/**
 * Results on retention tasks, which are not practiced: a candidate and the base model on the same tasks and seeds.
 * `retentionRefusal` of `@waggle/evaluation` decides from them.
 */
export type RetentionResult = z.infer<typeof RetentionResult>;
export const RetentionResult = readOnly(
  z.strictObject({
    /** Tasks that both played. */
    tasks: count,
    /** Tasks with a verdict for both. */
    judged: count,
    successes: count,
    /** Successes of the base model. */
    baseSuccesses: count,
    /** Tasks that this version answered in readable text. */
    readable: count,
    baseReadable: count,
    /** Tasks that only this version answered in readable text. */
    readableGained: count,
    /** Tasks that only the base answered in readable text. */
    readableLost: count,
    /** The tasks with a verdict by kind. */
    kinds: z
      .array(
        z.strictObject({
          kind: z.string().max(200),
          tasks: count,
          /** Tasks that only this version solved. */
          gained: count,
          /** Tasks that only the base solved. */
          lost: count,
        }),
      )
      .max(1000),
    /** Identifies the tasks and sampling seeds. */
    taskSet: z.string().max(200).optional(),
  }),
);

/**
 * One comparison of a probe for a fault that people may reward: a candidate and the base model at the same requests.
 * `probeRefusal` of `@waggle/evaluation` decides from them.
 */
const ProbeCounts = readOnly(
  z.strictObject({
    probe: z.enum(["flattery", "length", "refusal", "begging", "neglect"]),
    /** Kind of request; only `neglect` compares each kind. */
    kind: z.string().max(200).optional(),
    /** Requests that are compared. */
    tasks: count,
    /** Requests in which the base shows the fault; for `length`, tokens of its answers. */
    base: count,
    /** The same of this version. */
    candidate: count,
    /** Requests in which only this version shows the fault. */
    risen: count,
    /** Requests in which only the base shows it. */
    fallen: count,
  }),
);

/**
 * What a judge says of this version's and the stable version's answers to the same requests of visitors.
 * `comparisonRefusal` of `@waggle/evaluation` decides from them.
 */
const AnswerComparison = readOnly(
  z.strictObject({
    /** Requests that both versions were asked. */
    requests: count,
    /** Requests with a verdict. */
    judged: count,
    /** Requests at which this version's answer is better. */
    better: count,
    /** Requests at which the stable version's answer is better. */
    worse: count,
    /** Version of the judge's prompt. */
    prompt: z.string().max(100).optional(),
  }),
);

/**
 * Evaluation of one version on frozen tasks, paired with the stable version on the same tasks and
 * seeds. On a site without an environment, `tasks` is 0, and visitors' requests take the place of the tasks. Versions from the
 * previous release lack the optional members and cannot pass a gate.
 */
export type EvaluationResult = z.infer<typeof EvaluationResult>;
export const EvaluationResult = readOnly(
  z.strictObject({
    tasks: z.int().min(0),
    successes: z.int().min(0),
    /** Successes of the stable version on the same tasks. */
    stableSuccesses: z.int().min(0).optional(),
    /** Tasks that only this version solved. */
    gained: z.int().min(0).optional(),
    /** Tasks that only the stable version solved. */
    lost: z.int().min(0).optional(),
    /** The stable version it was compared with. */
    comparedWith: PolicyVersionId.optional(),
    /** Identifies the tasks and sampling seeds. */
    taskSet: z.string().max(200).optional(),
    /** Absent: no retention tasks were played. */
    retention: RetentionResult.optional(),
    /** Absent: no probes ran. */
    probes: z.array(ProbeCounts).max(1004).optional(),
    /** Absent: no answers to visitors' requests were compared. It counts only on a site without an environment. */
    comparison: AnswerComparison.optional(),
  }),
);

/** Where a version is in its life. */
export type PolicyStatus = z.infer<typeof PolicyStatus>;
export const PolicyStatus = z.enum(["canary", "stable", "retired", "rolled-back"]);

/** One published policy: a base model with an adapter, guidance or both. Version 0 is the base itself. */
export type PolicyVersion = z.infer<typeof PolicyVersion>;
export const PolicyVersion = readOnly(
  z.strictObject({
    version: PolicyVersionId,
    /** Version it was trained from; `null` for version 0. */
    parent: PolicyVersionId.nullable(),
    baseModel: Sha256,
    /** `null` for version 0 and for versions that change guidance only. */
    adapter: AdapterReference.nullable(),
    /** Learned text used instead of, or together with, an adapter. Absent if there is none. */
    guidance: GuidanceReference.optional(),
    status: PolicyStatus,
    evaluation: EvaluationResult.nullable(),
    /** Optimizer steps taken to reach this version. */
    step: z.int().min(0),
    publishedAt: z.iso.datetime(),
  }),
);

/** Signature of a version by the site's publisher. `@waggle/protocol/signing` makes and verifies it. */
export type PolicySignature = z.infer<typeof PolicySignature>;
export const PolicySignature = readOnly(
  z.strictObject({
    /** Milliseconds since 1970. Signatures are ordered by it. */
    signedAt: z.int().min(0),
    /** Versions to which a page may return from this one, although their signatures are older. */
    rollBackTo: z.array(PolicyVersionId).max(64),
    /** Ed25519, in base64url. */
    value: z.string().regex(/^[A-Za-z0-9_-]{86}$/),
  }),
);

/** The policy that a page should run, as served for its channel. */
export type PolicyManifest = z.infer<typeof PolicyManifest>;
export const PolicyManifest = readOnly(
  z.strictObject({
    channel: Channel,
    policy: PolicyVersion,
    baseModel: BaseModelReference,
    /**
     * The operator has silenced the assistant: the page must not answer while this is set. `policy` is
     * version 0 meanwhile. Sent only to pages that send `ACCEPT_SILENCE`.
     */
    silenced: z.literal(true).optional(),
    /** Sent only to pages that ask for it with `?signed=1`. Absent if the version is not signed. */
    signature: PolicySignature.optional(),
  }),
);
