/** A visitor's consent. Without a consent record, no trajectory leaves the page. */
import { z } from "zod";
import { readOnly } from "./read-only-schema.ts";

/**
 * One permitted use. `collect`: the site keeps trajectories. `train`: a trainer may learn from them. `feedback`: the page
 * sends thumbs, next messages and outcomes, and a trainer may learn from them.
 */
export type ConsentScope = z.infer<typeof ConsentScope>;
export const ConsentScope = z.enum(["collect", "train", "feedback"]);

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

/** Days that a consent holds, where a site does not say. */
export const CONSENT_DAYS = 400;

const DAY_MS = 86_400_000;

/** The permitted uses, with `feedback` where consent to training covers it. */
export function consentScopes({ scopes, choices }: Consent): readonly ConsentScope[] {
  const isImplied = choices !== true && scopes.includes("train") && !scopes.includes("feedback");
  return isImplied ? [...scopes, "feedback"] : scopes;
}

/**
 * Whether a consent was given at most this number of days ago. A clock may be fast by one day; a later time counts as no
 * consent, because it would never expire.
 * @param now - milliseconds since 1970.
 */
export function isConsentCurrent({ grantedAt }: Consent, days: number, now: number): boolean {
  const age = now - Date.parse(grantedAt);
  return age >= -DAY_MS && age <= days * DAY_MS;
}
