/** What a visitor said about a trajectory, later; joined by id. */
import { z } from "zod";

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
