/** Model files and adapters by content hash: immutable, public, readable from isolated pages. */
import { MAX_PART_BYTES, Sha256, WaggleError } from "@waggle/protocol";
import { z } from "zod";
import { trainerSite } from "../access.ts";
import { readBytes } from "../body.ts";
import type { EdgeContext, Endpoint, Parameter } from "../endpoint.ts";
import { findObject, objectKey, putObject } from "../object-store.ts";
import { acceptsGzip, findGzip, putGzip } from "../objects/gzip-store.ts";

/** Without a declared length R2 cannot stream, so the bytes are kept in memory. */
const UNDECLARED_LIMIT_BYTES = 64 * 1024 * 1024;

const hash: Parameter = {
  name: "sha256",
  in: "path",
  description: "Sha256 of the bytes in hex.",
  schema: Sha256,
};

function hashOf(context: EdgeContext): string {
  const parsed = Sha256.safeParse(context.req.param("sha256"));
  if (!parsed.success) throw notFound();
  return parsed.data;
}

function notFound(): WaggleError {
  return new WaggleError("NOT_FOUND", "no object with this hash is stored");
}

/** Each form of an object has a tag of its own. */
const plainTag = (sha256: string): string => `"${sha256}"`;
const gzipTag = (sha256: string): string => `"${sha256}-gzip"`;

function headersOf(sha256: string, isGzip: boolean): Headers {
  return new Headers({
    ETag: isGzip ? gzipTag(sha256) : plainTag(sha256),
    "Cache-Control": "public, max-age=31536000, immutable",
    Vary: "Accept-Encoding",
  });
}

/** `/v1/objects/{sha256}`. */
export const objectEndpoints: readonly Endpoint[] = [
  {
    method: "get",
    path: "/v1/objects/{sha256}",
    operationId: "getObject",
    summary:
      "The bytes of an object of any site, or of the trainer's own; supports gzip and range requests.",
    access: "public",
    parameters: [hash],
    responses: { 200: "bytes", 206: "bytes", 304: "empty" },
    handle: async (context) => {
      const sha256 = hashOf(context);
      const { raw } = context.req;
      const known = raw.headers.get("if-none-match") ?? "";
      if (known.includes(sha256)) {
        const headers = headersOf(sha256, known.includes(gzipTag(sha256)));
        return new Response(null, { status: 304, headers });
      }
      // A trainer asks whether its own site has the object, and must send it otherwise.
      const site = await trainerSite(context);
      const { OBJECTS } = context.env;
      // A client that goes on with another form than the object itself gets the whole.
      const ifRange = raw.headers.get("if-range") ?? plainTag(sha256);
      const hasRange = raw.headers.has("range") && ifRange === plainTag(sha256);
      const range = hasRange ? { range: raw.headers } : {};
      const wantsGzip = !hasRange && acceptsGzip(raw);
      const object = await findObject(
        context.env,
        site,
        sha256,
        async (each) =>
          (wantsGzip ? await findGzip(OBJECTS, each, sha256) : null) ??
          OBJECTS.get(objectKey(each, sha256), range),
      );
      if (!object) throw notFound();
      const isGzip = object.httpMetadata?.contentEncoding === "gzip";
      const headers = headersOf(sha256, isGzip);
      headers.set("Content-Type", "application/octet-stream");
      headers.set("Accept-Ranges", "bytes");
      if (isGzip) {
        headers.set("Content-Encoding", "gzip");
        headers.set("Content-Length", String(object.size));
        // The bytes are compressed: the Worker must not compress them again.
        return new Response(object.body, { headers, encodeBody: "manual" });
      }
      const part = object.range;
      const offset = part && "offset" in part ? (part.offset ?? 0) : 0;
      const length = part && "length" in part ? (part.length ?? object.size) : object.size;
      if (!hasRange || length === object.size) {
        headers.set("Content-Length", String(object.size));
        return new Response(object.body, { headers });
      }
      headers.set("Content-Range", `bytes ${offset}-${offset + length - 1}/${object.size}`);
      return new Response(object.body, { status: 206, headers });
    },
  },
  {
    method: "put",
    path: "/v1/trainer/objects/{sha256}",
    operationId: "putObject",
    summary: "Stores an object; refused if the bytes have another hash.",
    access: "trainer",
    parameters: [hash],
    request: "bytes",
    responses: { 200: z.object({ sizeBytes: z.int() }) },
    handle: async (context) => {
      const parsed = Sha256.safeParse(context.req.param("sha256"));
      if (!parsed.success) {
        throw new WaggleError("SCHEMA_INVALID", "the path must contain a sha256 in hex");
      }
      const { raw } = context.req;
      const streams = raw.body !== null && raw.headers.has("content-length");
      const body = streams && raw.body ? raw.body : await readBytes(raw, UNDECLARED_LIMIT_BYTES);
      const site = context.var.site.id;
      return context.json({ sizeBytes: await putObject(context.env, site, parsed.data, body) });
    },
  },
  {
    method: "put",
    path: "/v1/trainer/objects/{sha256}/gzip",
    operationId: "putObjectGzip",
    summary: `Stores the gzip form of a stored object, at most ${MAX_PART_BYTES} bytes; refused if it decompresses to other bytes.`,
    access: "trainer",
    parameters: [hash],
    request: "bytes",
    responses: { 200: z.object({ sizeBytes: z.int() }) },
    handle: async (context) => {
      const sha256 = hashOf(context);
      const gzip = await readBytes(context.req.raw, MAX_PART_BYTES);
      const site = context.var.site.id;
      return context.json({ sizeBytes: await putGzip(context.env.OBJECTS, site, sha256, gzip) });
    },
  },
];
