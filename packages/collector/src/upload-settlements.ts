/** Which entries of a batch may be sent, and what becomes of them. It sends nothing. */
import type { Trajectory, UploadResponse } from "@waggle/protocol";
import type { ConsentStore } from "./consent-store.ts";
import type { Claimed, Settlement } from "./outbox-contract.ts";
import { readPageData } from "./page-data.ts";

/** Separates entries that may be sent from those whose consent has changed, expired or been narrowed since. */
export function byConsent(
  claimed: readonly Claimed[],
  consent: Pick<ConsentStore, "covers">,
): { current: Claimed[]; outdated: Settlement[] } {
  const reason = {
    code: "CONSENT_MISSING",
    message: "the consent that it was collected under is no longer in force; it was not sent",
  };
  const isCurrent = ({ trajectory }: Claimed): boolean => {
    const recorded = readPageData("Consent", (trajectory as Partial<Trajectory>).consent);
    return recorded !== null && consent.covers(recorded);
  };
  return {
    current: claimed.filter(isCurrent),
    outdated: claimed
      .filter((entry) => !isCurrent(entry))
      .map((entry) => ({ key: entry.digest, state: "rejected", reason })),
  };
}

/** What the edge's answer says about the trajectories of a batch; results for others are ignored. */
export function settlementsOf(digests: readonly string[], response: UploadResponse): Settlement[] {
  const asked = new Set(digests);
  return response.results
    .filter((result) => asked.has(result.digest))
    .map((result) =>
      result.status === "rejected"
        ? {
            key: result.digest,
            state: "rejected",
            reason: { code: result.code, message: result.message },
          }
        : { key: result.digest, state: "sent" },
    );
}
