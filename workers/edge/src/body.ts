/**
 * Reads untrusted request bodies. Counts bytes while streaming, before and after decompression, and checks
 * the nesting depth before any recursive parser runs.
 */
import { WaggleError } from "@waggle/protocol";
import type { z } from "zod";

/** JSON that nests deeper is refused, because parsers and schemas recurse. */
const MAX_DEPTH = 40;

/** Limit of small JSON bodies: all except uploads, acknowledgements and metrics. */
export const SMALL_BODY_BYTES: number = 64 * 1024;

function tooLarge(limit: number): WaggleError {
  return new WaggleError(
    "PAYLOAD_TOO_LARGE",
    `the body has more than ${limit} bytes after decoding; send fewer items at a time`,
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
      // Not awaited, because a canceled decompressor may settle only after the response is sent.
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
 * The decoded bytes of a plain or gzip body.
 * @throws WaggleError `PAYLOAD_TOO_LARGE`, `UNSUPPORTED_MEDIA_TYPE`, or `SCHEMA_INVALID` for bad gzip.
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
      "this content-encoding is not supported; send gzip or plain JSON",
    );
  }
  try {
    return await collect(request.body.pipeThrough(new DecompressionStream("gzip")), limit);
  } catch (error) {
    if (WaggleError.is(error)) throw error;
    throw new WaggleError("SCHEMA_INVALID", "the body is not valid gzip", {
      cause: error,
    });
  }
}

/** Nesting depth of arrays and objects in JSON text, without parsing it. */
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

/** Parses a JSON body of unknown shape. @throws WaggleError like `readBytes`, and `SCHEMA_INVALID`. */
async function readUnknownJson(
  request: Request,
  limit: number,
  onSize?: (bytes: number) => Promise<void>,
): Promise<unknown> {
  const type = request.headers.get("content-type") ?? "";
  if (!/^application\/json\s*(?:;|$)/i.test(type)) {
    throw new WaggleError(
      "UNSUPPORTED_MEDIA_TYPE",
      "this content-type is not supported; set it to application/json",
    );
  }
  const bytes = await readBytes(request, limit);
  await onSize?.(bytes.byteLength);
  const text = new TextDecoder().decode(bytes);
  if (jsonDepth(text) > MAX_DEPTH) {
    throw new WaggleError(
      "SCHEMA_INVALID",
      `the JSON nests deeper than ${MAX_DEPTH} levels; flatten it`,
    );
  }
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new WaggleError("SCHEMA_INVALID", "the body is not valid JSON");
  }
}

/** The paths and rules at which a value breaks a schema, without the value itself. */
export function describeIssues(error: z.ZodError): string {
  return error.issues
    .slice(0, 5)
    .map((issue) => {
      const path = issue.path.map(String).join(".").slice(0, 100) || "body";
      // Our own messages are constants; those of zod may quote the value.
      return `${path}: ${issue.code === "custom" ? issue.message : issue.code}`;
    })
    .join("; ");
}

/**
 * Parses a JSON body with a schema. @throws WaggleError like `readUnknownJson`.
 *
 * @param onSize - receives the decoded size before parsing and may throw to refuse it.
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
      `the body does not match its schema: ${describeIssues(parsed.error)} (see /openapi.json)`,
    );
  }
  return parsed.data;
}
