/** A small valid trajectory for tests. */
import type { Trajectory } from "@waggle/protocol";

/** @param number - determines the id, and so the digest. */
export function exampleTrajectory(number: number, consentVersion = "1"): Trajectory {
  return {
    schemaVersion: 1,
    id: `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`,
    task: null,
    assignmentId: null,
    consent: {
      version: consentVersion,
      scopes: ["collect", "train"],
      grantedAt: "2026-11-20T00:00:00.000Z",
    },
    client: { build: "0.1.0", backend: "scripted", device: "none", crossOriginIsolated: false },
    baseModel: "a".repeat(64),
    policyVersion: 3,
    segments: [{ kind: "given", id: "s0", parent: null, role: "user", tokenIds: [1, 2, number] }],
    turns: [],
    stopReason: "aborted",
    terminated: false,
    truncated: true,
    startedAt: "2026-11-20T00:00:00.000Z",
    endedAt: "2026-11-20T00:00:01.000Z",
  };
}
