/** A visitor's reaction to a trajectory. It arrives later and is joined by trajectory id. */
import { z } from "zod";
import { readOnly } from "./read-only-schema.ts";

/** One reaction. `id` makes sending it again idempotent. */
export type Feedback = z.infer<typeof Feedback>;
export const Feedback = readOnly(
  z.strictObject({
    id: z.uuid(),
    trajectoryId: z.uuid(),
    kind: z.enum(["thumb-up", "thumb-down", "retry", "abandon"]),
    at: z.iso.datetime(),
  }),
);
