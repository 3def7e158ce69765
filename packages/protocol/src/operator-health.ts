/** What an operator must notice without asking: whether a trainer runs, and what the edge refuses. */
import { z } from "zod";

/** What a trainer is doing. */
export type TrainerActivity =
  | "starting"
  | "waiting"
  | "checking"
  | "learning"
  | "publishing"
  | "stopped";
const TrainerActivity: z.ZodType<TrainerActivity> = z.enum([
  "starting",
  "waiting",
  "checking",
  "learning",
  "publishing",
  "stopped",
]);

// POST /v1/trainer/heartbeat -> {} ; every few seconds.
export type Heartbeat = { trainerId: string; step: number; activity: TrainerActivity };
export const Heartbeat: z.ZodType<Heartbeat> = z.strictObject({
  trainerId: z.string().min(1).max(64),
  step: z.int().min(0),
  activity: TrainerActivity,
});

// GET /v1/operator/health -> OperatorHealth
export type OperatorHealth = {
  /** The edge's clock, ISO 8601: what `seenAt` is compared with. */
  at: string;
  /** The newest heartbeat of each trainer, newest first. */
  trainers: (Heartbeat & { seenAt: string; isRunning: boolean })[];
  /** Requests and trajectories that were refused and not stored, of the last days, most first. */
  refusals: { operation: string; reason: string; count: number; lastAt: string }[];
  /** How many days `refusals` counts. */
  days: number;
};
export const OperatorHealth: z.ZodType<OperatorHealth> = z.object({
  at: z.iso.datetime(),
  trainers: z.array(
    z.object({
      trainerId: z.string(),
      step: z.int(),
      activity: TrainerActivity,
      seenAt: z.iso.datetime(),
      isRunning: z.boolean(),
    }),
  ),
  refusals: z.array(
    z.object({
      operation: z.string(),
      reason: z.string(),
      count: z.int(),
      lastAt: z.iso.datetime(),
    }),
  ),
  days: z.int(),
});
