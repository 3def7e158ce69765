/**
 * What a route is: method, path, who may call it, schemas and handler in one value. The app registers
 * these values and the OpenAPI description is written from them, so neither can forget one.
 */
import type { Context } from "hono";
import type { z } from "zod";
import type { Session } from "./session-token.ts";
import type { Bindings, Settings } from "./settings.ts";

export type EdgeEnv = {
  Bindings: Bindings;
  /** `session` and `addressPrefix` are set where access is `session`. */
  Variables: {
    requestId: string;
    endpoint: Endpoint;
    settings: Settings;
    session: Session;
    addressPrefix: string;
    now: number;
  };
};

export type EdgeContext = Context<EdgeEnv>;

/** `session`: a page's token. `trainer`, `operator`: that credential, never the other. */
export type Access = "public" | "session" | "trainer" | "operator";

export type Parameter = {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly description: string;
  readonly schema: z.ZodType;
};

/** `bytes`: application/octet-stream; `json-lines`: one JSON value a line; `mcp`: a JSON-RPC message; `empty`: no body. */
export type Content = z.ZodType | "bytes" | "json-lines" | "mcp" | "empty";

export type Endpoint = {
  readonly method: "get" | "post" | "put" | "delete";
  /** With `{name}` for parameters, as OpenAPI writes it. */
  readonly path: string;
  /** Unique verb and noun, for generated clients. */
  readonly operationId: string;
  readonly summary: string;
  readonly access: Access;
  readonly parameters?: readonly Parameter[];
  readonly request?: Content;
  /** Successes; refusals are `ErrorBody` everywhere. */
  readonly responses: { readonly [status: number]: Content };
  readonly handle: (context: EdgeContext) => Response | Promise<Response>;
};
