/** Health of the system as operators see it: which trainers run, and which requests the edge refused. */
import { z } from "zod";

/** A trainer's current activity. */
export type TrainerActivity = z.infer<typeof TrainerActivity>;
const TrainerActivity = z.enum([
  "starting",
  "waiting",
  "checking",
  "learning",
  "publishing",
  "stopped",
]);

/** Body of `POST /v1/trainer/heartbeat`, sent every few seconds. */
export type Heartbeat = z.infer<typeof Heartbeat>;
export const Heartbeat = z.strictObject({
  trainerId: z.string().min(1).max(64),
  step: z.int().min(0),
  activity: TrainerActivity,
});

/** A trainer as the edge last heard from it. */
const SeenTrainer = z.object({
  trainerId: z.string(),
  step: z.int(),
  activity: TrainerActivity,
  seenAt: z.iso.datetime(),
  isRunning: z.boolean(),
});

/** Answer of `GET /v1/operator/health`. */
export type OperatorHealth = z.infer<typeof OperatorHealth>;
export const OperatorHealth = z.object({
  /** The edge's clock, ISO 8601. Compare `seenAt` with it. */
  at: z.iso.datetime(),
  /** The latest heartbeat of each trainer, newest first. */
  trainers: z.array(SeenTrainer),
  /** Requests and trajectories of the last days that were refused and not stored, most frequent first. */
  refusals: z.array(
    z.object({
      operation: z.string(),
      reason: z.string(),
      count: z.int(),
      lastAt: z.iso.datetime(),
    }),
  ),
  /** Number of days that `refusals` covers. */
  days: z.int(),
});
