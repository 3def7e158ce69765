import type { ConsentStore } from "@waggle/collector";
import type { Consent } from "@waggle/protocol";

/** The consent in force; without one, a placeholder for a trajectory that is never kept. */
export function consentOrNone(store: ConsentStore): Consent {
  const { currentVersion: version } = store;
  return store.get() ?? { version, scopes: [], grantedAt: new Date().toISOString() };
}
