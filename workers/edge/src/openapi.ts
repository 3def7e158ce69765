/** The OpenAPI 3.1 description, generated from the endpoints and the zod schemas that clients share. */
import * as protocol from "@waggle/protocol";
import { z } from "zod";
import { type Access, type Content, type Endpoint, type Parameter, siteName } from "./endpoint.ts";

type Json = { [key: string]: unknown };

const schemaOptions = { target: "draft-2020-12", io: "input", unrepresentable: "any" } as const;

/** Schemas with a name of their own in `components`. */
const NAMED: { readonly [name: string]: z.ZodType } = {
  AcknowledgeRequest: protocol.AcknowledgeRequest,
  AcknowledgeResponse: protocol.AcknowledgeResponse,
  AssignmentResponse: protocol.AssignmentResponse,
  AuditResponse: protocol.AuditResponse,
  BaseModelRequest: protocol.BaseModelRequest,
  ConsentResponse: protocol.ConsentResponse,
  ControlState: protocol.ControlState,
  DeletionResponse: protocol.DeletionResponse,
  ErrorBody: protocol.ErrorBody,
  Feedback: protocol.FeedbackRequest,
  FreezeRequest: protocol.FreezeRequest,
  KillRequest: protocol.KillRequest,
  LeasedTrajectory: protocol.LeasedTrajectory,
  LeaseRequest: protocol.LeaseRequest,
  LeaseResponse: protocol.LeaseResponse,
  Lineage: protocol.Lineage,
  MetricsRequest: protocol.MetricsRequest,
  MetricsResponse: protocol.MetricsResponse,
  OperatorSummary: protocol.OperatorSummary,
  Outcome: protocol.Outcome,
  OutcomesRequest: protocol.OutcomesRequest,
  OutcomesResponse: protocol.OutcomesResponse,
  PoliciesResponse: protocol.PoliciesResponse,
  PolicyManifest: protocol.PolicyManifest,
  PolicyVersion: protocol.PolicyVersion,
  PublishRequest: protocol.PublishRequest,
  ReleaseRequest: protocol.ReleaseRequest,
  RenewRequest: protocol.RenewRequest,
  RenewResponse: protocol.RenewResponse,
  RequestsResponse: protocol.RequestsResponse,
  RollBackRequest: protocol.RollBackRequest,
  SessionRequest: protocol.SessionRequest,
  SessionResponse: protocol.SessionResponse,
  Site: protocol.Site,
  SiteToTrain: protocol.SiteToTrain,
  SiteSettings: protocol.SiteSettings,
  TrajectoriesResponse: protocol.TrajectoriesResponse,
  Trajectory: protocol.Trajectory,
  TrajectoryDetail: protocol.TrajectoryDetail,
  TrajectoryRow: protocol.TrajectoryRow,
  UploadRequest: protocol.UploadRequest,
  UploadResponse: protocol.UploadResponse,
};

const COMPONENT = "#/components/schemas/";

/** Name under which zod puts unnamed schemas that several others share. */
const SHARED = "__shared";

function components(): Json {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(NAMED)) registry.add(schema, { id });
  const generated = z.toJSONSchema(registry, { ...schemaOptions, uri: (id) => COMPONENT + id });
  // References with two fragments are invalid, so shared schemas become components of their own.
  const text = JSON.stringify(generated.schemas).replaceAll(`${SHARED}#/$defs/`, "shared-");
  const { [SHARED]: shared, ...named } = JSON.parse(text) as { [name: string]: Json };
  const definitions = Object.entries((shared?.["$defs"] ?? {}) as { [name: string]: Json });
  return Object.fromEntries(
    [
      ...Object.entries(named),
      ...definitions.map(([name, schema]) => [`shared-${name}`, schema] as const),
    ].map(([name, { $schema: _schema, $id: _id, ...rest }]) => [name, rest]),
  );
}

function schemaOf(schema: z.ZodType): Json {
  const named = Object.entries(NAMED).find(([, candidate]) => candidate === schema);
  if (named) return { $ref: COMPONENT + named[0] };
  const { $schema: _, ...rest } = z.toJSONSchema(schema, schemaOptions) as Json;
  return rest;
}

function contentOf(content: Content): Json | undefined {
  switch (content) {
    case "empty":
      return undefined;
    case "bytes":
      return { "application/octet-stream": { schema: {} } };
    case "json-lines":
      return { "application/x-ndjson": { schema: {} } };
    case "mcp":
      return { "application/json": { schema: { type: "object" } } };
    default:
      return { "application/json": { schema: schemaOf(content) } };
  }
}

/** The security scheme of each kind of access that has another name. */
const SCHEMES: { readonly [access in Access]?: string } = {
  installation: "operator",
  "installation-trainer": "trainer",
};

/** Trainer and operator may name the site at every route. */
function parametersOf({ access, parameters = [] }: Endpoint): readonly Parameter[] {
  return access === "trainer" || access === "operator" ? [...parameters, siteName] : parameters;
}

function operationOf(endpoint: Endpoint): Json {
  const successes = Object.entries(endpoint.responses).map(([status, content]) => {
    const described = contentOf(content);
    return [status, { description: "Success.", ...(described ? { content: described } : {}) }];
  });
  const scheme = SCHEMES[endpoint.access] ?? endpoint.access;
  const body = endpoint.request === undefined ? undefined : contentOf(endpoint.request);
  return {
    operationId: endpoint.operationId,
    summary: endpoint.summary,
    ...(scheme === "public" ? {} : { security: [{ [scheme]: [] }] }),
    parameters: parametersOf(endpoint).map(({ name, in: where, description, schema }) => ({
      name,
      in: where,
      description,
      required: where === "path",
      schema: schemaOf(schema),
    })),
    ...(body ? { requestBody: { required: true, content: body } } : {}),
    responses: {
      ...Object.fromEntries(successes),
      default: {
        description: "An error with a stable code.",
        content: { "application/json": { schema: { $ref: `${COMPONENT}ErrorBody` } } },
      },
    },
  };
}

const bearer = (description: string): Json => ({ type: "http", scheme: "bearer", description });

/** The complete description as a plain object. */
export function describeApi(endpoints: readonly Endpoint[]): Json {
  const paths: { [path: string]: Json } = {};
  for (const endpoint of endpoints) {
    (paths[endpoint.path] ??= {})[endpoint.method] = operationOf(endpoint);
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Waggle edge",
      version: protocol.WAGGLE_VERSION,
      description:
        "Sessions, tools, uploads, policies, feedback, outcomes, deletion; leases for the trainer.",
      license: { name: "MIT", identifier: "MIT" },
    },
    paths,
    components: {
      schemas: components(),
      securitySchemes: {
        session: bearer("Session token of a page."),
        trainer: bearer("Credential of the trainer: the installation's or a site's."),
        operator: bearer("Credential of the operator: the installation's or a site's."),
        outcomes: bearer("Credential of a site's own server."),
      },
    },
  };
}
