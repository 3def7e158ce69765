/** Sends many random requests to a Worker and notices what it must never do. */
import type { Site } from "@waggle/protocol";
import { AttackedEdge, OTHER_SETTINGS } from "../edge/attacked-edge.ts";
import { edgeRecord, uploadOf } from "../edge/edge-record.ts";
import type { RawReply, RawRequest } from "../edge/raw-request.ts";
import { EdgeRequests } from "./edge-requests.ts";

/** A request that the Worker did not treat as it must. */
type EdgeDefect = {
  readonly index: number;
  readonly what: string;
  readonly request: RawRequest;
};

/** The outcome of a run. */
type EdgeRun = {
  readonly defects: readonly EdgeDefect[];
  /** Answers by status. */
  readonly statuses: ReadonlyMap<number, number>;
  /** Largest resident memory of workerd, in bytes; 0 where the system does not say. */
  readonly memoryBytes: number;
  readonly slowestMs: number;
};

/** After this many requests, what random operators changed is put back and pages open new sessions. */
const ROUND = 100;
/** Largest resident memory of workerd. */
const MOST_BYTES = 1.5 * 1024 ** 3;

/**
 * Sends the requests `from` ≤ index < `to` of a seed, one after another. A defect is a status of 500 or more, a broken
 * connection or no answer in time, and a refused request after which the database has other rows.
 *
 * @param onProgress - receives the index after each round.
 */
export async function runEdge(
  seed: number,
  from: number,
  to: number,
  onProgress: (index: number) => void,
): Promise<EdgeRun> {
  const edge = await AttackedEdge.start();
  try {
    return await fuzzEdge(edge, seed, from, to, onProgress);
  } finally {
    await edge.stop();
  }
}

/** The same on a Worker that runs. */
export async function fuzzEdge(
  edge: AttackedEdge,
  seed: number,
  from: number,
  to: number,
  onProgress: (index: number) => void,
): Promise<EdgeRun> {
  const description = await edge.ask<{ [key: string]: unknown }>("GET", "/openapi.json", null);
  const requests = new EdgeRequests(edge, description, await knownValues(edge));
  const defects: EdgeDefect[] = [];
  const statuses = new Map<number, number>();
  let [memoryBytes, slowestMs] = [0, 0];
  for (let index = from; index < to; index += 1) {
    if (index % ROUND === 0 || index === from) {
      await restore(edge);
      memoryBytes = Math.max(memoryBytes, edge.memoryBytes());
      onProgress(index);
    }
    const request = await requests.request(seed, index);
    const rows = edge.stored();
    const began = performance.now();
    const reply = await edge.send(request).catch((error: unknown) => String(error));
    slowestMs = Math.max(slowestMs, performance.now() - began);
    if (typeof reply !== "string") {
      statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1);
    }
    const what = defectOf(reply, () => edge.stored() !== rows);
    if (what !== null) defects.push({ index, what, request });
  }
  memoryBytes = Math.max(memoryBytes, edge.memoryBytes());
  if (memoryBytes > MOST_BYTES) {
    const what = `workerd had ${memoryBytes} bytes`;
    defects.push({ index: to - 1, what, request: { method: "GET", path: "/healthz" } });
  }
  return { defects, statuses, memoryBytes, slowestMs };
}

function defectOf(reply: RawReply | string, hasOtherRows: () => boolean): string | null {
  if (typeof reply === "string") return reply;
  if (reply.status >= 500) return `status ${reply.status}: ${reply.text.slice(0, 200)}`;
  return reply.status >= 400 && hasOtherRows() ? `status ${reply.status}, but rows changed` : null;
}

/** Ids and names of what the Worker has. */
async function knownValues(edge: AttackedEdge): Promise<string[]> {
  const upload = await uploadOf(edgeRecord(edge.baseModel, null));
  await edge.ask("POST", "/v1/trajectories", edge.page.token, { trajectories: [upload] });
  const { trainerCredential, siteKey } = edge.installation;
  const lease = await edge.ask<{ leaseId: string | null }>(
    "POST",
    "/v1/trainer/leases",
    trainerCredential,
    { trainerId: "t", maxGroups: 1, durationSeconds: 600 },
  );
  return [
    upload.digest,
    upload.trajectory.id,
    edge.baseModel,
    edge.neighbor.visitorId,
    edge.neighbor.visitorToken,
    siteKey,
    "default",
    "other",
    "stable",
    "canary",
    "booked",
    "bandit",
    "0",
    "1",
    ...(lease.leaseId === null ? [] : [lease.leaseId]),
  ];
}

/** Puts back what a request of an operator or a trainer may have changed. */
async function restore(edge: AttackedEdge): Promise<void> {
  const { operatorCredential } = edge.installation;
  const ask = <T>(method: string, path: string, body?: object) =>
    edge.ask<T>(method, path, operatorCredential, body);
  await ask("DELETE", "/v1/operator/sites/other/disabled");
  for (const [id, settings] of [
    ["default", {}],
    ["other", OTHER_SETTINGS],
  ] as const) {
    const path = `/v1/operator/sites/${id}`;
    const { stored = [] } = await ask<Site>("GET", path);
    const none = Object.fromEntries(stored.map((name) => [name, null]));
    await ask("PUT", path, { settings: { ...none, ...settings } });
  }
  for (const path of ["/v1/operator/freeze", "/v1/operator/kill-switch"]) await ask("DELETE", path);
  await edge.registerBase();
  await edge.openPages();
}
