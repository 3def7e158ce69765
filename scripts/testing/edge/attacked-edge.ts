/**
 * A Worker under workerd on this machine, with two sites, a base model and two visitors. What it stores is read from the
 * file of its database, so that a refused request that stored something is noticed.
 */
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { Agent } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import {
  type AssignmentResponse,
  type CreateSiteResponse,
  DEFAULT_SITE,
  fileListDigest,
  type PolicySignature,
  type SessionResponse,
  sha256,
} from "@waggle/protocol";
import { type SignedPolicy, signPolicy } from "@waggle/protocol/signing";
import type { ManagedProcess } from "../../../packages/dev/src/processes/managed-process.ts";
import { freePort } from "../../../packages/dev/src/processes/ports.ts";
import type { Site } from "../../../packages/dev/src/site/site.ts";
import { startEdge } from "../../../packages/dev/src/stack/edge-process.ts";
import { migrate } from "../../../packages/dev/src/stack/migrations.ts";
import {
  type Installation,
  openInstallation,
} from "../../../packages/dev/src/stack/installation.ts";
import { ROOT } from "../../root.ts";
import { EDGE_CONSENT, edgeRecord, type EdgeUpload, uploadOf } from "./edge-record.ts";
import { type RawReply, type RawRequest, sendRequest } from "./raw-request.ts";

const SITE: Site = {
  name: "attacked",
  project: ROOT,
  isWholeProject: false,
  environment: null,
  settings: {},
};
const OTHER_SITE = "other";
const OTHER_KEY = "key-of-other";
/** Settings of the other site. */
export const OTHER_SETTINGS = { siteKeys: [OTHER_KEY], taskEnvironment: "bandit" };
/**
 * Tables that change without an accepted request: those of counts and logins, and those that the Queue's consumer and the
 * alarm write. The steps of a trainer are noted even if its lease has ended.
 */
const UNWATCHED = new Set([
  "refusals",
  "uploadBytes",
  "operatorLogins",
  "assignmentBudgets",
  "taskGroups",
  "tallies",
  "versionTallies",
  "outcomeTallies",
  "deadLetters",
  "lineages",
]);
const VARIABLES = {
  TASK_ENVIRONMENT: "bandit",
  GROUP_SIZE: "4",
  MAX_UNFINISHED_GROUPS: "0",
  UNANSWERED_PER_VISITOR: "0",
  RATE_LIMIT_PER_MINUTE: "0",
  SESSIONS_PER_MINUTE: "0",
  METRICS: '{"booked":{"type":"boolean","better":"higher"}}',
};
/** Number of tokens of the base model. */
export const VOCABULARY = 100;
/** Its context, in tokens. */
export const CONTEXT = 256;

/** A page with its visitor. */
type AttackedPage = Pick<SessionResponse, "token" | "visitorId" | "visitorToken">;

/** The credentials of a site's trainer and operator. */
type Credentials = { readonly trainer: string; readonly operator: string };

/** A running Worker. */
export class AttackedEdge {
  readonly installation: Installation;
  readonly port: number;
  readonly #process: ManagedProcess;
  readonly #database: DatabaseSync;
  #counted: { readonly version: unknown; readonly rows: string } = { version: null, rows: "" };
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  /** Hash of the base model of the site `default`, and its files. */
  baseModel = "";
  baseFiles: readonly { path: string; sha256: string; sizeBytes: number }[] = [];
  /** A visitor with consent, another one, one without consent, and one of the other site. */
  page!: AttackedPage;
  neighbor!: AttackedPage;
  passerBy!: AttackedPage;
  foreigner!: AttackedPage;
  /** Of the other site alone. */
  foreign!: Credentials;

  private constructor(installation: Installation, port: number, edge: ManagedProcess) {
    this.installation = installation;
    this.port = port;
    this.#process = edge;
    const files = globSync(join(installation.folder, "edge/v3/d1/*/*.sqlite"));
    const file = files.find((one) => tablesOf(one).includes("trajectories"));
    if (file === undefined) throw new Error(`no database among ${files.join(", ")}`);
    this.#database = new DatabaseSync(file, { readOnly: true });
  }

  static async start(): Promise<AttackedEdge> {
    const installation = openInstallation(mkdtempSync(join(tmpdir(), "waggle-attacked-")), true);
    await migrate(installation, SITE);
    const port = await freePort();
    const started = await startEdge(installation, { port, site: SITE, variables: VARIABLES });
    try {
      const edge = new AttackedEdge(installation, port, started);
      await edge.#fill();
      return edge;
    } catch (error) {
      await started.stop();
      throw error;
    }
  }

  async #fill(): Promise<void> {
    const { operatorCredential } = this.installation;
    await this.registerBase();
    const site = { id: OTHER_SITE, settings: OTHER_SETTINGS };
    const path = "/v1/operator/sites";
    const created = await this.ask<CreateSiteResponse>("POST", path, operatorCredential, site);
    this.foreign = { trainer: created.trainerCredential, operator: created.operatorCredential };
    await this.openPages();
  }

  /** Stores a base model and makes it that of the site `default`. */
  async registerBase(): Promise<void> {
    const { trainerCredential } = this.installation;
    const bytes = "{}";
    const hash = await sha256(bytes);
    const files = [{ path: "config.json", sha256: hash, sizeBytes: bytes.length }];
    const baseModel = { sha256: await fileListDigest(files), files };
    this.baseModel = baseModel.sha256;
    this.baseFiles = files;
    await this.ask("PUT", `/v1/trainer/objects/${hash}`, trainerCredential, bytes);
    await this.ask("PUT", "/v1/trainer/base-model", trainerCredential, {
      baseModel,
      vocabularySize: VOCABULARY,
      contextLength: CONTEXT,
      signature: await this.sign({ version: 0, parent: null, adapter: null }),
    });
  }

  /** The publisher's signature of a version of this base model, for the site `default`. */
  sign(
    version: Pick<SignedPolicy, "version" | "parent" | "adapter">,
    privateKey: string = this.installation.publisher?.privateKey ?? "",
    signedAt: number = Date.now(),
  ): Promise<PolicySignature> {
    const { baseModel } = this;
    const terms = { signedAt, rollBackTo: [0] };
    return signPolicy(privateKey, { ...version, baseModel, site: DEFAULT_SITE }, terms);
  }

  /** Opens a session for each visitor. All but the passer-by have agreed. */
  async openPages(): Promise<void> {
    const open = async (siteKey: string) => {
      const page = await this.ask<SessionResponse>("POST", "/v1/sessions", null, { siteKey });
      await this.ask("POST", "/v1/consents", page.token, { consent: EDGE_CONSENT });
      return page;
    };
    this.page = await open(this.installation.siteKey);
    this.neighbor = await open(this.installation.siteKey);
    const visit = { siteKey: this.installation.siteKey, remember: false };
    this.passerBy = await this.ask("POST", "/v1/sessions", null, visit);
    this.foreigner = await open(OTHER_KEY);
  }

  /** Sends a request that must succeed. @returns its body */
  async ask<T>(
    method: string,
    path: string,
    bearer: string | null,
    body?: object | string,
  ): Promise<T> {
    const reply = await this.send({
      method,
      path,
      headers: {
        ...(bearer === null ? {} : { authorization: `Bearer ${bearer}` }),
        ...(typeof body === "object" ? { "content-type": "application/json" } : {}),
      },
      body: typeof body === "object" ? JSON.stringify(body) : body,
    });
    if (reply.status !== 200) throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`);
    return JSON.parse(reply.text) as T;
  }

  send(request: RawRequest): Promise<RawReply> {
    return sendRequest(this.port, request, this.#agent);
  }

  assign(page: AttackedPage = this.page): Promise<AssignmentResponse> {
    return this.ask("POST", "/v1/assignments", page.token);
  }

  /** A trajectory that would be accepted. */
  async validUpload(page: AttackedPage = this.page): Promise<EdgeUpload> {
    return uploadOf(edgeRecord(this.baseModel, await this.assign(page)));
  }

  /** The number of rows of every watched table, as JSON. */
  stored(): string {
    // Changes with every write of the Worker.
    const version = this.#database.prepare("PRAGMA data_version").get()?.["data_version"];
    if (version !== this.#counted.version) this.#counted = { version, rows: this.#countRows() };
    return this.#counted.rows;
  }

  #countRows(): string {
    const tables = this.#database
      .prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
      .all()
      .map(({ name }) => String(name))
      .filter((name) => !/^(_cf_|sqlite_|d1_)/.test(name) && !UNWATCHED.has(name));
    const rows = tables.map((name) => {
      const row = this.#database.prepare(`SELECT COUNT(*) AS n FROM "${name}"`).get();
      return [name, Number(row?.["n"])];
    });
    return JSON.stringify(Object.fromEntries(rows));
  }

  /** Resident bytes of workerd: the processes below Wrangler's. */
  memoryBytes(): number {
    return residentBytes(this.#process.child.pid ?? 0);
  }

  async stop(): Promise<void> {
    this.#agent.destroy();
    this.#database.close();
    await this.#process.stop();
    rmSync(this.installation.folder, { recursive: true, force: true });
  }
}

function tablesOf(file: string): string[] {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return database
      .prepare("SELECT name FROM sqlite_master WHERE type = 'table'")
      .all()
      .map(({ name }) => String(name));
  } finally {
    database.close();
  }
}

/** Sum over the process and its descendants whose program is workerd, from Linux's /proc; 0 elsewhere. */
function residentBytes(root: number): number {
  try {
    const children = readFileSync(`/proc/${root}/task/${root}/children`, "utf8");
    const own = /workerd/.test(readFileSync(`/proc/${root}/cmdline`, "utf8"))
      ? Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${root}/status`, "utf8"))?.[1] ?? 0)
      : 0;
    const below = children.split(" ").filter(Boolean).map(Number).map(residentBytes);
    return own * 1024 + below.reduce((sum, bytes) => sum + bytes, 0);
  } catch {
    return 0;
  }
}
