/**
 * Serves the hashed files of a built page compressed, with headers that let browsers keep them: a browser fetches each
 * one once, also where the page, a worker and a service worker ask for it. Vite's preview does neither.
 */
import { readFile } from "node:fs/promises";
import type { OutgoingHttpHeaders } from "node:http";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Connect } from "vite";

const TYPES: { readonly [extension: string]: string } = {
  ".css": "text/css",
  ".js": "text/javascript",
  ".json": "application/json",
  ".mjs": "text/javascript",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};

/** Names that Vite gives: they contain a hash of the content, so it never changes. */
const HASHED = /^\/assets\/([\w.-]+-[\w-]{8}\.\w+)(?:\?|$)/;

const compress = promisify(gzip);

/**
 * Answers requests for hashed files of these types, and passes others on.
 *
 * @param folder - of the built page.
 * @param headers - of every answer.
 */
export function serveBuiltAssets(
  folder: string,
  headers: OutgoingHttpHeaders,
): Connect.NextHandleFunction {
  const kept = new Map<string, Promise<Buffer>>();
  const compressed = (name: string): Promise<Buffer> => {
    const found =
      kept.get(name) ??
      readFile(join(folder, "assets", name)).then((bytes) => compress(bytes, { level: 6 }));
    kept.set(name, found);
    // A file that is missing may be built later.
    found.catch(() => kept.delete(name));
    return found;
  };
  return (request, response, next) => {
    const name = HASHED.exec(request.url ?? "")?.[1];
    const type = TYPES[extname(name ?? "")];
    const isRead = request.method === "GET" || request.method === "HEAD";
    if (name === undefined || type === undefined || !isRead) return next();
    if (request.headers.range !== undefined || !acceptsGzip(request)) return next();
    compressed(name).then(
      (bytes) => {
        response.writeHead(200, {
          ...headers,
          "content-type": type,
          "content-encoding": "gzip",
          "content-length": bytes.length,
          "cache-control": "public, max-age=31536000, immutable",
          vary: "accept-encoding",
        });
        response.end(request.method === "HEAD" ? undefined : bytes);
      },
      () => next(),
    );
  };
}

function acceptsGzip({ headers }: Connect.IncomingMessage): boolean {
  return /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/.test(String(headers["accept-encoding"] ?? ""));
}
