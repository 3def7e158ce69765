/** The Hono app: adds settings, CORS, access control and error handling to the endpoints. */
import { OPERATOR_NAME_HEADER, type Tool, WaggleError } from "@waggle/protocol";
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
import { deadLetterEndpoints } from "./routes/dead-letters.ts";
import { feedbackEndpoints } from "./routes/feedback.ts";
import { leaseEndpoints } from "./routes/leases.ts";
import { lineageEndpoints } from "./routes/lineages.ts";
import { manifestEndpoints } from "./routes/manifests.ts";
import { mcpEndpoints } from "./routes/mcp.ts";
import { metricsEndpoints } from "./routes/metrics.ts";
import { objectEndpoints } from "./routes/objects.ts";
import { healthEndpoints } from "./routes/health.ts";
import { operatorEndpoints } from "./routes/operator.ts";
import { operatorVisitorEndpoints } from "./routes/operator-visitors.ts";
import { operatorPolicyEndpoints, trainerPolicyEndpoints } from "./routes/policies.ts";
import { sessionEndpoints } from "./routes/sessions.ts";
import { trajectoryEndpoints } from "./routes/trajectories.ts";
import { visitorEndpoints } from "./routes/visitor.ts";
import { readSettings } from "./settings.ts";

const served: readonly Endpoint[] = [
  ...healthEndpoints,
  ...sessionEndpoints,
  ...manifestEndpoints,
  ...objectEndpoints,
  ...mcpEndpoints,
  ...assignmentEndpoints,
  ...trajectoryEndpoints,
  ...feedbackEndpoints,
  ...visitorEndpoints,
  ...leaseEndpoints,
  ...lineageEndpoints,
  ...trainerPolicyEndpoints,
  ...trainerControlEndpoints,
  ...metricsEndpoints,
  ...operatorEndpoints,
  ...deadLetterEndpoints,
  ...operatorPolicyEndpoints,
  ...operatorVisitorEndpoints,
  ...operatorControlEndpoints,
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

const toPattern = (path: string) => path.replaceAll(/\{(\w+)\}/g, ":$1");

const ONE_DAY_SECONDS = 86_400;

/** Counts a request of a page that was refused. Trainer and operator see their own errors. */
function countPageRefusal(context: EdgeContext, code: string): void {
  // Unset if no route matches or the Worker is not configured.
  const { endpoint, now } = context.var as Partial<EdgeEnv["Variables"]>;
  if (endpoint === undefined || now === undefined) return;
  const { access, operationId } = endpoint;
  if (access !== "session" && operationId !== "createSession") return;
  context.executionCtx.waitUntil(countRefusal(context.env, operationId, code, now));
}

/** MCP requires this of servers, because a page that rebinds its host name is not stopped by CORS. */
function checkOrigin({ req, var: { endpoint, settings } }: EdgeContext): void {
  const origin = req.header("Origin");
  if (endpoint.allowedOrigins !== true || origin === undefined) return;
  const allowed = settings.ALLOWED_ORIGINS;
  if (allowed.includes("*") || allowed.includes(origin)) return;
  throw new WaggleError("FORBIDDEN", "this origin is not allowed; add it to ALLOWED_ORIGINS");
}

/** The methods of a path, for `Allow`. */
function methodsOf(path: string): string {
  const methods = endpoints.filter((each) => each.path === path).map(({ method }) => method);
  return [...methods, ...(methods.includes("get") ? ["head"] : []), "options"]
    .join(", ")
    .toUpperCase();
}

/** Creates the app. @param tools - of the site, served at `/mcp`. */
export function createApp(tools: readonly Tool[] = []): Hono<EdgeEnv> {
  const app = new Hono<EdgeEnv>();
  app.use(async (context, next) => {
    const requestId = crypto.randomUUID();
    context.set("requestId", requestId);
    await next();
    context.res.headers.set("X-Request-Id", requestId);
    // Pages under COEP require-corp can only load responses with this header.
    context.res.headers.set("Cross-Origin-Resource-Policy", "cross-origin");
    context.res.headers.set("X-Content-Type-Options", "nosniff");
  });
  app.use(async (context, next) => {
    context.set("settings", readSettings(context.env));
    context.set("now", Date.now());
    context.set("tools", tools);
    await next();
  });
  app.use(
    cors({
      origin: (origin, context) => {
        const allowed = readSettings(context.env as object).ALLOWED_ORIGINS;
        return allowed.includes("*") ? "*" : allowed.includes(origin) ? origin : null;
      },
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
      ],
      exposeHeaders: [
        "ETag",
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
  for (const endpoint of endpoints) {
    const { method, path, access, handle } = endpoint;
    const enter: MiddlewareHandler<EdgeEnv> = (context, next) => {
      context.set("endpoint", endpoint);
      checkOrigin(context);
      return next();
    };
    app.on(method.toUpperCase(), toPattern(path), enter, ACCESS[access], handle);
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
    } else countPageRefusal(context, body.error.code);
    return context.json(body, status, refusalHeaders(context, status, error));
  });
  return app;
}

/** The app of a Worker without tools of its own. */
export const app: Hono<EdgeEnv> = createApp();
