/** Requests whose path, query, method or small body is hostile. */
import { UPLOAD_LIMITS } from "@waggle/protocol";
import type { AttackedEdge } from "../edge/attacked-edge.ts";
import type { RawRequest } from "../edge/raw-request.ts";
import { attack, type EdgeAttack, jsonHeaders, type Refusal, uploadOfBody } from "./edge-attack.ts";

const SCHEMA: Refusal = [400, "SCHEMA_INVALID"];
const TOO_LARGE: Refusal = [413, "PAYLOAD_TOO_LARGE"];
const NO_ROUTE: Refusal = [404, "NOT_FOUND"];

const COUNTED = "bytes are counted before and after decoding";
const ROUTES = "a path is a route or nothing";

const operatorGet =
  (path: string) =>
  (edge: AttackedEdge): RawRequest => ({
    method: "GET",
    path,
    headers: { authorization: `Bearer ${edge.installation.operatorCredential}` },
  });

/** All of them. */
export const PATH_ATTACKS: readonly EdgeAttack[] = [
  attack(
    "a path in capitals",
    "writes the path of a closed route in capitals",
    ROUTES,
    NO_ROUTE,
    () => ({ method: "GET", path: "/V1/OPERATOR/SUMMARY" }),
  ),
  attack("two slashes", "adds a slash before a closed route", ROUTES, NO_ROUTE, () => ({
    method: "GET",
    path: "//v1/operator/summary",
  })),
  attack("a slash at the end", "adds a slash behind a closed route", ROUTES, NO_ROUTE, () => ({
    method: "GET",
    path: "/v1/operator/summary/",
  })),
  attack(
    "dots in a path",
    "reaches a closed route through a public one",
    "the credential is checked for the route that answers",
    [401, "UNAUTHENTICATED"],
    () => ({ method: "GET", path: "/v1/objects/../operator/summary" }),
  ),
  attack(
    "encoded dots in a path",
    "leaves the folder of objects",
    "the credential is checked for the route that answers",
    [401, "UNAUTHENTICATED"],
    () => ({ method: "GET", path: "/v1/objects/%2e%2e/operator/summary" }),
  ),
  attack(
    "an encoded slash",
    "asks for an object outside of its folder",
    "a hash is 64 hex digits",
    NO_ROUTE,
    () => ({ method: "GET", path: "/v1/objects/..%2f..%2ftrajectories" }),
  ),
  attack("an encoded zero byte", "ends a hash early", "a hash is 64 hex digits", NO_ROUTE, () => ({
    method: "GET",
    path: `/v1/objects/${"a".repeat(64)}%00`,
  })),
  attack(
    "a broken escape",
    "ends a path in the middle of an escape",
    "a hash is 64 hex digits",
    NO_ROUTE,
    () => ({ method: "GET", path: "/v1/objects/%" }),
  ),
  attack(
    "SQL in a filter",
    "ends the query of a list",
    "values are bound, not written into SQL",
    SCHEMA,
    operatorGet("/v1/operator/trajectories?status=x'%20OR%201=1--"),
  ),
  attack(
    "SQL in a cursor",
    "ends the query of a list by its cursor",
    "values are bound, not written into SQL",
    SCHEMA,
    operatorGet("/v1/operator/trajectories?cursor='%3BDROP%20TABLE%20trajectories"),
  ),
  attack(
    "no number in a filter",
    "asks for version NaN",
    "the schema bounds every value",
    SCHEMA,
    operatorGet("/v1/operator/trajectories?version=NaN"),
  ),
  attack(
    "a huge limit",
    "asks for 1e9 rows",
    "the schema bounds every value",
    SCHEMA,
    operatorGet("/v1/operator/trajectories?limit=1000000000"),
  ),
  attack(
    "another method",
    "puts what can only be posted",
    "a route has its methods",
    [405, "METHOD_NOT_ALLOWED"],
    (edge) => ({ ...uploadOfBody(edge, "{}"), method: "PUT" }),
  ),
  attack(
    "an unusual method",
    "sends PROPFIND",
    "a route has its methods",
    [405, "METHOD_NOT_ALLOWED"],
    (edge) => ({ ...uploadOfBody(edge, "{}"), method: "PROPFIND" }),
  ),
  attack(
    "a method in a header",
    "posts feedback and asks to delete it as the operator",
    "headers do not change the method",
    SCHEMA,
    (edge) => ({
      method: "POST",
      path: "/v1/feedback",
      headers: {
        ...jsonHeaders(edge.page.token),
        "x-http-method-override": "DELETE",
        "x-original-url": "/v1/visitor",
      },
      body: "{}",
    }),
  ),
  attack("a body without a length", "streams more than the limit", COUNTED, TOO_LARGE, (edge) => ({
    ...uploadOfBody(edge, " ".repeat(UPLOAD_LIMITS.bodyBytes + 1)),
    isChunked: true,
  })),
  attack(
    "feedback of an unknown kind",
    "sends a kind that does not exist",
    "the schema knows every kind",
    SCHEMA,
    (edge) => feedback(edge, { kind: "thumb-sideways" }),
  ),
  attack("a long text", "sends feedback of 100,000 characters", COUNTED, TOO_LARGE, (edge) =>
    feedback(edge, { kind: "next-corrects", text: "a".repeat(100_000) }),
  ),
  attack(
    "an outcome that nobody declared",
    "sets a metric named __proto__",
    "a site declares its metrics",
    SCHEMA,
    (edge) => outcome(edge, { metric: "__proto__", value: true }),
  ),
  attack(
    "an outcome named constructor",
    "sets a metric that every object has",
    "a site declares its metrics",
    [400, "INVALID_ARGUMENT"],
    (edge) => outcome(edge, { metric: "constructor", value: true }),
  ),
];

const react = (edge: AttackedEdge, path: string, body: object): RawRequest => ({
  method: "POST",
  path,
  headers: jsonHeaders(edge.page.token),
  body: JSON.stringify({
    id: "00000000-0000-4000-8000-000000000001",
    trajectoryId: "00000000-0000-4000-8000-000000000002",
    at: "2026-11-20T12:00:00.000Z",
    ...body,
  }),
});
const feedback = (edge: AttackedEdge, body: object) => react(edge, "/v1/feedback", body);
const outcome = (edge: AttackedEdge, body: object) => react(edge, "/v1/visitor/outcomes", body);
