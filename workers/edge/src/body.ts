/**
 * Reads request bodies that nobody can trust: the size is counted while streaming, before and after
 * decompression, and nesting is measured before anything recursive sees the text.
 */
import { WaggleError } from "@waggle/protocol";
import type { z } from "zod";

/** Deeper JSON is refused: parsers and schemas recurse. */
const MAX_DEPTH = 40;

/** Small JSON bodies: everything but uploads, acknowledgements and metrics. */
export const SMALL_BODY_BYTES: number = 64 * 1024;

function tooLarge(limit: number): WaggleError {
  return new WaggleError(
    "PAYLOAD_TOO_LARGE",
    `a body must hold at most ${limit} bytes after decoding, got more; send fewer items at a time`,
  );
}

async function collect(stream: ReadableStream<Uint8Array>, limit: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.byteLength;
    if (size > limit) {
      // Not awaited: a cancelled decompressor need not settle before the refusal is sent.
      void reader.cancel().catch(() => undefined);
      throw tooLarge(limit);
    }
    chunks.push(value);
  }
  const bytes = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return bytes;
}

/**
 * The decoded bytes of a body, plain or gzip.
 * @throws WaggleError `PAYLOAD_TOO_LARGE`, `UNSUPPORTED_MEDIA_TYPE`, `SCHEMA_INVALID` for bad gzip.
 */
export async function readBytes(request: Request, limit: number): Promise<Uint8Array> {
  const declared = Number(request.headers.get("content-length") ?? 0);
  if (declared > limit) throw tooLarge(limit);
  const encoding = request.headers.get("content-encoding") ?? "identity";
  if (request.body === null) return new Uint8Array();
  if (encoding === "identity") return collect(request.body, limit);
  if (encoding !== "gzip") {
    throw new WaggleError(
      "UNSUPPORTED_MEDIA_TYPE",
      "content-encoding must be gzip or absent, got another; send gzip or plain JSON",
    );
  }
  try {
    return await collect(request.body.pipeThrough(new DecompressionStream("gzip")), limit);
  } catch (error) {
    if (WaggleError.is(error)) throw error;
    throw new WaggleError("SCHEMA_INVALID", "the body must be valid gzip, got corrupt data", {
      cause: error,
    });
  }
}

/** Greatest nesting of arrays and objects in JSON text, without parsing it. */
function jsonDepth(text: string): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (inString) {
      if (code === 0x5c) i++;
      else if (code === 0x22) inString = false;
    } else if (code === 0x22) inString = true;
    else if (code === 0x5b || code === 0x7b) deepest = Math.max(deepest, ++depth);
    else if (code === 0x5d || code === 0x7d) depth--;
  }
  return deepest;
}

/** A body as JSON of unknown shape. @throws WaggleError, see `readBytes`; `SCHEMA_INVALID`. */
async function readUnknownJson(
  request: Request,
  limit: number,
  onSize?: (bytes: number) => Promise<void>,
): Promise<unknown> {
  const type = request.headers.get("content-type") ?? "";
  if (!/^application\/json\b/i.test(type)) {
    throw new WaggleError(
      "UNSUPPORTED_MEDIA_TYPE",
      "content-type must be application/json, got another; set the header",
    );
  }
  const bytes = await readBytes(request, limit);
  await onSize?.(bytes.byteLength);
  const text = new TextDecoder().decode(bytes);
  if (jsonDepth(text) > MAX_DEPTH) {
    throw new WaggleError(
      "SCHEMA_INVALID",
      `JSON must nest at most ${MAX_DEPTH} deep, got deeper; flatten it`,
    );
  }
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new WaggleError("SCHEMA_INVALID", "the body must be JSON, got something else");
  }
}

/** The paths at which a value breaks a schema, and the rule; nothing of the value itself. */
export function describeIssues(error: z.ZodError): string {
  return error.issues
    .slice(0, 5)
    .map((issue) => {
      const path = issue.path.map(String).join(".").slice(0, 100) || "body";
      // Messages of our own rules are constants; zod's may quote the value.
      return `${path}: ${issue.code === "custom" ? issue.message : issue.code}`;
    })
    .join("; ");
}

/**
 * A JSON body of a known shape. @throws WaggleError, see `readUnknownJson`.
 *
 * @param onSize - told the decoded size before anything is parsed; may refuse it by throwing.
 */
export async function readJson<T>(
  request: Request,
  schema: z.ZodType<T>,
  limit: number = SMALL_BODY_BYTES,
  onSize?: (bytes: number) => Promise<void>,
): Promise<T> {
  const parsed = schema.safeParse(await readUnknownJson(request, limit, onSize));
  if (!parsed.success) {
    throw new WaggleError(
      "SCHEMA_INVALID",
      `the body must fit its schema, got ${describeIssues(parsed.error)}; see /openapi.json`,
    );
  }
  return parsed.data;
}
