/** What the handlers of OpenAI's routes share: a request's JSON, and an error as OpenAI's error body. */
import { isObject, WaggleError } from "@waggle/protocol";
import { OVERFLOW } from "./http-errors.ts";

/** @throws WaggleError `INVALID_ARGUMENT` for a body that is no JSON. */
export async function bodyOf(request: Request): Promise<unknown> {
  try {
    return (await request.json()) as unknown;
  } catch (cause) {
    throw new WaggleError("INVALID_ARGUMENT", "the request is not JSON", { cause });
  }
}

/** An error as an answer, with its message if it is ours. */
export function refusal(
  status: number,
  error: unknown,
  headers: { readonly [name: string]: string } = {},
): Response {
  const ms = WaggleError.is(error) ? error.retryAfterMs : undefined;
  // OpenAI's clients prefer `retry-after-ms`. Others read only `retry-after`.
  const wait = ms !== undefined && {
    "retry-after-ms": String(ms),
    "retry-after": String(Math.ceil(ms / 1000)),
  };
  return Response.json(
    { error: toBody(error, status) },
    { status, headers: { ...headers, ...wait } },
  );
}

/** OpenAI's error object. `code` is ours, except for an overflow. `param` is the path of the wrong field, or `null`. */
export function toBody(error: unknown, status: number): object {
  const type =
    status === 429 ? "rate_limit_error" : status < 500 ? "invalid_request_error" : "server_error";
  // Other errors may reveal more about the server than clients should know.
  const { message, code } = WaggleError.is(error)
    ? error
    : { message: "internal error", code: "INTERNAL" };
  const param = isObject(error) && typeof error["param"] === "string" ? error["param"] : null;
  return { message, type, param, code: code === "CONTEXT_OVERFLOW" ? OVERFLOW : code };
}
