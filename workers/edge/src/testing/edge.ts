/** A page, a trainer and an operator for the Worker's tests. They talk HTTP to the real Worker. */
import { applyD1Migrations, type D1Migration, reset, SELF } from "cloudflare:test";
import { env } from "cloudflare:workers";
import {
  type AssignmentResponse,
  type Consent,
  type ConsentReceipt,
  DEFAULT_SITE,
  type EvaluationResult,
  FULL_SUPPORT,
  fileListDigest,
  type LeaseResponse,
  type PoliciesResponse,
  type PolicyVersion,
  type PublishRequest,
  type SessionResponse,
  sha256,
  type Trajectory,
  trajectoryDigest,
  type UploadResponse,
} from "@waggle/protocol";
import type { Bindings } from "../settings.ts";
import { type SiteDatabase, siteDatabase } from "../sites/site-database.ts";
import { forgetSites } from "../sites/site-directory.ts";
import { recordConsent } from "../visitors/consent-receipts.ts";

/** The Worker's bindings, and those that only tests have. */
export type TestBindings = Bindings & {
  readonly MIGRATIONS: D1Migration[];
  readonly SESSION_SECRET: string;
  readonly TRAINER_CREDENTIAL: string;
  readonly OPERATOR_CREDENTIAL: string;
};

/** The bindings of this test run. */
export const bindings: TestBindings = env as unknown as TestBindings;

/** The rows of the site `default`. */
export const rows: SiteDatabase = siteDatabase(bindings.DB, DEFAULT_SITE);

/** Origin of the Worker. */
export const ORIGIN = "https://edge.example";
const VOCABULARY_SIZE = 100;

/** A response with its parsed body. */
export type Reply = { readonly status: number; readonly body: unknown; readonly headers: Headers };

/** Sends one request; an object body is sent as JSON. */
export async function call(
  method: string,
  path: string,
  options: {
    token?: string;
    body?: unknown;
    raw?: BodyInit;
    headers?: Record<string, string>;
  } = {},
): Promise<Reply> {
  const response = await SELF.fetch(ORIGIN + path, {
    method,
    headers: {
      ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
      ...(options.body === undefined ? {} : { "content-type": "application/json" }),
      ...options.headers,
    },
    body: options.raw ?? (options.body === undefined ? null : JSON.stringify(options.body)),
  });
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.includes("application/json") ?? false;
  return {
    status: response.status,
    body: isJson ? (JSON.parse(text) as unknown) : text,
    headers: response.headers,
  };
}

/** Sends a request that must succeed. @returns its body */
export async function ask<T>(...args: Parameters<typeof call>): Promise<T> {
  const reply = await call(...args);
  if (reply.status !== 200) {
    throw new Error(
      `${args[0]} ${args[1]} responded with ${reply.status}: ${JSON.stringify(reply.body)}`,
    );
  }
  return reply.body as T;
}

/** Options of `call` with the trainer's credential. */
export const asTrainer: { token: string } = { token: bindings.TRAINER_CREDENTIAL };
/** Options of `call` with the operator's credential. */
export const asOperator: { token: string } = { token: bindings.OPERATOR_CREDENTIAL };

/** Stores bytes. @returns their reference */
export async function putBytes(bytes: Uint8Array): Promise<{ sha256: string; sizeBytes: number }> {
  const hash = await sha256(bytes);
  await ask("PUT", `/v1/trainer/objects/${hash}`, { ...asTrainer, raw: bytes });
  return { sha256: hash, sizeBytes: bytes.byteLength };
}

/** On a busy machine, `reset` has left objects of an earlier test file behind. */
async function deleteObjects(): Promise<void> {
  const { objects } = await bindings.OBJECTS.list();
  if (objects.length === 0) return;
  await bindings.OBJECTS.delete(objects.map(({ key }) => key));
  await deleteObjects();
}

/** All migrations as one batch. The tests of migrations apply them one by one. */
const MIGRATION: D1Migration = {
  name: "all",
  queries: bindings.MIGRATIONS.flatMap(({ queries }) => queries),
};

/** Statements that give an empty database what the migrations made, in a third of the time. */
let asMigrated: readonly D1PreparedStatement[] | null = null;

async function migrateOnce(): Promise<void> {
  if (asMigrated !== null) {
    await bindings.DB.batch([...asMigrated]);
    return;
  }
  await applyD1Migrations(bindings.DB, [MIGRATION]);
  asMigrated = await statementsOfDatabase();
}

/** Tables and indexes first, then the rows, and last the triggers, so that they do not count these rows again. */
async function statementsOfDatabase(): Promise<D1PreparedStatement[]> {
  const { results } = await bindings.DB.prepare(
    `SELECT type, name, sql FROM sqlite_master
     WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite!_%' ESCAPE '!' AND name NOT LIKE '!_cf!_%' ESCAPE '!'
     ORDER BY type <> 'table', type`,
  ).all<{ type: string; name: string; sql: string }>();
  const tables = results.filter(({ type }) => type === "table");
  const contents = await bindings.DB.batch<Record<string, unknown>>(
    tables.map(({ name }) => bindings.DB.prepare(`SELECT * FROM "${name}"`)),
  );
  const rows = tables.flatMap(({ name }, i) =>
    (contents[i]?.results ?? []).map((row) => {
      const columns = Object.keys(row).map((column) => `"${column}"`);
      const places = columns.map((_, at) => `?${at + 1}`);
      return bindings.DB.prepare(
        `INSERT INTO "${name}" (${columns.join(", ")}) VALUES (${places.join(", ")})`,
      ).bind(...Object.values(row));
    }),
  );
  const schema = (ofTriggers: boolean): D1PreparedStatement[] =>
    results
      .filter(({ type }) => (type === "trigger") === ofTriggers)
      .map(({ sql }) => bindings.DB.prepare(sql));
  return [...schema(false), ...rows, ...schema(true)];
}

/** Migrates a fresh edge and registers a base model. @returns the model's hash */
export async function freshEdge(vocabularySize = VOCABULARY_SIZE): Promise<string> {
  await reset();
  forgetSites();
  await deleteObjects();
  await migrateOnce();
  const stored = await putBytes(new TextEncoder().encode("{}"));
  const files = [{ path: "config.json", ...stored }];
  const baseModel = { sha256: await fileListDigest(files), files };
  await ask("PUT", "/v1/trainer/base-model", {
    ...asTrainer,
    body: { baseModel, vocabularySize },
  });
  return baseModel.sha256;
}

/** An evaluation that passes the gate, compared with version `comparedWith`. */
export const passed = (comparedWith: number): EvaluationResult => ({
  tasks: 100,
  successes: 60,
  stableSuccesses: 50,
  gained: 15,
  lost: 5,
  comparedWith,
  taskSet: "test",
});

const policies = (): Promise<PoliciesResponse> => ask("GET", "/v1/trainer/policies", asTrainer);

/** A publication with a stored adapter that is unique to its step; `edit` changes it. */
export async function makePublication(
  baseModel: string,
  edit: Partial<PublishRequest> = {},
): Promise<PublishRequest> {
  const { epoch, stable } = await policies();
  const step = edit.step ?? 1;
  const stored = await putBytes(new TextEncoder().encode(`adapter ${step}`));
  return {
    publicationId: crypto.randomUUID(),
    epoch,
    parent: stable,
    baseModel,
    adapter: { ...stored, rank: 4, alpha: 8 },
    evaluation: passed(stable),
    step,
    status: "canary",
    ...edit,
  };
}

/** Publishes a child of the stable version. @throws if it does not get the number `version` */
export async function publish(version: number, baseModel: string, step = version): Promise<void> {
  const body = await makePublication(baseModel, { step });
  const given = await ask<PolicyVersion>("POST", "/v1/trainer/policies", { ...asTrainer, body });
  if (given.version !== version) throw new Error(`published as ${given.version}, not ${version}`);
}

/** The consent of `makeUpload`. */
const CONSENT: Consent = {
  version: "1",
  scopes: ["collect", "train"],
  grantedAt: "2026-11-20T12:00:00.000Z",
};

/** Records what the visitor of a session agreed to, without a request that would count. */
export function agree(token: string, consent: Consent = CONSENT): Promise<ConsentReceipt> {
  const { sub, site } = JSON.parse(atob(token.split(".")[1] ?? "")) as {
    sub: string;
    site: string;
  };
  const secret = bindings.SESSION_SECRET;
  return recordConsent(siteDatabase(bindings.DB, site), sub, { consent }, secret, Date.now());
}

/** Opens a session with a recorded consent, for the visitor of the token if there is one. */
export async function openSession(visitorToken?: string): Promise<SessionResponse> {
  const session = await ask<SessionResponse>("POST", "/v1/sessions", {
    body: { siteKey: "test-site", ...(visitorToken === undefined ? {} : { visitorToken }) },
  });
  await agree(session.token);
  return session;
}

/** A trajectory with its digest. */
export type Upload = { digest: string; trajectory: Trajectory };

/** A small valid trajectory, changed by `edit`, with its actual digest. */
export async function makeUpload(
  baseModel: string,
  assignment: AssignmentResponse | null,
  edit: Partial<Trajectory> = {},
): Promise<Upload> {
  const at = "2026-11-20T12:00:00.000Z";
  const trajectory: Trajectory = {
    schemaVersion: 1,
    id: crypto.randomUUID(),
    task: assignment?.task ?? null,
    assignmentId: assignment?.assignmentId ?? null,
    consent: CONSENT,
    client: { build: "0.1.0", backend: "wasm", device: "wasm x1", crossOriginIsolated: false },
    baseModel,
    policyVersion: 0,
    segments: [
      { kind: "given", id: "s0", parent: null, role: "user", tokenIds: [1, 2, 3] },
      {
        kind: "sampled",
        id: "s1",
        parent: "s0",
        policyVersion: 0,
        sampling: { ...FULL_SUPPORT, seed: 7 },
        grammar: null,
        tokenIds: [4, 5],
        behaviorLogProbs: [-0.5, -1.5],
        rawLogProbs: [-0.5, -1.5],
        entropies: [0.1, 0.2],
        stopReason: "stop-token",
      },
    ],
    turns: [{ segmentId: "s1", toolCalls: [], toolResults: [], parseError: null }],
    stopReason: "completed",
    terminated: true,
    truncated: false,
    startedAt: at,
    endedAt: at,
    ...edit,
  };
  return { digest: await trajectoryDigest(trajectory), trajectory };
}

/** Requests an assignment. */
export const assign = (token: string): Promise<AssignmentResponse> =>
  ask("POST", "/v1/assignments", { token });

/** Uploads trajectories, each under a recorded consent. */
export async function upload(token: string, ...trajectories: Upload[]): Promise<UploadResponse> {
  // A forgotten visitor has none.
  for (const { trajectory } of trajectories)
    await agree(token, trajectory.consent).catch(() => null);
  return ask("POST", "/v1/trajectories", { token, body: { trajectories } });
}

/** Requests an assignment and uploads its trajectory. */
export async function work(token: string, baseModel: string): Promise<Upload> {
  const example = await makeUpload(baseModel, await assign(token));
  const { results } = await upload(token, example);
  if (results[0]?.status !== "accepted") throw new Error(`got ${JSON.stringify(results)}`);
  return example;
}

/** Leases groups as the trainer. */
export const lease = (maxGroups = 10, durationSeconds = 60): Promise<LeaseResponse> =>
  ask("POST", "/v1/trainer/leases", {
    ...asTrainer,
    body: { trainerId: "test", maxGroups, durationSeconds },
  });

/** Counts rows and objects, which a refused request must not change. */
export async function stored(): Promise<{ rows: number; objects: number }> {
  const row = await bindings.DB.prepare("SELECT COUNT(*) AS n FROM trajectories").first<{
    n: number;
  }>();
  const listed = await bindings.OBJECTS.list({ prefix: "trajectories/" });
  return { rows: row?.n ?? -1, objects: listed.objects.length };
}

/** Counts of an empty store. */
export const NOTHING: { rows: number; objects: number } = { rows: 0, objects: 0 };
