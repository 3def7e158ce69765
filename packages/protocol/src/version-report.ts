/**
 * What a policy version learned from, and how its answers differ from those of the version before it. The trainer sends it
 * after publishing, and the edge keeps it for the operator.
 */
import { z } from "zod";
import { PolicyVersionId } from "./policy.ts";
import { readOnly } from "./read-only-schema.ts";
import { SignalName } from "./signal.ts";

const count = z.int().min(0);

/** Most signals and most consent versions that are counted by name. */
const MOST_NAMES = 100;

/** What a version learned from since its parent. Every trajectory counts once. */
export type LearnedFrom = z.infer<typeof LearnedFrom>;
export const LearnedFrom = readOnly(
  z.strictObject({
    recipe: z.string().min(1).max(200),
    /** Learning steps, the last of which is the version's own `step`. */
    steps: count,
    trajectories: count,
    signals: z
      .array(
        z.strictObject({
          signal: SignalName,
          /** Trajectories that have the signal. */
          trajectories: count,
          /**
           * Sum over these trajectories and their tokens of the token's share of the loss times its weight and the absolute
           * advantage, as far as it is due to the signal.
           */
          weight: z.number().min(0),
        }),
      )
      .max(MOST_NAMES),
    /** Trajectories that a judge rated, by the version of its prompt. Absent without a judge. */
    prompts: z
      .array(z.strictObject({ version: z.string().max(64), trajectories: count }))
      .max(MOST_NAMES)
      .optional(),
    /** Trajectories by the version of the consent text. */
    consents: z
      .array(z.strictObject({ version: z.string().max(64), trajectories: count }))
      .max(MOST_NAMES),
  }),
);

/** Limits of an answer in a report; the trainer cuts longer texts. */
export const ANSWER_LIMITS = { answers: 20, text: 2000, calls: 8, call: 300 } as const;

/** How a version ended one frozen task. Redacted. */
export type SampledAnswer = z.infer<typeof SampledAnswer>;
export const SampledAnswer = readOnly(
  z.strictObject({
    /** The visitor's first message. */
    request: z.string().max(ANSWER_LIMITS.text),
    /** The final text; `null` if there is none. */
    text: z.string().max(ANSWER_LIMITS.text).nullable(),
    /** Tool calls in order, as `name {arguments}`. */
    calls: z.array(z.string().max(ANSWER_LIMITS.call)).max(ANSWER_LIMITS.calls),
    success: z.boolean(),
  }),
);

/** Body of `PUT /v1/trainer/policies/:version/report`. Sending it again replaces it. */
export type VersionReport = z.infer<typeof VersionReport>;
export const VersionReport = readOnly(
  z.strictObject({
    /** Absent for an adapter that was trained elsewhere. */
    learnedFrom: LearnedFrom.optional(),
    /** Answers of both versions to the same frozen tasks, never to requests of visitors. Absent if one was not kept. */
    answers: z
      .strictObject({
        /** The version before. */
        comparedWith: PolicyVersionId,
        pairs: z
          .array(z.strictObject({ before: SampledAnswer, after: SampledAnswer }))
          .max(ANSWER_LIMITS.answers),
      })
      .optional(),
  }),
);

/** Answer of `GET /v1/operator/policies/:version/report`. */
export type VersionReportResponse = z.infer<typeof VersionReportResponse>;
export const VersionReportResponse = z.object({
  report: VersionReport,
  /** Visitors whose trajectories the version learned from, as the edge counted them when the report came. */
  visitors: z.int(),
});
