/** Health of the system as operators see it: which trainers run, and which requests the edge refused. */
import { z } from "zod";

/** A trainer's current activity. */
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

/** Body of `POST /v1/trainer/heartbeat`, sent every few seconds. */
export type Heartbeat = { trainerId: string; step: number; activity: TrainerActivity };
export const Heartbeat: z.ZodType<Heartbeat> = z.strictObject({
  trainerId: z.string().min(1).max(64),
  step: z.int().min(0),
  activity: TrainerActivity,
});

/** Answer of `GET /v1/operator/health`. */
export type OperatorHealth = {
  /** The edge's clock, ISO 8601. Compare `seenAt` with it. */
  at: string;
  /** The latest heartbeat of each trainer, newest first. */
  trainers: (Heartbeat & { seenAt: string; isRunning: boolean })[];
  /** Requests and trajectories of the last days that were refused and not stored, most frequent first. */
  refusals: { operation: string; reason: string; count: number; lastAt: string }[];
  /** Number of days that `refusals` covers. */
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
