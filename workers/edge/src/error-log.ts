/**
 * The log line of an internal error: class, code, request id and stack, never the payload. Messages of our own
 * errors are logged. A foreign message may quote visitor input, so quoted text is removed and the rest is
 * cut to a maximum length.
 */
import { WaggleError } from "@waggle/protocol";

const MESSAGE_LENGTH = 200;
const FRAMES = 20;
const CAUSES = 4;

/** The request that failed. */
export type FailedRequest = {
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
};

function messageOf(error: Error): string {
  if (WaggleError.is(error)) return error.message;
  // A parser's message quotes the text that it could not parse.
  if (error instanceof SyntaxError) return "";
  return error.message
    .replaceAll(/(["'`])(?:(?!\1)[^\\]|\\.)*(?:\1|$)/g, "…")
    .replaceAll(/[^\s]*[@\d][^\s]*/g, "…")
    .slice(0, MESSAGE_LENGTH);
}

/** The frames of a stack, without the message in its first lines. */
function framesOf(error: Error): string[] {
  return (error.stack ?? "")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line.startsWith("at "))
    .slice(0, FRAMES);
}

function describe(error: unknown, causes: number): object {
  if (!(error instanceof Error)) return { class: typeof error };
  return {
    class: error.name,
    code: WaggleError.is(error) ? error.code : "INTERNAL",
    message: messageOf(error),
    stack: framesOf(error),
    ...(error.cause === undefined || causes === 0
      ? {}
      : { cause: describe(error.cause, causes - 1) }),
  };
}

/** One line of JSON, which an operator finds by the request id of the response. */
export function logLine(request: FailedRequest, error: unknown): string {
  return JSON.stringify({ ...request, error: describe(error, CAUSES) });
}
