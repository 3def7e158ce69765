/**
 * A route as one value: method, path, access, schemas and handler. The app registers these values, and the
 * OpenAPI description is generated from them, so the two cannot disagree.
 */
import type { Tool } from "@waggle/protocol";
import type { Context } from "hono";
import type { z } from "zod";
import type { Session } from "./session-token.ts";
import type { Bindings, Settings } from "./settings.ts";

/** Bindings and variables of a request. */
export type EdgeEnv = {
  Bindings: Bindings;
  /** `session` and `addressPrefix` are set only if access is `session`. */
  Variables: {
    requestId: string;
    endpoint: Endpoint;
    settings: Settings;
    session: Session;
    addressPrefix: string;
    now: number;
    /** Tools that were bundled with this Worker. */
    tools: readonly Tool[];
  };
};

/** Hono's context of a request. */
export type EdgeContext = Context<EdgeEnv>;

/** `session`: a page's token. `trainer`, `operator`: only that credential. */
export type Access = "public" | "session" | "trainer" | "operator";

/** A path, query or header parameter. */
export type Parameter = {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly description: string;
  readonly schema: z.ZodType;
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
  /** Refuses requests of pages whose origin is not in `ALLOWED_ORIGINS`. Default: CORS alone. */
  readonly allowedOrigins?: true;
  readonly parameters?: readonly Parameter[];
  readonly request?: Content;
  /** Successful responses. Errors are always an `ErrorBody`. */
  readonly responses: { readonly [status: number]: Content };
  readonly handle: (context: EdgeContext) => Response | Promise<Response>;
};
