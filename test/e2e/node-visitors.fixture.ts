/** Visitors without a browser: they roll out the edge's tasks with the nano model and upload the trajectories. */
import { judgedRollout, type JudgedRolloutParts } from "@waggle/agent/environments";
import {
  type AssignmentResponse,
  type SessionResponse,
  type Trajectory,
  trajectoryDigest,
  type UploadResponse,
} from "@waggle/protocol";

/** Options of `finishGroups`. */
export type NodeVisitorOptions = {
  readonly edgeUrl: string;
  readonly siteKey: string;
  readonly parts: JudgedRolloutParts;
  /** Seed of the first rollout; each further rollout takes the next. */
  readonly seed: number;
};

async function ask<T>(url: string, token: string | null, body: unknown): Promise<T> {
  const response = await fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  });
  if (response.status !== 200) throw new Error(`${url}: ${response.status}`);
  return (await response.json()) as T;
}

/** Finishes `groups` groups with as many visitors as a group has members. @returns digests that were accepted */
export async function finishGroups(
  { edgeUrl, siteKey, parts, seed }: NodeVisitorOptions,
  groups: number,
  members: number,
): Promise<string[]> {
  const accepted: string[] = [];
  const sessions = await Promise.all(
    Array.from({ length: members }, () =>
      ask<SessionResponse>(`${edgeUrl}/v1/sessions`, null, { siteKey }),
    ),
  );
  for (let i = 0; i < groups * members; i += 1) {
    const token = sessions[i % members]?.token ?? "";
    const assigned = await ask<AssignmentResponse>(`${edgeUrl}/v1/assignments`, token, {});
    const { signal } = new AbortController();
    const judged = await judgedRollout(parts, assigned.task, seed + i, signal);
    const { assignmentId, task } = assigned;
    const grantedAt = new Date().toISOString();
    const trajectory: Trajectory = {
      ...judged.record,
      assignmentId,
      task,
      consent: { version: "1", scopes: ["collect", "train"], grantedAt },
    };
    const digest = await trajectoryDigest(trajectory);
    const { results } = await ask<UploadResponse>(`${edgeUrl}/v1/trajectories`, token, {
      trajectories: [{ digest, trajectory }],
    });
    if (results[0]?.status !== "accepted") throw new Error(JSON.stringify(results));
    accepted.push(digest);
  }
  return accepted;
}
