/**
 * The record of one rollout: a tree of segments in token space. Tokens are the record and text is
 * derived; nothing is ever re-tokenized or edited. It carries no reward: what a browser says about
 * its own success is not believed.
 */
import { z } from "zod";
import { Consent } from "./consent.ts";
import { GrammarSpec } from "./grammar.ts";
import { PolicyVersionId, Sampling, type VersionSpan } from "./policy.ts";
import { TaskReference } from "./task.ts";
import { ToolCall, ToolResult } from "./tool.ts";

/** Version of the trajectory schema this code writes. */
export const TRAJECTORY_SCHEMA_VERSION = 1;

/** Why a rollout ended. */
export type StopReason =
  /** The task ended by itself. */
  | "completed"
  | "max-turns"
  | "max-tokens"
  | "context-overflow"
  /** Too many turns in a row that held no readable call. */
  | "parse-error"
  | "tool-error"
  | "guard-stopped"
  | "aborted"
  | "timeout";

export const StopReason: z.ZodType<StopReason> = z.enum([
  "completed",
  "max-turns",
  "max-tokens",
  "context-overflow",
  "parse-error",
  "tool-error",
  "guard-stopped",
  "aborted",
  "timeout",
]);

export type SegmentRole = "system" | "user" | "assistant" | "tool";

/** Tokens that were given: prompts, tool results, an earlier turn used as context. */
export type GivenSegment = {
  readonly kind: "given";
  readonly id: string;
  /** `null` for a root. */
  readonly parent: string | null;
  readonly role: SegmentRole;
  readonly tokenIds: readonly number[];
};

/** Tokens that the policy sampled, with their numbers, all `[T]`. */
export type SampledSegment = {
  readonly kind: "sampled";
  readonly id: string;
  readonly parent: string | null;
  /** Of its first token. */
  readonly policyVersion: PolicyVersionId;
  /** See `Sample`. Not in uploads, whose schema refuses it: a page keeps one version for a turn. */
  readonly versions?: readonly VersionSpan[] | undefined;
  readonly sampling: Sampling;
  /** Id of the grammar that masked the logits, `null` for none. */
  readonly grammar: string | null;
  /** Most tokens it could have had, see `Sample`. Set with `grammar`. */
  readonly tokenBudget?: number | undefined;
  readonly tokenIds: readonly number[];
  readonly behaviorLogProbs: readonly number[];
  readonly rawLogProbs: readonly number[];
  readonly entropies: readonly number[];
  /** Each set is ascending without repeats, see `Sample`. */
  readonly keptTokenIds?: readonly (readonly number[] | null)[] | undefined;
  readonly stopReason: "stop-token" | "max-tokens" | "context-overflow" | "aborted";
  /** What computed it, see `Sample`. */
  readonly fingerprint?: string | undefined;
};

export type Segment = GivenSegment | SampledSegment;

/** A policy generation (a sampled segment) plus the observations that answer it. */
export type Turn = {
  /** Id of the sampled segment. */
  readonly segmentId: string;
  readonly toolCalls: readonly ToolCall[];
  readonly toolResults: readonly ToolResult[];
  /** Set where the sampled text held a call that could not be read. */
  readonly parseError: string | null;
};

/** What sampled it; half of what a log-prob means. */
export type ClientDescription = {
  /** Version of the runtime package. */
  readonly build: string;
  readonly backend: "webgpu" | "wasm" | "node-cpu" | "node-webgpu" | "scripted";
  /** Adapter vendor and architecture, or thread count: `google/swiftshader`, `wasm x2`. */
  readonly device: string;
  readonly crossOriginIsolated: boolean;
};

export type Trajectory = {
  readonly schemaVersion: typeof TRAJECTORY_SCHEMA_VERSION;
  /** UUID made where it was recorded. */
  readonly id: string;
  readonly task: TaskReference | null;
  /** Set for tasks that the edge assigned. */
  readonly assignmentId: string | null;
  readonly consent: Consent;
  readonly client: ClientDescription;
  /** Content hash of the base model. */
  readonly baseModel: string;
  /** Version of the first sampled token. */
  readonly policyVersion: PolicyVersionId;
  readonly segments: readonly Segment[];
  /** The grammars that its segments name, by id. Absent where none masked anything. */
  readonly grammars?: { readonly [id: string]: GrammarSpec } | undefined;
  readonly turns: readonly Turn[];
  readonly stopReason: StopReason;
  /** Ended by the task. Exactly one of the two is true. */
  readonly terminated: boolean;
  /** Cut by a limit, an abort or a fault. */
  readonly truncated: boolean;
  readonly startedAt: string;
  readonly endedAt: string;
};

const id = z.string().min(1).max(64);
const tokenIds = z.array(z.int().min(0).max(10_000_000)).max(200_000);
const keptIds = z
  .array(z.int().min(0))
  .refine((ids) => ids.every((id, i) => i === 0 || (ids[i - 1] as number) < id), {
    message: "kept token ids must be in ascending order without repeats",
  });
const logProbs = z.array(z.number().max(1e-3)).max(200_000);

const GivenSegmentSchema = z.strictObject({
  kind: z.literal("given"),
  id,
  parent: id.nullable(),
  role: z.enum(["system", "user", "assistant", "tool"]),
  tokenIds,
});

const SampledSegmentSchema = z
  .strictObject({
    kind: z.literal("sampled"),
    id,
    parent: id.nullable(),
    policyVersion: PolicyVersionId,
    sampling: Sampling,
    grammar: z.string().max(256).nullable(),
    tokenBudget: z.int().min(1).max(200_000).optional(),
    tokenIds,
    behaviorLogProbs: logProbs,
    rawLogProbs: logProbs,
    entropies: z.array(z.number().min(-1e-3)).max(200_000),
    keptTokenIds: z.array(keptIds.nullable()).max(200_000).optional(),
    stopReason: z.enum(["stop-token", "max-tokens", "context-overflow", "aborted"]),
    fingerprint: z.string().max(300).optional(),
  })
  .refine(
    (s) =>
      s.behaviorLogProbs.length === s.tokenIds.length &&
      s.rawLogProbs.length === s.tokenIds.length &&
      s.entropies.length === s.tokenIds.length &&
      (s.keptTokenIds === undefined || s.keptTokenIds.length === s.tokenIds.length),
    { message: "every array of a sampled segment must have one entry per token" },
  );

/** Schema of an uploaded trajectory. Checks shapes and the tree; knows no vocabulary or policy. */
export const Trajectory: z.ZodType<Trajectory> = z
  .strictObject({
    schemaVersion: z.literal(TRAJECTORY_SCHEMA_VERSION),
    id: z.uuid(),
    task: TaskReference.nullable(),
    assignmentId: z.uuid().nullable(),
    consent: Consent,
    client: z.strictObject({
      build: z.string().max(64),
      backend: z.enum(["webgpu", "wasm", "node-cpu", "node-webgpu", "scripted"]),
      device: z.string().max(200),
      crossOriginIsolated: z.boolean(),
    }),
    baseModel: z.string().regex(/^[0-9a-f]{64}$/),
    policyVersion: PolicyVersionId,
    segments: z
      .array(z.discriminatedUnion("kind", [GivenSegmentSchema, SampledSegmentSchema]))
      .min(1)
      .max(2000),
    grammars: z.record(z.string().max(256), GrammarSpec).optional(),
    turns: z
      .array(
        z.strictObject({
          segmentId: id,
          toolCalls: z.array(ToolCall).max(64),
          toolResults: z.array(ToolResult).max(64),
          parseError: z.string().max(500).nullable(),
        }),
      )
      .max(1000),
    stopReason: StopReason,
    terminated: z.boolean(),
    truncated: z.boolean(),
    startedAt: z.iso.datetime(),
    endedAt: z.iso.datetime(),
  })
  .superRefine((trajectory, context) => {
    const seen = new Map<string, Segment["kind"]>();
    for (const [index, segment] of trajectory.segments.entries()) {
      const bad = seen.has(segment.id)
        ? "repeats an id"
        : segment.parent !== null && !seen.has(segment.parent)
          ? "names a parent that does not come before it"
          : null;
      if (bad) context.addIssue({ code: "custom", path: ["segments", index], message: bad });
      seen.set(segment.id, segment.kind);
    }
    for (const [index, turn] of trajectory.turns.entries()) {
      if (seen.get(turn.segmentId) !== "sampled") {
        context.addIssue({
          code: "custom",
          path: ["turns", index, "segmentId"],
          message: "must name a sampled segment",
        });
      }
    }
    if (trajectory.terminated === trajectory.truncated) {
      context.addIssue({
        code: "custom",
        path: ["terminated"],
        message: "exactly one of terminated and truncated must be true",
      });
    }
  }) as z.ZodType<Trajectory>;

/** The path of segments from the root to `leaf`, root first. */
export function pathTo(trajectory: Trajectory, leaf: string): Segment[] {
  const byId = new Map(trajectory.segments.map((segment) => [segment.id, segment]));
  const path: Segment[] = [];
  for (let next = byId.get(leaf); next !== undefined;) {
    path.unshift(next);
    next = next.parent === null ? undefined : byId.get(next.parent);
  }
  return path;
}
