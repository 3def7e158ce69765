/** The Hono app: adds settings, CORS, access control and error handling to the endpoints. */
import { DEFAULT_SITE, OPERATOR_NAME_HEADER, SITE_HEADER, WaggleError } from "@waggle/protocol";
import { Hono, type MiddlewareHandler } from "hono";
import { cors } from "hono/cors";
import { z } from "zod";
import { ACCESS } from "./access.ts";
import type { EdgeContext, EdgeEnv, Endpoint } from "./endpoint.ts";
import { logLine } from "./error-log.ts";
import { refusalOf } from "./error-response.ts";
import { countRefusal } from "./refusal-counter.ts";
import { refusalHeaders } from "./refusal-headers.ts";
import { describeApi } from "./openapi.ts";
import { assignmentEndpoints } from "./routes/assignments.ts";
import { operatorControlEndpoints, trainerControlEndpoints } from "./routes/control.ts";
import { consentEndpoints } from "./routes/consents.ts";
import { backupEndpoints } from "./routes/backup.ts";
import { deadLetterEndpoints } from "./routes/dead-letters.ts";
import { feedbackEndpoints } from "./routes/feedback.ts";
import { leaseEndpoints } from "./routes/leases.ts";
import { lineageEndpoints } from "./routes/lineages.ts";
import { manifestEndpoints } from "./routes/manifests.ts";
import { mcpEndpoints } from "./routes/mcp.ts";
import { metricsEndpoints } from "./routes/metrics.ts";
import { outcomeEndpoints } from "./routes/outcomes.ts";
import { objectPartEndpoints } from "./routes/object-parts.ts";
import { objectEndpoints } from "./routes/objects.ts";
import { healthEndpoints } from "./routes/health.ts";
import { operatorEndpoints } from "./routes/operator.ts";
import { operatorVisitorEndpoints } from "./routes/operator-visitors.ts";
import { quarantineEndpoints } from "./routes/quarantine.ts";
import { reconcileEndpoints } from "./routes/reconcile.ts";
import { releaseEndpoints } from "./routes/releases.ts";
import { requestEndpoints } from "./routes/requests.ts";
import { rewardEndpoints } from "./routes/rewards.ts";
import { operatorPolicyEndpoints, trainerPolicyEndpoints } from "./routes/policies.ts";
import { sessionEndpoints } from "./routes/sessions.ts";
import { signatureEndpoints } from "./routes/signatures.ts";
import { staffNoteEndpoints } from "./routes/staff-notes.ts";
import { stoppedSignalEndpoints } from "./routes/stopped-signals.ts";
import { trajectoryEndpoints } from "./routes/trajectories.ts";
import { visitorEndpoints } from "./routes/visitor.ts";
import { versionReportEndpoints } from "./routes/version-reports.ts";
import { requireBundled, type SiteCode } from "./tools/edge-tools.ts";
import { readSettings } from "./settings.ts";
import { allowedOrigin, reachableSites } from "./sites/site-directory.ts";
import { siteEndpoints } from "./routes/sites.ts";

const served: readonly Endpoint[] = [
  ...healthEndpoints,
  ...sessionEndpoints,
  ...manifestEndpoints,
  ...objectEndpoints,
  ...objectPartEndpoints,
  ...mcpEndpoints,
  ...assignmentEndpoints,
  ...consentEndpoints,
  ...trajectoryEndpoints,
  ...rewardEndpoints,
  ...feedbackEndpoints,
  ...outcomeEndpoints,
  ...visitorEndpoints,
  ...leaseEndpoints,
  ...requestEndpoints,
  ...lineageEndpoints,
  ...trainerPolicyEndpoints,
  ...signatureEndpoints,
  ...trainerControlEndpoints,
  ...metricsEndpoints,
  ...operatorEndpoints,
  ...deadLetterEndpoints,
  ...reconcileEndpoints,
  ...operatorPolicyEndpoints,
  ...releaseEndpoints,
  ...operatorVisitorEndpoints,
  ...quarantineEndpoints,
  ...operatorControlEndpoints,
  ...staffNoteEndpoints,
  ...stoppedSignalEndpoints,
  ...versionReportEndpoints,
  ...siteEndpoints,
  ...backupEndpoints,
];

const descriptionEndpoint: Endpoint = {
  method: "get",
  path: "/openapi.json",
  operationId: "getDescription",
  summary: "This OpenAPI description.",
  access: "public",
  responses: { 200: z.object({ openapi: z.string() }) },
  handle: (context) => context.json(description()),
};

/** Every route of the Worker. */
export const endpoints: readonly Endpoint[] = [...served, descriptionEndpoint];

let cached: ReturnType<typeof describeApi> | undefined;
function description() {
  return (cached ??= describeApi(endpoints));
}

/** Headers of every response. The edge serves data only, so a browser must never show, run or frame a response. */
const SECURITY_HEADERS: readonly (readonly [string, string])[] = [
  ["X-Content-Type-Options", "nosniff"],
  ["Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; sandbox"],
  ["X-Frame-Options", "DENY"],
  ["Referrer-Policy", "no-referrer"],
  ["Strict-Transport-Security", "max-age=31536000"],
  // Pages under COEP require-corp can only load responses with this header.
  ["Cross-Origin-Resource-Policy", "cross-origin"],
];

const toPattern = (path: string) => path.replaceAll(/\{(\w+)\}/g, ":$1");

const ONE_DAY_SECONDS = 86_400;

/** Refusals that a trainer meets in its normal work, and handles. */
const EXPECTED: ReadonlySet<string> = new Set(["NOT_FOUND", "LEASE_LOST", "PUBLICATION_STALE"]);

/** Counts a request that was refused, or that failed, by operation and reason. */
function countRefused(context: EdgeContext, code: string): void {
  // Unset if no route matches or the Worker is not configured.
  const { endpoint, now, site } = context.var as Partial<EdgeEnv["Variables"]>;
  if (endpoint === undefined || now === undefined) return;
  const { access, operationId } = endpoint;
  const isOfPage = access === "session" || operationId === "createSession";
  if (!isOfPage && EXPECTED.has(code)) return;
  const id = site?.id ?? DEFAULT_SITE;
  context.executionCtx.waitUntil(countRefusal(context.env, id, operationId, code, now));
}

/** MCP requires this of servers, because a page that rebinds its host name is not stopped by CORS. */
const checkOrigin: MiddlewareHandler<EdgeEnv> = ({ req, var: { endpoint, site } }, next) => {
  const origin = req.header("Origin");
  const isChecked = endpoint.allowedOrigins === true && origin !== undefined;
  if (!isChecked || allowedOrigin([site], origin) !== null) return next();
  throw new WaggleError(
    "FORBIDDEN",
    "this origin is not allowed; add it to ALLOWED_ORIGINS or to the site's allowedOrigins",
  );
};

/** A preflight names no site, so it may pass for any. The response to the request itself is for pages of its site. */
const narrowOrigin: MiddlewareHandler<EdgeEnv> = async (context, next) => {
  await next();
  const { endpoint, site } = context.var as Partial<EdgeEnv["Variables"]>;
  if (site === undefined || (endpoint?.access === "public" && site.id === DEFAULT_SITE)) return;
  const { headers } = context.res;
  const allowed = allowedOrigin([site], context.req.header("Origin") ?? "");
  if (allowed === null) headers.delete("Access-Control-Allow-Origin");
  else headers.set("Access-Control-Allow-Origin", allowed);
  if (allowed !== "*") headers.append("Vary", "Origin");
};

/** The methods of a path, for `Allow`. */
function methodsOf(path: string): string {
  const methods = endpoints.filter((each) => each.path === path).map(({ method }) => method);
  return [...methods, ...(methods.includes("get") ? ["head"] : []), "options"]
    .join(", ")
    .toUpperCase();
}

/** The app of a Worker that has the code of these sites. */
export function createApp(code: readonly SiteCode[]): Hono<EdgeEnv> {
  const app = new Hono<EdgeEnv>();
  app.use(async (context, next) => {
    const requestId = crypto.randomUUID();
    context.set("requestId", requestId);
    await next();
    context.res.headers.set("X-Request-Id", requestId);
    for (const [name, value] of SECURITY_HEADERS) context.res.headers.set(name, value);
    // A response to a credential or a token is for its caller alone.
    if (context.req.header("Authorization") === undefined) return;
    if (!context.res.headers.has("Cache-Control")) {
      context.res.headers.set("Cache-Control", "no-store");
    }
  });
  app.use(async (context, next) => {
    requireBundled(code, readSettings(context.env).EDGE_TOOLS);
    context.set("code", code);
    context.set("now", Date.now());
    await next();
  });
  app.use(
    cors({
      // The site of the request is not known yet.
      origin: async (origin, { env }: EdgeContext) =>
        allowedOrigin((await reachableSites(env)).sites.values(), origin),
      allowMethods: ["GET", "POST", "PUT", "DELETE", "OPTIONS"],
      allowHeaders: [
        "Authorization",
        "Content-Type",
        "Content-Encoding",
        "Accept",
        "If-None-Match",
        "Range",
        "Mcp-Protocol-Version",
        "Mcp-Session-Id",
        "Mcp-Method",
        "Mcp-Name",
        "Last-Event-ID",
        OPERATOR_NAME_HEADER,
        SITE_HEADER,
      ],
      exposeHeaders: [
        "ETag",
        "Content-Encoding",
        "Content-Length",
        "Content-Range",
        "Retry-After",
        "Mcp-Session-Id",
        "WWW-Authenticate",
        "X-Request-Id",
      ],
      maxAge: ONE_DAY_SECONDS,
    }),
  );
  app.use(narrowOrigin);
  for (const endpoint of endpoints) {
    const { method, path, access, handle } = endpoint;
    const enter: MiddlewareHandler<EdgeEnv> = (context, next) => {
      context.set("endpoint", endpoint);
      return next();
    };
    app.on(method.toUpperCase(), toPattern(path), enter, ACCESS[access], checkOrigin, handle);
  }
  for (const path of new Set(endpoints.map((endpoint) => endpoint.path))) {
    app.all(toPattern(path), (context) => {
      context.header("Allow", methodsOf(path));
      throw new WaggleError("METHOD_NOT_ALLOWED", `method not allowed: ${context.req.method}`);
    });
  }
  app.notFound((context) => {
    const route = `${context.req.method} ${context.req.path}`.slice(0, 200);
    throw new WaggleError("NOT_FOUND", `no such route: ${route} (see /openapi.json)`);
  });
  app.onError((error, context) => {
    const { requestId } = context.var;
    const { status, body } = refusalOf(error, requestId);
    if (status >= 500) {
      const { method, path } = context.req;
      // oxlint-disable-next-line no-console -- the Worker's log is its console
      console.error(logLine({ requestId, method, path }, error));
    }
    countRefused(context, body.error.code);
    return context.json(body, status, refusalHeaders(context, status, error));
  });
  return app;
}
