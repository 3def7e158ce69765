/** Freeze, kill switch and audit log. The trainer may freeze; only an operator can undo. */
import {
  AuditResponse,
  ControlState,
  FreezeRequest,
  KillRequest,
  WaggleError,
} from "@waggle/protocol";
import { z } from "zod";
import { decisionOf, operatorName } from "../actor.ts";
import { unwrap } from "../answer.ts";
import { listAudit } from "../audit-log.ts";
import { readJson } from "../body.ts";
import { listLogins } from "../operators/operator-logins.ts";
import { coordinatorOf } from "../coordinator.ts";
import type { EdgeContext, Endpoint } from "../endpoint.ts";
import { readSignals } from "../signals/stopped-signals.ts";
import { readSwitches } from "../switches.ts";

/** Answers with the state of all switches. */
export async function answerControl(context: EdgeContext): Promise<Response> {
  const state: ControlState = {
    site: context.var.site.id,
    environment: context.var.settings.TASK_ENVIRONMENT,
    collect: context.var.settings.COLLECT,
    feedbackWaitSeconds: context.var.settings.FEEDBACK_WAIT_SECONDS,
    feedbackFrom: context.var.settings.FEEDBACK_FROM,
    signals: await readSignals(context.var.db, context.var.settings),
    ...(await readSwitches(context.var.db)),
  };
  return context.json(state);
}

function controlState(access: "trainer" | "operator"): Endpoint {
  return {
    method: "get",
    path: `/v1/${access}/control`,
    operationId: access === "trainer" ? "getControl" : "getControlAsOperator",
    summary: "The environment of assigned tasks, the freeze and the kill switch.",
    access,
    responses: { 200: ControlState },
    handle: answerControl,
  };
}

function freezing(access: "trainer" | "operator"): Endpoint {
  return {
    method: "put",
    path: `/v1/${access}/freeze`,
    operationId: access === "trainer" ? "freeze" : "freezeAsOperator",
    summary: "Stops publications and promotions until an operator lifts the freeze.",
    access,
    ...(access === "operator" ? { parameters: [operatorName] } : {}),
    request: FreezeRequest,
    responses: { 200: ControlState },
    handle: async (context) => {
      const { reason } = await readJson(context.req.raw, FreezeRequest);
      unwrap(
        await coordinatorOf(context.env, context.var.site.id).freeze(
          decisionOf(context, access, reason),
        ),
      );
      return answerControl(context);
    },
  };
}

/** The trainer's part: state and freeze. */
export const trainerControlEndpoints: readonly Endpoint[] = [
  controlState("trainer"),
  freezing("trainer"),
];

const AuditQuery = z.object({
  before: z.coerce.number().int().min(0).default(Number.MAX_SAFE_INTEGER),
  limit: z.coerce.number().int().min(1).max(200).default(50),
});

/** The operator's part: all switches and the log. */
export const operatorControlEndpoints: readonly Endpoint[] = [
  controlState("operator"),
  freezing("operator"),
  {
    method: "delete",
    path: "/v1/operator/freeze",
    operationId: "unfreeze",
    summary: "Allows publications and promotions again.",
    access: "operator",
    parameters: [operatorName],
    responses: { 200: ControlState },
    handle: async (context) => {
      unwrap(
        await coordinatorOf(context.env, context.var.site.id).unfreeze(
          decisionOf(context, "operator"),
        ),
      );
      return answerControl(context);
    },
  },
  {
    method: "put",
    path: "/v1/operator/kill-switch",
    operationId: "setKillSwitch",
    summary: "Pages fall back to the base model, or stop answering.",
    access: "operator",
    parameters: [operatorName],
    request: KillRequest,
    responses: { 200: ControlState },
    handle: async (context) => {
      const { mode, reason } = await readJson(context.req.raw, KillRequest);
      const decision = decisionOf(context, "operator", reason);
      unwrap(await coordinatorOf(context.env, context.var.site.id).setKillSwitch(mode, decision));
      return answerControl(context);
    },
  },
  {
    method: "delete",
    path: "/v1/operator/kill-switch",
    operationId: "clearKillSwitch",
    summary: "Pages run the policy of their channel again.",
    access: "operator",
    parameters: [operatorName],
    responses: { 200: ControlState },
    handle: async (context) => {
      unwrap(
        await coordinatorOf(context.env, context.var.site.id).clearKillSwitch(
          decisionOf(context, "operator"),
        ),
      );
      return answerControl(context);
    },
  },
  {
    method: "get",
    path: "/v1/operator/audit",
    operationId: "listAudit",
    summary:
      "Decisions of operators and the trainer, newest first, and where operators logged in from.",
    access: "operator",
    parameters: [
      {
        name: "before",
        in: "query",
        description: "Only entries with a smaller id.",
        schema: AuditQuery.shape.before,
      },
      {
        name: "limit",
        in: "query",
        description: "Number of entries, at most 200.",
        schema: AuditQuery.shape.limit,
      },
    ],
    responses: { 200: AuditResponse },
    handle: async (context) => {
      const query = AuditQuery.safeParse(context.req.query());
      if (!query.success) {
        throw new WaggleError(
          "SCHEMA_INVALID",
          "`before` must be a number, and `limit` a number from 1 to 200",
        );
      }
      const { before, limit } = query.data;
      const { db } = context.var;
      const [entries, logins] = await Promise.all([listAudit(db, before, limit), listLogins(db)]);
      return context.json({ entries, logins } satisfies AuditResponse);
    },
  },
];
