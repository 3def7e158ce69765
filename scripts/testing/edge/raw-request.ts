/** HTTP requests that are sent as they are: paths are not normalized, and headers may contradict the body. */
import { type Agent, request } from "node:http";

/** A request. */
export type RawRequest = {
  readonly method: string;
  /** As it is sent, with its query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string | Uint8Array | undefined;
  /** Sends the body in chunks, without its length. */
  readonly isChunked?: boolean;
};

/** What the server said. */
export type RawReply = {
  readonly status: number;
  /** Code of an error body; `null` without one. */
  readonly code: string | null;
  readonly text: string;
};

/** Longest wait for an answer. The machine may be busy with other work. */
const PATIENCE_MS = 60_000;

/**
 * Sends a request.
 *
 * @throws Error if the connection breaks, or without an answer in time.
 */
export function sendRequest(
  port: number,
  { method, path, headers = {}, body, isChunked = false }: RawRequest,
  agent?: Agent,
): Promise<RawReply> {
  return new Promise((resolve, reject) => {
    let isAnswered = false;
    const sent = request(
      {
        host: "127.0.0.1",
        port,
        method,
        path,
        timeout: PATIENCE_MS,
        headers: {
          ...(body === undefined || isChunked
            ? {}
            : { "content-length": String(Buffer.byteLength(body)) }),
          ...(isChunked ? { "transfer-encoding": "chunked" } : {}),
          ...headers,
        },
        ...(agent === undefined ? {} : { agent }),
      },
      (response) => {
        isAnswered = true;
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () =>
          resolve(replyOf(response.statusCode ?? 0, Buffer.concat(chunks).toString())),
        );
      },
    );
    sent.on("timeout", () =>
      sent.destroy(new Error(`${method} ${path.slice(0, 80)} had no answer in ${PATIENCE_MS} ms`)),
    );
    sent.on("error", (error: NodeJS.ErrnoException) => {
      // A server may answer, and close the connection, before it has read the whole body.
      if (isAnswered) return;
      // The server may close a connection that was kept open at the moment at which it is used again.
      const isStale = sent.reusedSocket && error.code === "ECONNRESET";
      if (isStale)
        sendRequest(port, { method, path, headers, body, isChunked }).then(resolve, reject);
      else reject(error);
    });
    sent.end(body);
  });
}

function replyOf(status: number, text: string): RawReply {
  return { status, code: /"code":"([A-Z_]+)"/.exec(text)?.[1] ?? null, text };
}
