/** Publish, promote and roll back policies. The operator may also promote and roll back. */
import {
  BaseModelRequest,
  PoliciesResponse,
  PolicyVersion,
  PromoteRequest,
  PublishRequest,
  RollBackRequest,
  WaggleError,
} from "@waggle/protocol";
import { z } from "zod";
import { decisionOf, operatorName } from "../actor.ts";
import { unwrap } from "../answer.ts";
import { readJson } from "../body.ts";
import { coordinatorOf } from "../coordinator.ts";
import type { EdgeContext, Endpoint, Parameter } from "../endpoint.ts";
import { objectKey } from "../object-store.ts";
import { listPolicies } from "../policy-store.ts";
import { promotionGateOf } from "../promotion-gate.ts";

/** The number of a version, in the path. */
export const version: Parameter = {
  name: "version",
  in: "path",
  description: "Policy version.",
  schema: z.coerce.number().int().min(0),
};

/** @throws WaggleError `NOT_FOUND` if the path has no number */
export function versionOf(context: EdgeContext): number {
  const text = context.req.param("version") ?? "";
  if (!/^\d{1,9}$/.test(text)) {
    throw new WaggleError("NOT_FOUND", "the policy version in the path is not a number");
  }
  return Number(text);
}

/** @throws WaggleError `CONFLICT` if a named object is not stored or has another size */
async function checkObjects(
  context: EdgeContext,
  objects: readonly { sha256: string; sizeBytes: number }[],
): Promise<void> {
  const heads = await Promise.all(
    objects.map(({ sha256 }) => context.env.OBJECTS.head(objectKey(context.var.site.id, sha256))),
  );
  const missing = heads.findIndex((head, i) => head?.size !== objects[i]?.sizeBytes);
  if (missing !== -1) {
    throw new WaggleError(
      "CONFLICT",
      `object ${objects[missing]?.sha256} is not stored with the given size; PUT it first`,
    );
  }
}

const since: Parameter = {
  name: "since",
  in: "query",
  description: "Only versions that changed after this epoch; leave out for all.",
  schema: z.coerce.number().int().min(0).optional(),
};

function sinceOf(context: EdgeContext): number | undefined {
  const text = context.req.query("since");
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** The body of a decision. Without a body there is no reason and no override. */
async function bodyOf<T>(context: EdgeContext, schema: z.ZodType<T>): Promise<T> {
  const hasBody = context.req.header("content-type") !== undefined;
  return hasBody ? readJson(context.req.raw, schema) : schema.parse({});
}

/** The three routes that trainer and operator share. */
function policyEndpoints(access: "trainer" | "operator"): readonly Endpoint[] {
  const suffix = access === "trainer" ? "" : "AsOperator";
  const signature = access === "operator" ? [operatorName] : [];
  return [
    {
      method: "get",
      path: `/v1/${access}/policies`,
      operationId: `listPolicies${suffix}`,
      summary: "All policies, newest first.",
      access,
      parameters: [since],
      responses: { 200: PoliciesResponse },
      handle: async (context) => {
        const gate = promotionGateOf(context.var.settings);
        return context.json(await listPolicies(context.var.db, gate, sinceOf(context)));
      },
    },
    {
      method: "post",
      path: `/v1/${access}/policies/{version}/promote`,
      operationId: `promotePolicy${suffix}`,
      summary:
        access === "trainer"
          ? "Makes a canary that passed the gate stable."
          : "Makes the canary or any earlier version stable.",
      access,
      parameters: [version, ...signature],
      ...(access === "operator" ? { request: PromoteRequest } : {}),
      responses: { 200: PolicyVersion },
      handle: async (context) => {
        const overrides = access === "operator" ? await bodyOf(context, PromoteRequest) : null;
        const decision = decisionOf(context, access, overrides?.reason);
        const coordinator = coordinatorOf(context.env, context.var.site.id);
        return context.json(
          unwrap(await coordinator.promote(versionOf(context), decision, overrides)),
        );
      },
    },
    {
      method: "post",
      path: `/v1/${access}/policies/{version}/roll-back`,
      operationId: `rollBackPolicy${suffix}`,
      summary:
        "Takes a version and its descendants off the channels, which return to earlier versions.",
      access,
      parameters: [version, ...signature],
      request: RollBackRequest,
      responses: { 200: PolicyVersion },
      handle: async (context) => {
        const { reason } = await bodyOf(context, RollBackRequest);
        const decision = decisionOf(context, access, reason);
        const coordinator = coordinatorOf(context.env, context.var.site.id);
        return context.json(unwrap(await coordinator.rollBack(versionOf(context), decision)));
      },
    },
  ];
}

/** `/v1/trainer/policies` and the base model. */
export const trainerPolicyEndpoints: readonly Endpoint[] = [
  {
    method: "put",
    path: "/v1/trainer/base-model",
    operationId: "setBaseModel",
    summary: "Registers the base model as version 0; its objects must be stored first.",
    access: "trainer",
    request: BaseModelRequest,
    responses: { 200: z.object({}) },
    handle: async (context) => {
      const request = await readJson(context.req.raw, BaseModelRequest);
      await checkObjects(context, request.baseModel.files);
      unwrap(
        await coordinatorOf(context.env, context.var.site.id).setBaseModel(
          request,
          context.var.now,
        ),
      );
      return context.json({});
    },
  },
  {
    method: "post",
    path: "/v1/trainer/policies",
    operationId: "publishPolicy",
    summary: "Publishes a version to the canary channel, or records one that failed.",
    access: "trainer",
    request: PublishRequest,
    responses: { 200: PolicyVersion },
    handle: async (context) => {
      const request = await readJson(context.req.raw, PublishRequest);
      const { adapter, guidance } = request;
      await checkObjects(
        context,
        [adapter, guidance].filter((object) => object !== null && object !== undefined),
      );
      return context.json(
        unwrap(
          await coordinatorOf(context.env, context.var.site.id).publish(
            request,
            decisionOf(context, "trainer"),
          ),
        ),
      );
    },
  },
  ...policyEndpoints("trainer"),
];

/** `/v1/operator/policies`. */
export const operatorPolicyEndpoints: readonly Endpoint[] = policyEndpoints("operator");
