/** A visitor's consent. Without a consent record, no trajectory leaves the page. */
import { z } from "zod";
import { readOnly } from "./read-only-schema.ts";

/** The record of one consent: the text's version, the permitted uses and the time. */
export type Consent = z.infer<typeof Consent>;
export const Consent = readOnly(
  z.strictObject({
    /** Version of the text that was shown. */
    version: z.string().min(1).max(64),
    /** Permitted uses of the visitor's trajectories. */
    scopes: z.array(z.enum(["collect", "train"])).max(2),
    /** ISO 8601. */
    grantedAt: z.iso.datetime(),
  }),
);
