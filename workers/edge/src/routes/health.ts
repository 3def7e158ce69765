/** Heartbeats of the trainer, health for the operator, and a readiness check. */
import { Heartbeat, OperatorHealth } from "@waggle/protocol";
import { z } from "zod";
import { readJson } from "../body.ts";
import type { Endpoint } from "../endpoint.ts";
import { noteHeartbeat, readHealth } from "../health-store.ts";

const Health = z.object({
  status: z.literal("ok"),
  /** Environment of the tasks that the site assigns; `null` if it assigns none. */
  environment: z.string().nullable(),
});

/** Heartbeat, operator health and `/v1/health`. */
export const healthEndpoints: readonly Endpoint[] = [
  {
    method: "post",
    path: "/v1/trainer/heartbeat",
    operationId: "noteHeartbeat",
    summary: "Reports that a trainer is running and its current activity.",
    access: "trainer",
    request: Heartbeat,
    responses: { 200: z.object({}) },
    handle: async (context) => {
      const heartbeat = await readJson(context.req.raw, Heartbeat);
      await noteHeartbeat(context.var.db, heartbeat, context.var.now);
      return context.json({});
    },
  },
  {
    method: "get",
    path: "/v1/operator/health",
    operationId: "getOperatorHealth",
    summary: "Running trainers, and requests that the edge refused in the last days.",
    access: "operator",
    responses: { 200: OperatorHealth },
    handle: async (context) => context.json(await readHealth(context.var.db, context.var.now)),
  },
  {
    method: "get",
    path: "/healthz",
    operationId: "getHealth",
    summary: "Whether the Worker is configured and its database answers.",
    access: "public",
    responses: { 200: Health },
    handle: async (context) => {
      const { db, settings } = context.var;
      await db.prepare("SELECT 1 FROM policies WHERE site = ?site LIMIT 1").bind().first();
      const { TASK_ENVIRONMENT } = settings;
      const environment = TASK_ENVIRONMENT === "" ? null : TASK_ENVIRONMENT;
      return context.json({ status: "ok", environment } satisfies z.infer<typeof Health>);
    },
  },
];
