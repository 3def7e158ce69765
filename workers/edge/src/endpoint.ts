/**
 * A route as one value: method, path, access, schemas and handler. The app registers these values, and the
 * OpenAPI description is generated from them, so the two cannot disagree.
 */
import { SITE_HEADER } from "@waggle/protocol";
import type { Context } from "hono";
import { z } from "zod";
import type { SiteCode } from "./tools/edge-tools.ts";
import type { Session } from "./session-token.ts";
import type { Bindings, Settings } from "./settings.ts";
import type { SiteDatabase } from "./sites/site-database.ts";
import type { ServedSite } from "./sites/site-directory.ts";

/** Bindings and variables of a request. */
export type EdgeEnv = {
  Bindings: Bindings;
  /** `session` and `addressPrefix` are set only if access is `session`. */
  Variables: {
    requestId: string;
    endpoint: Endpoint;
    code: readonly SiteCode[];
    site: ServedSite;
    /** Those of the site. */
    settings: Settings;
    /** The rows of the site. */
    db: SiteDatabase;
    session: Session;
    addressPrefix: string;
    now: number;
  };
};

/** Hono's context of a request. */
export type EdgeContext = Context<EdgeEnv>;

/** The rows of a site, and the bucket. */
export type SiteStores = { readonly DB: SiteDatabase; readonly OBJECTS: R2Bucket };

/** The stores of the request's site. */
export function storesOf({ env, var: { db } }: EdgeContext): SiteStores {
  return { DB: db, OBJECTS: env.OBJECTS };
}

/**
 * `session`: a page's token. `trainer`, `operator`: that credential of the installation or of one site.
 * `outcomes`: the credential of a site's own server.
 * `installation`, `installation-trainer`: the operator's or trainer's credential of the installation alone.
 */
export type Access =
  | "public"
  | "session"
  | "trainer"
  | "operator"
  | "outcomes"
  | "installation"
  | "installation-trainer";

/** A path, query or header parameter. */
export type Parameter = {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly description: string;
  readonly schema: z.ZodType;
};

/** The request header that names a site. */
export const siteName: Parameter = {
  name: SITE_HEADER,
  in: "header",
  description: "The site; `default` without it. A site's own credential needs none.",
  schema: z.string().optional(),
};

/** `bytes`: application/octet-stream; `json-lines`: one JSON value per line; `mcp`: a JSON-RPC message; `empty`: no body. */
export type Content = z.ZodType | "bytes" | "json-lines" | "mcp" | "empty";

/** A route of the Worker. */
export type Endpoint = {
  readonly method: "get" | "post" | "put" | "delete";
  /** Parameters as `{name}`, as in OpenAPI. */
  readonly path: string;
  /** Unique name of verb and noun, for generated clients. */
  readonly operationId: string;
  readonly summary: string;
  readonly access: Access;
  /** Refuses requests of pages whose origin is not one of the site's. Default: CORS alone. */
  readonly allowedOrigins?: true;
  readonly parameters?: readonly Parameter[];
  readonly request?: Content;
  /** Successful responses. Errors are always an `ErrorBody`. */
  readonly responses: { readonly [status: number]: Content };
  readonly handle: (context: EdgeContext) => Response | Promise<Response>;
};
