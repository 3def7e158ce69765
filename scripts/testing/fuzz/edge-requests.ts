/** Random requests to every operation that a Worker describes: valid ones, and mutations of each of their parts. */
import { gzipSync } from "node:zlib";
import { isObject, type RandomSource, seededRandom, type Trajectory } from "@waggle/protocol";
import type { AttackedEdge } from "../edge/attacked-edge.ts";
import { edgeRecord, uploadOf } from "../edge/edge-record.ts";
import type { RawRequest } from "../edge/raw-request.ts";
import { below, HOSTILE_TEXTS, mutatedBytes, mutatedJson, mutatedText, pick } from "./mutation.ts";
import { SchemaSampler } from "./schema-sample.ts";

type Json = { readonly [key: string]: unknown };
type Operation = {
  readonly method: string;
  readonly path: string;
  readonly operationId: string;
  /** Security scheme; `public` without one. */
  readonly access: string;
  readonly parameters: readonly { readonly name: string; readonly in: string }[];
  /** Media type and schema of the body; `null` without one. */
  readonly body: readonly [type: string, schema: unknown] | null;
};

/** Most bytes of a header value. A longer one is refused by the server in front of the Worker. */
const HEADER_LENGTH = 4000;

const HASH = /^[0-9a-f]{64}$/;
const UUID = /^[0-9a-f]{8}-/;
/** What path parameters look like. */
const PATH_VALUES: { readonly [name: string]: RegExp } = {
  digest: HASH,
  sha256: HASH,
  leaseId: UUID,
  visitorId: UUID,
  version: /^\d$/,
  part: /^\d$/,
  channel: /^(stable|canary)$/,
  site: /^(default|other)$/,
};

/** Changes of a request. Bodies are changed most often. */
const CHANGES = [withMethod, withPath, withHeaders, withBody, withBody, withBody] as const;

/** Draws requests from the Worker's own description. */
export class EdgeRequests {
  readonly #edge: AttackedEdge;
  readonly #operations: readonly Operation[];
  readonly #sampler: SchemaSampler;
  readonly #known: readonly string[];

  constructor(edge: AttackedEdge, description: Json, known: readonly string[]) {
    this.#edge = edge;
    this.#known = known;
    this.#operations = operationsOf(description);
    const { schemas } = description["components"] as { schemas: Json };
    this.#sampler = new SchemaSampler(schemas, known);
  }

  /** Number `index` of the requests of a seed. */
  async request(seed: number, index: number): Promise<RawRequest> {
    const random = seededRandom(seed, index);
    const operation = pick(random, this.#operations);
    const isUpload = operation.operationId === "uploadTrajectories" || random() < 0.15;
    const valid = isUpload ? await this.#upload(random) : this.#valid(operation, random);
    let changed = valid;
    for (let left = below(random, 3); left > 0; left -= 1) {
      changed = pick(random, CHANGES)(changed, random);
    }
    // Servers disagree about bodies of these, and the one in front of a local Worker fails.
    if (!/^(GET|HEAD)$/.test(changed.method)) return changed;
    return { ...changed, body: undefined, isChunked: false };
  }

  #bearer(access: string, random: RandomSource): string | null {
    const { page, neighbor, passerBy, foreigner, foreign, installation } = this.#edge;
    const pages = [page, neighbor, passerBy, foreigner].map(({ token }) => token);
    const { trainerCredential, operatorCredential } = installation;
    const own: { readonly [access: string]: readonly string[] } = {
      session: [page.token, page.token, ...pages],
      trainer: [trainerCredential, foreign.trainer],
      operator: [operatorCredential, foreign.operator],
      outcomes: [foreign.operator],
    };
    const everyone = [...pages, trainerCredential, operatorCredential, page.visitorToken];
    if (access === "public") return random() < 0.8 ? null : pick(random, everyone);
    return pick(random, random() < 0.9 ? (own[access] ?? everyone) : everyone);
  }

  #valid({ method, path, access, parameters, body }: Operation, random: RandomSource): RawRequest {
    const bearer = this.#bearer(access, random);
    const headers: Record<string, string> =
      bearer === null ? {} : { authorization: `Bearer ${bearer}` };
    const query: string[] = [];
    let filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(this.#pathValue(name, random)),
    );
    for (const { name, in: where } of parameters) {
      if (where === "path" || random() < 0.5) continue;
      const value = pick(random, [...this.#known, ...HOSTILE_TEXTS]).slice(0, HEADER_LENGTH);
      if (where === "query") query.push(`${name}=${encodeURIComponent(wellFormed(value))}`);
      else headers[name] = headerText(value);
    }
    if (query.length > 0) filled += `?${query.join("&")}`;
    if (body === null) return { method, path: filled, headers };
    const [type, schema] = body;
    const content = type.includes("json")
      ? JSON.stringify(this.#sampler.sample(schema, random))
      : pick(random, HOSTILE_TEXTS);
    return { method, path: filled, headers: { ...headers, "content-type": type }, body: content };
  }

  /** A known value, mostly one that a parameter of this name takes. */
  #pathValue(name: string, random: RandomSource): string {
    const pattern = PATH_VALUES[name];
    const fitting = this.#known.filter((value) => pattern?.test(value) ?? true);
    return pick(random, random() < 0.8 && fitting.length > 0 ? fitting : this.#known);
  }

  /** An upload whose digest is that of its changed content, so that the checks behind the digest are reached. */
  async #upload(random: RandomSource): Promise<RawRequest> {
    const record = edgeRecord(this.#edge.baseModel, null);
    const trajectories = [];
    for (let left = 1 + below(random, 3); left > 0; left -= 1) {
      const changed = random() < 0.8 ? mutatedJson(record, random) : record;
      trajectories.push(await uploadOf(changed as Trajectory));
    }
    return {
      method: "POST",
      path: "/v1/trajectories",
      headers: {
        authorization: `Bearer ${this.#bearer("session", random)}`,
        "content-type": "application/json",
      },
      body: JSON.stringify({ trajectories }),
    };
  }
}

function withMethod(request: RawRequest, random: RandomSource): RawRequest {
  const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"];
  return { ...request, method: pick(random, methods) };
}

function withPath(request: RawRequest, random: RandomSource): RawRequest {
  const { path } = request;
  const text = encodeURIComponent(wellFormed(pick(random, HOSTILE_TEXTS)));
  const cut = 1 + below(random, path.length);
  const changed = pick(random, [
    `/${path}`,
    `${path}/`,
    `${path}/../../v1/operator/summary`,
    path.replace(/\/v1/, "/%76%31"),
    `${path}%00`,
    `${path}?${text}=${text}&${text}`,
    path.toUpperCase(),
    `${path.slice(0, cut)}${text}${path.slice(cut)}`,
    `${path.slice(0, cut)}%`,
    `${path}?${"a=1&".repeat(500)}`,
  ]);
  return { ...request, path: changed };
}

function withHeaders(request: RawRequest, random: RandomSource): RawRequest {
  const text = headerText(pick(random, HOSTILE_TEXTS)).slice(0, HEADER_LENGTH);
  const [name, value] = pick<readonly [string, string]>(random, [
    ["authorization", `Bearer ${text}`],
    ["authorization", text],
    ["authorization", `Basic ${text}`],
    ["content-type", text],
    ["content-type", "application/json; charset=utf-16"],
    ["content-encoding", pick(random, ["gzip", "br", "deflate", "gzip, gzip", text])],
    ["x-waggle-site", pick(random, ["default", "other", text])],
    ["range", pick(random, ["bytes=0-", "bytes=9-1", "bytes=0-99999999999999999999", text])],
    ["if-none-match", text],
    ["origin", pick(random, ["null", "https://evil.example", text])],
    ["accept", text],
    ["cookie", text],
    ["x-forwarded-for", text],
    ["cf-connecting-ip", pick(random, ["::1", "1.2.3.4", "999.1.1.1", text])],
    ["waggle-operator", text],
    ["x-http-method-override", "DELETE"],
    ["x-filler", "a".repeat(HEADER_LENGTH)],
  ]);
  return { ...request, headers: { ...request.headers, [name]: value } };
}

function withBody(request: RawRequest, random: RandomSource): RawRequest {
  const { body } = request;
  if (typeof body !== "string" || body === "") {
    return { ...request, body: random() < 0.5 ? undefined : pick(random, HOSTILE_TEXTS) };
  }
  switch (below(random, 6)) {
    case 0:
      return { ...request, body: mutatedText(body, random) };
    case 1:
      return { ...request, body: mutatedBytes(Buffer.from(body), random) };
    case 2: {
      const packed = gzipSync(body);
      return {
        ...request,
        headers: { ...request.headers, "content-encoding": "gzip" },
        body: random() < 0.5 ? packed : mutatedBytes(packed, random),
      };
    }
    case 3:
      return { ...request, isChunked: true };
    default:
      return { ...request, body: changedJsonText(body, random) };
  }
}

function changedJsonText(body: string, random: RandomSource): string {
  try {
    return JSON.stringify(mutatedJson(JSON.parse(body), random)) ?? "";
  } catch {
    return mutatedText(body, random);
  }
}

/** Only what an HTTP header may contain. */
function headerText(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, "?");
}

/** Without half surrogates, which cannot be percent-encoded. */
function wellFormed(text: string): string {
  return text.toWellFormed();
}

function operationsOf(description: Json): Operation[] {
  return Object.entries(description["paths"] as Json).flatMap(([path, methods]) =>
    Object.entries(methods as Json).map(([method, described]): Operation => {
      const { operationId, parameters = [], security = [], requestBody } = described as Json;
      const [first] = security as readonly Json[];
      const content = isObject(requestBody) ? (requestBody["content"] as Json) : {};
      const [media] = Object.entries(content);
      return {
        method: method.toUpperCase(),
        path,
        operationId: String(operationId),
        access: first === undefined ? "public" : (Object.keys(first)[0] ?? "public"),
        parameters: parameters as Operation["parameters"],
        body: media === undefined ? null : [media[0], (media[1] as Json)["schema"]],
      };
    }),
  );
}
