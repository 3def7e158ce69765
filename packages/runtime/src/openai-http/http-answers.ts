/** What the handlers of OpenAI's routes share: a request's JSON, and an error as OpenAI's error body. */
import { WaggleError } from "@waggle/protocol";

/** @throws WaggleError `INVALID_ARGUMENT` for a body that is no JSON. */
export async function bodyOf(request: Request): Promise<unknown> {
  try {
    return (await request.json()) as unknown;
  } catch (cause) {
    throw new WaggleError("INVALID_ARGUMENT", "the request is not JSON", { cause });
  }
}

/** An error as an answer, with its message if it is ours. */
export function refusal(status: number, error: unknown): Response {
  return Response.json({ error: toBody(error) }, { status });
}

export function toBody(error: unknown): { message: string; code: string; type: string } {
  // Other errors may reveal more about the server than clients should know.
  if (!WaggleError.is(error)) return { message: "internal error", code: "INTERNAL", type: "error" };
  return { message: error.message, code: error.code, type: "error" };
}
