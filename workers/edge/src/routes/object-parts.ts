/** Uploads of large objects in parts, and the operator's view of those that were not finished. */
import {
  AssembleRequest,
  MAX_PART_BYTES,
  ObjectPartsResponse,
  Sha256,
  UnfinishedObjectsResponse,
  WaggleError,
} from "@waggle/protocol";
import { z } from "zod";
import { decisionOf, operatorName } from "../actor.ts";
import { auditStatement } from "../audit-log.ts";
import { readBytes, readJson } from "../body.ts";
import { coordinatorOf } from "../coordinator.ts";
import type { EdgeContext, Endpoint, Parameter } from "../endpoint.ts";
import {
  assembleObject,
  deleteParts,
  listParts,
  listUnfinished,
  putPart,
} from "../objects/part-store.ts";

const object: Parameter = {
  name: "sha256",
  in: "path",
  description: "Sha256 of the whole object in hex.",
  schema: Sha256,
};
const part: Parameter = {
  name: "part",
  in: "path",
  description: "Sha256 of the part in hex.",
  schema: Sha256,
};

/** @throws WaggleError `SCHEMA_INVALID` */
function hashIn(context: EdgeContext, { name }: Parameter): string {
  const parsed = Sha256.safeParse(context.req.param(name));
  if (parsed.success) return parsed.data;
  throw new WaggleError("SCHEMA_INVALID", `${name} in the path must be a sha256 in hex`);
}

/** `/v1/trainer/objects/{sha256}/parts` and `/v1/operator/unfinished-objects`. */
export const objectPartEndpoints: readonly Endpoint[] = [
  {
    method: "get",
    path: "/v1/trainer/objects/{sha256}/parts",
    operationId: "listObjectParts",
    summary: "The stored parts of an object that is being uploaded.",
    access: "trainer",
    parameters: [object],
    responses: { 200: ObjectPartsResponse },
    handle: async (context) => {
      const sha256 = hashIn(context, object);
      const parts = await listParts(context.env.OBJECTS, context.var.site.id, sha256);
      return context.json({ parts });
    },
  },
  {
    method: "put",
    path: "/v1/trainer/objects/{sha256}/parts/{part}",
    operationId: "putObjectPart",
    summary: `Stores a part of an object, at most ${MAX_PART_BYTES} bytes; refused if the bytes have another hash.`,
    access: "trainer",
    parameters: [object, part],
    request: "bytes",
    responses: { 200: z.object({ sizeBytes: z.int() }) },
    handle: async (context) => {
      const { env, req, var: variables } = context;
      const site = variables.site.id;
      const [sha256, partHash] = [hashIn(context, object), hashIn(context, part)];
      const length = req.raw.headers.get("content-length");
      // R2 streams only bodies whose length is known.
      const body =
        length === null || req.raw.body === null
          ? await readBytes(req.raw, MAX_PART_BYTES)
          : req.raw.body;
      const declared = body instanceof Uint8Array ? body.length : Number(length);
      const sizeBytes = await putPart(env.OBJECTS, site, sha256, partHash, body, declared);
      await coordinatorOf(env, site).watchParts(variables.now);
      return context.json({ sizeBytes });
    },
  },
  {
    method: "post",
    path: "/v1/trainer/objects/{sha256}/assemble",
    operationId: "assembleObject",
    summary:
      "Joins stored parts into their object and deletes them; refused if it has another hash.",
    access: "trainer",
    parameters: [object],
    request: AssembleRequest,
    responses: { 200: z.object({ sizeBytes: z.int() }) },
    handle: async (context) => {
      const sha256 = hashIn(context, object);
      const { parts } = await readJson(context.req.raw, AssembleRequest);
      const site = context.var.site.id;
      return context.json({ sizeBytes: await assembleObject(context.env, site, sha256, parts) });
    },
  },
  {
    method: "get",
    path: "/v1/operator/unfinished-objects",
    operationId: "listUnfinishedObjects",
    summary: "Objects of which only parts are stored.",
    access: "operator",
    responses: { 200: UnfinishedObjectsResponse },
    handle: async (context) => {
      const objects = await listUnfinished(context.env.OBJECTS, context.var.site.id);
      return context.json({ objects });
    },
  },
  {
    method: "delete",
    path: "/v1/operator/unfinished-objects/{sha256}",
    operationId: "deleteUnfinishedObject",
    summary: "Deletes the stored parts of an object, which ends its upload.",
    access: "operator",
    parameters: [object, operatorName],
    responses: { 200: z.object({ parts: z.int() }) },
    handle: async (context) => {
      const { env, var: variables } = context;
      const sha256 = hashIn(context, object);
      const parts = await deleteParts(env.OBJECTS, variables.site.id, sha256);
      if (parts === 0) throw new WaggleError("NOT_FOUND", "no parts of this object are stored");
      const decision = decisionOf(context, "operator", `${parts} parts of ${sha256.slice(0, 12)}`);
      await auditStatement(variables.db, "delete-unfinished-object", decision).run();
      return context.json({ parts });
    },
  },
];
