/** A visitor's reaction to a trajectory. It arrives later and is joined by trajectory id. */
import { z } from "zod";

/** One reaction. `id` makes sending it again idempotent. */
export type Feedback = {
  readonly id: string;
  readonly trajectoryId: string;
  readonly kind: "thumb-up" | "thumb-down" | "retry" | "abandon";
  readonly at: string;
};

export const Feedback: z.ZodType<Feedback> = z.strictObject({
  id: z.uuid(),
  trajectoryId: z.uuid(),
  kind: z.enum(["thumb-up", "thumb-down", "retry", "abandon"]),
  at: z.iso.datetime(),
});
