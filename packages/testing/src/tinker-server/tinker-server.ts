/**
 * A server of the Tinker API over a TrainEngine that is passed in, on 127.0.0.1. For tests of clients of
 * SkyRL and open-rl where neither runs, and of programs that use the Tinker SDK. It answers as those
 * servers do, and fails on demand. Not for training at any size: requests are worked on one at a time, and
 * only the adapters of the `open-rl` kind are kept on disk.
 */
import { createServer } from "node:http";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync, gzipSync, zstdDecompressSync } from "node:zlib";
import { isObject } from "@waggle/protocol";
import type { OptimizerOptions, TrainEngine } from "@waggle/protocol";
import { openRlRoutes } from "./open-rl-routes.ts";
import { PROTOBUF_TYPE, readPassRequest } from "./sdk-protobuf.ts";
import { sdkRoutes } from "./sdk-routes.ts";
import { skyrlRoutes } from "./skyrl-routes.ts";
import { TinkerFaults } from "./tinker-faults.ts";
import type { QueueState } from "./tinker-faults.ts";
import { TinkerRefusal } from "./tinker-reply.ts";
import type { TinkerReply, TinkerRoute } from "./tinker-reply.ts";
import { TinkerState } from "./tinker-state.ts";
import type { ExportFiles, SavedWeights, TinkerModelRequest } from "./tinker-state.ts";

/** Options of the server. */
export type TinkerServerOptions = {
  /** `sdk`: as the Tinker SDK expects its service to answer. */
  readonly flavor: "skyrl" | "open-rl" | "sdk";
  /** The one base model that it serves. */
  readonly baseModel: string;
  /** An engine for each model that a client creates; the server disposes it. */
  readonly createEngine: (request: TinkerModelRequest) => Promise<TrainEngine>;
  /** Files of an exported adapter or model, as the kind of server writes them. */
  readonly exportFiles: ExportFiles;
  /** Saved weights by path: one map for several servers is a disk that they share. */
  readonly savedWeights?: Map<string, SavedWeights>;
  /** `open-rl`: where adapters are written, its `OPEN_RL_TMP_DIR`. */
  readonly folder?: string;
  /** How long a call for a future that is pending is held, default 1000 ms. */
  readonly longPollMs?: number;
  /** A proxy before the server decompresses gzip. Neither kind does so itself. Default false. */
  readonly readsGzip?: boolean;
  /** `mean`: as SkyRL's jax backend weights `cross_entropy`. Default `sum`. */
  readonly weighting?: "sum" | "mean";
  /** `skyrl`: a second model is refused, as its FSDP and Megatron backends do. Default false. */
  readonly holdsOneModel?: boolean;
  /** `skyrl`: AdamW's settings but the rate; default those of docs/how-to/remote/skyrl-ray.yaml. */
  readonly optimizer?: Omit<OptimizerOptions, "learningRate">;
  /** `sdk`: number of tokens of the base model. Where given, the server samples. */
  readonly vocabularySize?: number;
  /** `sdk`: results of more bytes are announced before they are sent. Default: no bound. */
  readonly inlineResultBytes?: number;
  /** `sdk`: whether passes are read as JSON too, as older SDKs send them. Default true. */
  readonly readsJsonPasses?: boolean;
  /** `sdk`: whether a step reports its gradient norm. Default true. */
  readonly reportsGradientNorm?: boolean;
  /** `sdk`: flags of `client/config` (`client_config_response.py`), over the SDK's defaults. */
  readonly clientConfig?: { readonly [flag: string]: boolean | number };
  /** Where given, calls without this `X-API-Key` are refused. */
  readonly apiKey?: string;
  /** Most bytes of a body as they travel, as a proxy bounds them; default no bound. */
  readonly maxBodyBytes?: number;
};

/** One request as it came. */
export type TinkerRequest = {
  readonly method: string;
  /** Last part of the path, `forward_backward`. */
  readonly call: string;
  readonly path: string;
  readonly encoding: string | null;
  /** As they traveled. */
  readonly bytes: number;
  readonly json: unknown;
  /** Null where the connection was dropped. */
  status: number | null;
};

/** A running server of the Tinker API. */
export type TinkerServer = {
  readonly url: string;
  /** All requests since the start. */
  readonly requests: readonly TinkerRequest[];
  readonly faults: TinkerFaults;
  /** Paths of saved weights. */
  readonly savedWeights: ReadonlyMap<string, SavedWeights>;
  /** Ends and starts again. SkyRL keeps its records of models and requests unless it `forgets`. */
  readonly restart: (forgets?: boolean) => Promise<void>;
  readonly close: () => Promise<void>;
};

const SMALLEST_GZIPPED = 1024;

/** Starts a server on a free port. */
export async function createTinkerServer(options: TinkerServerOptions): Promise<TinkerServer> {
  const { flavor, savedWeights = new Map(), longPollMs = 1000 } = options;
  const optimizer = options.optimizer ?? { beta2: 0.95, weightDecay: 0, maxGradientNorm: 1 };
  const state = new TinkerState({ createEngine: options.createEngine, savedWeights });
  const faults = new TinkerFaults();
  const requests: TinkerRequest[] = [];
  const shared = { ...options, longPollMs };
  const weighting = options.weighting ?? "sum";
  const table = {
    skyrl: () => skyrlRoutes(state, { ...shared, weighting, optimizer }),
    "open-rl": () => openRlRoutes(state, { ...shared, folder: options.folder ?? "/tmp/open-rl" }),
    sdk: () => sdkRoutes(state, { ...shared, weighting }),
  }[flavor]();
  const routes = Object.entries(table).map(([pattern, route]) => ({
    match: matcher(pattern),
    route,
  }));

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const method = request.method ?? "GET";
    const path = new URL(request.url ?? "/", "http://localhost").pathname;
    const call = path.split("/").at(-1) ?? "";
    const fault = faults.take(call);
    const wire = await bodyOf(request);
    const encoding = request.headers["content-encoding"] ?? null;
    const entry: TinkerRequest = {
      method,
      call,
      path,
      encoding,
      bytes: wire.length,
      json: null,
      status: null,
    };
    requests.push(entry);
    if (fault?.kind === "drop-before") return void request.socket.destroy();
    let reply: TinkerReply;
    if (fault?.kind === "refuse") {
      if (fault.retryAfter) response.setHeader("retry-after", fault.retryAfter);
      reply = { status: fault.status, json: { detail: "as asked for" } };
    } else if (fault?.kind === "pending") {
      reply = pendingReply(flavor, fault.queueState ?? "active");
    } else {
      reply = await handled(() => {
        requireKey(request, options.apiKey);
        if (wire.length > (options.maxBodyBytes ?? Infinity)) {
          throw new TinkerRefusal(413, { detail: "Request Entity Too Large" });
        }
        const body = decoded(wire, encoding, path);
        const isPass = flavor === "sdk" && path === "/api/v1/forward_backward";
        const isProtobuf = (request.headers["content-type"] ?? "").includes(PROTOBUF_TYPE);
        if (isPass && !isProtobuf && options.readsJsonPasses === false) {
          throw new TinkerRefusal(415, { detail: `Content-Type must be ${PROTOBUF_TYPE}` });
        }
        const json = isPass && isProtobuf ? parsedPass(body) : parsed(body);
        (entry as { json: unknown }).json = json;
        return routed(method, path)(json, request.headers.accept ?? "");
      });
    }
    if (fault?.kind === "drop-after") return void request.socket.destroy();
    if (fault?.kind === "lose-answer") reply = { status: fault.status, json: null };
    entry.status = reply.status;
    write(response, reply, request.headers);
  }

  function decoded(wire: Buffer, encoding: string | null, path: string): Buffer {
    if (encoding === null) return wire;
    if (encoding === "gzip" && options.readsGzip === true) return gunzipSync(wire);
    // api.py, _read_forward_backward_request: the one body that SkyRL decompresses.
    const isReadPass = flavor !== "open-rl" && path.endsWith("/forward_backward");
    if (encoding === "zstd" && isReadPass) return zstdDecompressSync(wire);
    throw new TinkerRefusal(422, { detail: [{ type: "json_invalid", loc: ["body", 0] }] });
  }

  function routed(
    method: string,
    path: string,
  ): (json: object, accept: string) => ReturnType<TinkerRoute> {
    for (const { match, route } of routes) {
      const parts = match(method, path);
      if (parts !== null) {
        return (json, accept) => route(json as { [name: string]: unknown }, parts, accept);
      }
    }
    throw new TinkerRefusal(404, { detail: "Not Found" });
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    faults,
    savedWeights,
    restart: async (forgets = false) => {
      server.closeAllConnections();
      await state.restart(flavor !== "open-rl" && !forgets);
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await state.restart(false);
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function parsed(body: Buffer): object {
  if (body.length === 0) return {};
  const json: unknown = JSON.parse(body.toString("utf8"));
  if (isObject(json)) return json;
  throw new TinkerRefusal(422, { detail: [{ type: "model_attributes_type", loc: ["body"] }] });
}

function parsedPass(body: Buffer): object {
  try {
    return readPassRequest(body);
  } catch (error) {
    throw new TinkerRefusal(422, { detail: `Invalid protobuf body: ${String(error)}` });
  }
}

function requireKey(request: IncomingMessage, apiKey: string | undefined): void {
  if (apiKey !== undefined && request.headers["x-api-key"] !== apiKey) {
    throw new TinkerRefusal(401, { detail: "Invalid API key" });
  }
}

async function handled(work: () => ReturnType<TinkerRoute>): Promise<TinkerReply> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof TinkerRefusal) return error.reply;
    throw error;
  }
}

function write(response: ServerResponse, reply: TinkerReply, asked: IncomingHttpHeaders): void {
  response.statusCode = reply.status;
  if ("location" in reply) {
    const location = new URL(reply.location, `http://${asked.host}`).href;
    return void response.setHeader("location", location).end();
  }
  if ("bytes" in reply) {
    if (reply.type !== undefined) response.setHeader("content-type", reply.type);
    return void response.end(reply.bytes);
  }
  if (reply.status === 204) return void response.end();
  const bytes = Buffer.from(JSON.stringify(reply.json));
  response.setHeader("content-type", "application/json");
  const readsGzip = asked["accept-encoding"]?.includes("gzip") ?? false;
  if (bytes.length < SMALLEST_GZIPPED || !readsGzip) {
    return void response.end(bytes);
  }
  response.setHeader("content-encoding", "gzip").end(gzipSync(bytes));
}

function pendingReply(flavor: TinkerServerOptions["flavor"], state: QueueState): TinkerReply {
  const status = flavor === "open-rl" ? 200 : 408;
  if (flavor === "skyrl") return { status, json: { detail: "Timeout waiting for result" } };
  return { status, json: { type: "try_again", queue_state: state } };
}

/** Matches `METHOD /path/:part` and gives the parts. */
function matcher(
  pattern: string,
): (method: string, path: string) => { [name: string]: string } | null {
  const [wanted, template = ""] = pattern.split(" ");
  const names = [...template.matchAll(/:(\w+)/g)].map(([, name]) => name as string);
  const expression = new RegExp(`^${template.replace(/:\w+/g, "([^/]+)")}$`);
  return (method, path) => {
    const found = method === wanted ? expression.exec(path) : null;
    return found && Object.fromEntries(names.map((name, i) => [name, found[i + 1] as string]));
  };
}
