/**
 * A file server over HTTP with ranges, ETags, HEAD, and faults for tests of downloads. Tests only.
 */
import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";

/** A fault for one request of a file. */
export type Fault =
  /** The connection breaks, or stalls, after this many bytes of the body. */
  | { readonly kind: "cut" | "stall"; readonly afterBytes: number }
  | { readonly kind: "status"; readonly status: number }
  /** Claims to be complete with fewer bytes than the file has. */
  | { readonly kind: "short"; readonly bytes: number };

export type ServedFile = {
  bytes: Uint8Array;
  etag?: string;
  type?: string;
  /** Sent compressed, except for ranges, which are of the bytes themselves, as from an edge. */
  isGzipped?: boolean;
  hasRanges?: boolean;
};

export class FaultServer {
  readonly files = new Map<string, ServedFile>();
  /** Faults of the next requests for a path, one each. */
  readonly faults = new Map<string, Fault[]>();
  /** `GET /path 100-`, in order. */
  readonly requests: string[] = [];
  readonly #server: Server;
  isHeadless = false;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<FaultServer> {
    const server = createServer((request, response) => self.#answer(request, response));
    const self = new FaultServer(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return self;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const path = (request.url ?? "").split("?")[0] as string;
    const range = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? "");
    this.requests.push(
      `${request.method} ${path}${range === null ? "" : ` ${range[1]}-${range[2]}`}`,
    );
    const file = this.files.get(path);
    const fault = request.method === "GET" ? this.faults.get(path)?.shift() : undefined;
    if (request.method === "HEAD" && this.isHeadless) return void response.writeHead(501).end();
    if (file === undefined) return void response.writeHead(404).end();
    if (fault?.kind === "status") return void response.writeHead(fault.status).end();
    const headers: Record<string, string> = {
      "Content-Type": file.type ?? "application/octet-stream",
      ...(file.etag !== undefined && { ETag: file.etag }),
    };
    const isGzipped = file.isGzipped === true && range === null;
    const whole = isGzipped ? gzipSync(file.bytes) : Buffer.from(file.bytes);
    if (isGzipped) headers["Content-Encoding"] = "gzip";
    const ifRange = request.headers["if-range"];
    const isPart =
      range !== null && file.hasRanges !== false && (!ifRange || ifRange === file.etag);
    const begin = isPart ? Number(range[1]) : 0;
    const end = isPart && range[2] !== "" ? Number(range[2]) + 1 : whole.length;
    if (begin >= whole.length && isPart) {
      return void response.writeHead(416, { "Content-Range": `bytes */${whole.length}` }).end();
    }
    if (isPart) headers["Content-Range"] = `bytes ${begin}-${end - 1}/${whole.length}`;
    const body = whole.subarray(begin, fault?.kind === "short" ? begin + fault.bytes : end);
    headers["Content-Length"] = String(body.length);
    response.writeHead(isPart ? 206 : 200, headers);
    if (request.method === "HEAD") return void response.end();
    if (fault?.kind !== "cut" && fault?.kind !== "stall") return void response.end(body);
    response.write(body.subarray(0, fault.afterBytes), () => {
      // Delayed, because the other side loses what it has not read when a connection breaks.
      if (fault.kind === "cut") setTimeout(() => response.destroy(), 50);
    });
  }
}
