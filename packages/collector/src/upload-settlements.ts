/** Which entries of a batch may be sent, and what becomes of them. It sends nothing. */
import type { Trajectory, UploadResponse } from "@waggle/protocol";
import type { Claimed, Settlement } from "./outbox-contract.ts";

/** Separates entries with the current consent version from those collected under another version. */
export function byConsent(
  claimed: readonly Claimed[],
  version: string | null,
): { current: Claimed[]; outdated: Settlement[] } {
  const reason = {
    code: "CONSENT_MISSING",
    message: "collected under another version of the consent text; it was not sent",
  };
  const isCurrent = ({ trajectory }: Claimed): boolean =>
    (trajectory as Partial<Trajectory>).consent?.version === version;
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
