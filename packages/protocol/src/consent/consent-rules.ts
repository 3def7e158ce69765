/** What a consent covers, and for how long. Pages load these rules without the schemas. */
import type { Consent, ConsentScope } from "./consent.ts";

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
