/** A small trajectory that an edge accepts. */
import { randomUUID } from "node:crypto";
import {
  type AssignmentResponse,
  type Consent,
  FULL_SUPPORT,
  spanSeed,
  type Trajectory,
  trajectoryDigest,
} from "@waggle/protocol";

/** A trajectory with its digest, as it is uploaded. */
export type EdgeUpload = { readonly digest: string; readonly trajectory: Trajectory };

const AT = "2026-11-20T12:00:00.000Z";

/** The consent of every record here. */
export const EDGE_CONSENT: Consent = {
  version: "1",
  scopes: ["collect", "train"],
  grantedAt: new Date().toISOString(),
};

/** A trajectory for an assigned task, or a visitor's own request. */
export function edgeRecord(baseModel: string, assignment: AssignmentResponse | null): Trajectory {
  const samplingSeed = assignment?.samplingSeed;
  return {
    schemaVersion: 1,
    id: randomUUID(),
    task: assignment?.task ?? null,
    assignmentId: assignment?.assignmentId ?? null,
    ...(samplingSeed === undefined ? {} : { samplingSeed }),
    consent: EDGE_CONSENT,
    client: { build: "0.1.0", backend: "wasm", device: "wasm x1", crossOriginIsolated: false },
    baseModel,
    policyVersion: 0,
    segments: [
      { kind: "given", id: "s0", parent: null, role: "user", tokenIds: [1, 2, 3] },
      {
        kind: "sampled",
        id: "s1",
        parent: "s0",
        policyVersion: 0,
        sampling: { ...FULL_SUPPORT, seed: spanSeed(samplingSeed ?? 7, 0) },
        grammar: null,
        tokenIds: [4, 5],
        behaviorLogProbs: [-0.5, -1.5],
        rawLogProbs: [-0.5, -1.5],
        entropies: [0.1, 0.2],
        stopReason: "stop-token",
      },
    ],
    turns: [{ segmentId: "s1", toolCalls: [], toolResults: [], parseError: null }],
    stopReason: "completed",
    terminated: true,
    truncated: false,
    startedAt: AT,
    endedAt: AT,
  };
}

/** The trajectory with the digest of its content. */
export async function uploadOf(trajectory: Trajectory): Promise<EdgeUpload> {
  return { digest: await trajectoryDigest(trajectory), trajectory };
}
