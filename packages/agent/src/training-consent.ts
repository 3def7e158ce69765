/** The consent recorded on rollouts without a visitor, such as practice tasks and demonstrations. */
import type { Consent } from "@waggle/protocol";

/** A constant date, because no visitor gave this consent. */
export const TRAINING_CONSENT: Consent = {
  version: "none",
  scopes: ["train"],
  grantedAt: "2026-01-01T00:00:00.000Z",
};
