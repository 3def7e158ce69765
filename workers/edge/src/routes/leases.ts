/** Leases of the trainer: the Coordinator grants rows, this reads what they point to. */
import {
  AcknowledgeRequest,
  AcknowledgeResponse,
  type Feedback,
  type LeasedGroup,
  type LeasedTrajectory,
  LeaseRequest,
  LeaseResponse,
  ReleaseRequest,
  RenewRequest,
  RenewResponse,
  type Trajectory,
} from "@waggle/protocol";
import { z } from "zod";
import { unwrap } from "../answer.ts";
import { readJson } from "../body.ts";
import { coordinatorOf } from "../coordinator.ts";
import type { EdgeContext, Endpoint, Parameter } from "../endpoint.ts";
import type { LeasedRow } from "../lease-book.ts";
import type { Bindings } from "../settings.ts";

/** 4096 outcomes of about 400 bytes. */
const ACKNOWLEDGE_BYTES = 2 * 1024 * 1024;

const leaseId: Parameter = {
  name: "leaseId",
  in: "path",
  description: "Id of a lease.",
  schema: z.uuid(),
};

const idOf = (context: EdgeContext): string => context.req.param("leaseId") ?? "";

/** Feedback of each trajectory by its own visitor, oldest first. */
async function feedbackOf(env: Bindings, leaseId: string): Promise<Map<string, Feedback[]>> {
  const { results } = await env.DB.prepare(
    `SELECT f.id, f.trajectoryId, f.kind, f.at FROM feedback f
     JOIN trajectories t ON t.id = f.trajectoryId AND t.visitorId = f.visitorId
     WHERE t.leaseId = ?1 AND t.status = 'leased' ORDER BY f.receivedAt`,
  )
    .bind(leaseId)
    .all<Feedback>();
  return Map.groupBy(results, (feedback) => feedback.trajectoryId);
}

/** `null` when the object is gone; its row, if the visitor was not forgotten, is then refused. */
async function readLeased(
  env: Bindings,
  row: LeasedRow,
  feedback: readonly Feedback[],
): Promise<LeasedTrajectory | null> {
  const object = await env.OBJECTS.get(row.objectKey);
  if (!object) {
    await env.DB.prepare(
      `UPDATE trajectories SET status = 'rejected', reason = 'object-missing'
       WHERE digest = ?1 AND status = 'leased'`,
    )
      .bind(row.digest)
      .run();
    return null;
  }
  return {
    digest: row.digest,
    visitorId: row.visitorId,
    receivedAt: new Date(row.receivedAt).toISOString(),
    trajectory: await object.json<Trajectory>(),
    feedback: [...feedback],
  };
}

export const leaseEndpoints: readonly Endpoint[] = [
  {
    method: "post",
    path: "/v1/trainer/leases",
    operationId: "leaseGroups",
    summary: "Leases whole groups, complete or past their deadline, oldest first.",
    access: "trainer",
    request: LeaseRequest,
    responses: { 200: LeaseResponse },
    handle: async (context) => {
      const { env } = context;
      const request = await readJson(context.req.raw, LeaseRequest);
      const lease = unwrap(await coordinatorOf(env).lease(request, context.var.now));
      const feedback = lease.leaseId === null ? new Map() : await feedbackOf(env, lease.leaseId);
      const groups = await Promise.all(
        lease.groups.map(async ({ rows, ...group }): Promise<LeasedGroup> => {
          const read = rows.map((row) => readLeased(env, row, feedback.get(row.id) ?? []));
          return { ...group, trajectories: (await Promise.all(read)).filter((t) => t !== null) };
        }),
      );
      const answer: LeaseResponse = {
        leaseId: lease.leaseId,
        fencingToken: lease.fencingToken,
        expiresAt: new Date(lease.expiresAt).toISOString(),
        groups: groups.filter((group) => group.trajectories.length > 0),
      };
      return context.json(answer);
    },
  },
  {
    method: "post",
    path: "/v1/trainer/leases/{leaseId}/renew",
    operationId: "renewLease",
    summary: "Holds a lease longer.",
    access: "trainer",
    parameters: [leaseId],
    request: RenewRequest,
    responses: { 200: RenewResponse },
    handle: async (context) => {
      const { fencingToken, durationSeconds } = await readJson(context.req.raw, RenewRequest);
      const { expiresAt, forgotten } = unwrap(
        await coordinatorOf(context.env).renew(
          idOf(context),
          fencingToken,
          durationSeconds,
          context.var.now,
        ),
      );
      const answer: RenewResponse = { expiresAt: new Date(expiresAt).toISOString(), forgotten };
      return context.json(answer);
    },
  },
  {
    method: "post",
    path: "/v1/trainer/leases/{leaseId}/release",
    operationId: "releaseLease",
    summary: "Gives the groups of a lease back unlearned.",
    access: "trainer",
    parameters: [leaseId],
    request: ReleaseRequest,
    responses: { 200: z.object({}) },
    handle: async (context) => {
      const { fencingToken } = await readJson(context.req.raw, ReleaseRequest);
      unwrap(await coordinatorOf(context.env).release(idOf(context), fencingToken));
      return context.json({});
    },
  },
  {
    method: "post",
    path: "/v1/trainer/leases/{leaseId}/acknowledge",
    operationId: "acknowledgeLease",
    summary: "Says what became of leased trajectories and ends the lease; idempotent.",
    access: "trainer",
    parameters: [leaseId],
    request: AcknowledgeRequest,
    responses: { 200: AcknowledgeResponse },
    handle: async (context) => {
      const request = await readJson(context.req.raw, AcknowledgeRequest, ACKNOWLEDGE_BYTES);
      return context.json(
        unwrap(await coordinatorOf(context.env).acknowledge(idOf(context), request)),
      );
    },
  },
];
