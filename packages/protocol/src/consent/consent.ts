/** A visitor's consent. Without a consent record, no trajectory leaves the page. */
import { z } from "zod";
import { readOnly } from "../read-only-schema.ts";

/**
 * One permitted use. `collect`: the site keeps trajectories. `train`: a trainer may learn from them. `feedback`: the page
 * sends thumbs, next messages and outcomes, and a trainer may learn from them.
 */
export type ConsentScope = z.infer<typeof ConsentScope>;
const ConsentScope = z.enum(["collect", "train", "feedback"]);

/** The record of one consent: the text's version, the permitted uses and the time. */
export type Consent = z.infer<typeof Consent>;
export const Consent = readOnly(
  z.strictObject({
    /** Version of the text that was shown. */
    version: z.string().min(1).max(64),
    /** Permitted uses of the visitor's trajectories. */
    scopes: z.array(ConsentScope).max(3),
    /** Set if the visitor chose each scope. Absent: there was one question, and consent to `train` covers feedback. */
    choices: z.literal(true).optional(),
    /** ISO 8601. */
    grantedAt: z.iso.datetime(),
  }),
);

/**
 * What a site collects. `statistics`: no tokens and no text of visitors' own requests, see `toStatistics`. `rewards`: no
 * trajectory at all, only rewards of perturbed policies on practice tasks, see `Perturbation`.
 */
export type CollectionLevel = z.infer<typeof CollectionLevel>;
export const CollectionLevel = z.enum(["full", "statistics", "rewards"]);
