/**
 * An installation of the release before there were sites, recorded by test/fixtures/release-26696fa9, after migration
 * 10: the requests that its trainer and its open page made next get the answers that they got then.
 */
import { applyD1Migrations, reset } from "cloudflare:test";
import {
  isObject,
  type OperatorSummary,
  type SessionResponse,
  trajectoryDigest,
} from "@waggle/protocol";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import installationText from "../../../../test/fixtures/release-26696fa9/installation.json?raw";
import requestsText from "../../../../test/fixtures/release-26696fa9/requests.json?raw";
import { ask, asOperator, asTrainer, bindings, call, type Upload } from "../testing/edge.ts";
import { forgetSites } from "./site-directory.ts";

type Json = null | string | number | boolean | Json[] | { [name: string]: Json };
type Recorded = {
  readonly by: "trainer" | "page";
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly headers: { readonly [name: string]: string };
  /** As base64. */
  readonly body: string;
  readonly status: number;
  readonly answer: Json;
};

const installation = JSON.parse(installationText) as {
  readonly statements: readonly string[];
  /** Bytes as base64, or only their number. */
  readonly objects: { readonly [key: string]: string | number };
};
const requests = JSON.parse(requestsText) as readonly Recorded[];
const bytesOf = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));

beforeEach(async () => {
  // The leases and tokens of the recording are valid at its time.
  vi.useFakeTimers({ toFake: ["Date"], now: requests[0]?.at ?? 0 });
  await reset();
  forgetSites();
  const { DB, OBJECTS, MIGRATIONS } = bindings;
  // As it was configured then.
  Object.assign(bindings, { TASK_ENVIRONMENT: "shop" });
  for (const sql of installation.statements) await DB.prepare(sql).run();
  await applyD1Migrations(DB, MIGRATIONS);
  for (const [key, kept] of Object.entries(installation.objects)) {
    await OBJECTS.put(key, typeof kept === "number" ? new Uint8Array(kept) : bytesOf(kept));
  }
});

afterEach(() => {
  Object.assign(bindings, { TASK_ENVIRONMENT: "rooms" });
  vi.useRealTimers();
});

/** Names that the edge draws, as they were then and as they are now. */
type Renamed = Map<string, string>;

/** A text with the names of now. */
function today(text: string, renamed: Renamed): string {
  let result = text;
  for (const [then, now] of renamed) result = result.replaceAll(then, now);
  return result;
}

const DRAWN = /^([0-9a-f]{8}-[0-9a-f-]{27}|eyJ.*|\d{4}-\d\d-\d\dT.*Z)$/;

/**
 * What of the answer of then is missing now. Ids, tokens and times may differ, and new members are allowed, because
 * clients ignore them.
 */
function missing(then: Json, now: unknown, at: string, renamed: Renamed): string[] {
  if (Array.isArray(then)) {
    if (!Array.isArray(now) || now.length !== then.length) return [`${at}: other length`];
    return then.flatMap((item, i) => missing(item, now[i], `${at}.${i}`, renamed));
  }
  if (isObject(then)) {
    if (!isObject(now)) return [`${at}: no object`];
    return Object.entries(then).flatMap(([name, value]) =>
      missing(value, now[name], `${at}.${name}`, renamed),
    );
  }
  if (then === now) return [];
  if (typeof then === "string" && renamed.get(then) === now) return [];
  if (typeof then === "string" && typeof now === "string" && DRAWN.test(then) && DRAWN.test(now)) {
    renamed.set(then, now);
    return [];
  }
  return [`${at}: ${JSON.stringify(then)} is now ${JSON.stringify(now)}`];
}

async function unpacked({ headers }: Recorded, bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  if (headers["content-encoding"] !== "gzip") return new TextDecoder().decode(bytes);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}

/** The body as the client would send it now; exactly as recorded if it names nothing that the edge drew since. */
async function bodyOf(request: Recorded, renamed: Renamed) {
  const { headers, path, body } = request;
  const bytes = bytesOf(body);
  if (headers["content-type"] !== "application/json") return { headers, raw: bytes };
  const then = await unpacked(request, bytes);
  let now = today(then, renamed);
  if (now === then) return { headers, raw: bytes };
  if (path === "/v1/trajectories") {
    const { trajectories } = JSON.parse(now) as { trajectories: Upload[] };
    for (const upload of trajectories) {
      const digest = await trajectoryDigest(upload.trajectory);
      renamed.set(upload.digest, digest);
      upload.digest = digest;
    }
    now = JSON.stringify({ trajectories });
  }
  const { "content-encoding": _, ...plain } = headers;
  return { headers: plain, raw: new TextEncoder().encode(now) };
}

/** Repeats the requests of one client. @returns differences */
async function repeat(by: Recorded["by"]): Promise<string[]> {
  const differences: string[] = [];
  const renamed: Renamed = new Map();
  const tags = new Map<string, string>();
  for (const request of requests) {
    if (request.by !== by) continue;
    vi.setSystemTime(request.at);
    const { method, path, status, answer } = request;
    const { headers, raw } = await bodyOf(request, renamed);
    const named = Object.entries(headers).map(([name, value]) => [
      name,
      name === "if-none-match" ? (tags.get(path) ?? value) : today(value, renamed),
    ]);
    const reply = await call(method, today(path, renamed), {
      headers: Object.fromEntries(named) as Record<string, string>,
      ...(raw.length === 0 ? {} : { raw }),
    });
    tags.set(path, reply.headers.get("etag") ?? "");
    const what = `${method} ${path}`;
    if (reply.status !== status) differences.push(`${what}: ${status} is now ${reply.status}`);
    else if (answer !== null) differences.push(...missing(answer, reply.body, what, renamed));
  }
  return differences;
}

test("the trainer and the open page of the previous release get the same answers as before", async () => {
  expect(await repeat("trainer")).toEqual([]);
  expect(await repeat("page")).toEqual([]);
});

test("no row, object or count of the installation is lost, and a new site sees none of them", async () => {
  const stored = installation.statements.filter((sql) =>
    sql.startsWith('INSERT INTO "trajectories"'),
  );
  const summary = await ask<OperatorSummary>("GET", "/v1/operator/summary", asOperator);
  expect(summary.trajectories.received).toBe(stored.length);
  const rows = await bindings.DB.prepare("SELECT site, objectKey FROM trajectories").all<{
    site: string;
    objectKey: string;
  }>();
  expect(new Set(rows.results.map(({ site }) => site))).toEqual(new Set(["default"]));
  for (const { objectKey } of rows.results) {
    expect(await bindings.OBJECTS.head(objectKey)).not.toBeNull();
  }
  await ask("POST", "/v1/operator/sites", { ...asOperator, body: { id: "desk" } });
  const headers = { "X-Waggle-Site": "desk" };
  const other = await call("GET", "/v1/operator/trajectories", { ...asOperator, headers });
  expect(other.body).toMatchObject({ rows: [] });
  const policies = await call("GET", "/v1/trainer/policies", { ...asTrainer, headers });
  expect(policies.status).toBe(404);
});

test("after SESSION_TTL_SECONDS the page's token is refused with 401, and its site key opens a session again", async () => {
  const used = requests.find(({ by, headers }) => by === "page" && headers["authorization"]);
  const authorization = used?.headers["authorization"] ?? "";
  vi.setSystemTime((used?.at ?? 0) + 3_600_000);
  const late = await call("POST", "/v1/assignments", { headers: { authorization } });
  expect(late.status).toBe(401);
  const body = { siteKey: "test-site" };
  const { token } = await ask<SessionResponse>("POST", "/v1/sessions", { body });
  expect((await call("POST", "/v1/assignments", { token })).status).toBe(200);
});
