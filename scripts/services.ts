/** Starts services of the local stack: edge Worker and trainer. */
import { existsSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fingerprint, once } from "./fingerprint.ts";
import { type LineSink, NODE, QUIET, runToEnd, whenUp } from "./programs.ts";
import type { Site } from "./site.ts";
import { type Installation, ManagedProcess, ROOT } from "./stack.ts";

const WRANGLER = join(ROOT, "node_modules", "wrangler", "bin", "wrangler.js");
const EDGE_CONFIG = join(ROOT, "workers", "edge", "wrangler.jsonc");

/** Applies pending migrations to the installation's local D1. */
export async function migrate(installation: Installation): Promise<void> {
  const persist = join(installation.folder, "edge");
  await once(
    join(installation.folder, "migrated"),
    fingerprint(["workers/edge/migrations/*.sql"]) + String(existsSync(persist)),
    () =>
      runToEnd("migrations", [
        WRANGLER,
        "d1",
        "migrations",
        "apply",
        "DB",
        "--local",
        "--persist-to",
        persist,
        "--config",
        EDGE_CONFIG,
      ]),
  );
}

/** Options of `startEdge`. */
export type EdgeOptions = {
  readonly port: number;
  /** The site whose tasks the edge assigns; default: the demo shop. */
  readonly site?: Site | undefined;
  readonly onLine?: LineSink | undefined;
  /** Overrides variables of the Worker. */
  readonly variables?: Readonly<Record<string, string>>;
};

/** Starts the edge Worker under workerd with local D1, R2, Queue and Durable Objects. */
export async function startEdge(
  installation: Installation,
  options: EdgeOptions,
): Promise<ManagedProcess> {
  const variables = {
    SITE_KEYS: installation.siteKey,
    SESSION_SECRET: installation.sessionSecret,
    TRAINER_CREDENTIAL: installation.trainerCredential,
    OPERATOR_CREDENTIAL: installation.operatorCredential,
    ALLOWED_ORIGINS: "*",
    ...(options.site === undefined
      ? { EDGE_TOOLS: "shop" }
      : { EDGE_TOOLS: "", TASK_ENVIRONMENT: options.site.name }),
    ...options.variables,
  };
  const envFile = join(installation.folder, "edge.env");
  writeFileSync(
    envFile,
    Object.entries(variables)
      .map(([name, value]) => `${name}=${JSON.stringify(value)}\n`)
      .join(""),
    { mode: 0o600 },
  );
  const edge = new ManagedProcess({
    name: "edge",
    command: NODE,
    args: [
      WRANGLER,
      "dev",
      "--config",
      EDGE_CONFIG,
      "--ip",
      "127.0.0.1",
      "--port",
      String(options.port),
      "--inspector-port",
      "0",
      "--persist-to",
      join(installation.folder, "edge"),
      "--env-file",
      envFile,
      "--show-interactive-dev-session=false",
      "--log-level",
      "warn",
    ],
    env: QUIET,
    ...(options.onLine ? { onLine: (line: string) => options.onLine?.("edge", line) } : {}),
  });
  return whenUp(edge, `http://127.0.0.1:${options.port}/healthz`);
}

/** Whether the edge on this port responds within 10 s. */
export async function isEdgeResponsive(port: number): Promise<boolean> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/healthz`, {
      signal: AbortSignal.timeout(10_000),
    });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}

/** Waits until the edge has a base model, which the trainer publishes. */
export async function untilBaseModel(edgeUrl: string, signal?: AbortSignal): Promise<void> {
  for (;;) {
    signal?.throwIfAborted();
    const response = await fetch(`${edgeUrl}/v1/policies/stable`).catch(() => null);
    await response?.body?.cancel();
    if (response?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** Options of `startTrainer`. */
export type TrainerOptions = {
  readonly edgeUrl: string;
  readonly model: string;
  /** The site whose trajectories it learns from; default: the demo shop. */
  readonly site?: Site | undefined;
  readonly args?: readonly string[];
  readonly onLine?: LineSink;
};

/** Starts the trainer. Its state is stored beside the edge's. */
export function startTrainer(installation: Installation, options: TrainerOptions): ManagedProcess {
  return new ManagedProcess({
    name: "trainer",
    command: NODE,
    args: [
      "--conditions=source",
      "--disable-warning=ExperimentalWarning",
      join(ROOT, "packages", "cli", "src", "main.ts"),
      "train-edge",
      "--edge",
      options.edgeUrl,
      "--model",
      options.model,
      "--state",
      join(installation.folder, "trainer"),
      ...(options.site === undefined ? [] : ["--env", options.site.source]),
      ...(options.args ?? []),
    ],
    env: { WAGGLE_TRAINER_CREDENTIAL: installation.trainerCredential },
    ...(options.onLine ? { onLine: (line: string) => options.onLine?.("trainer", line) } : {}),
  });
}

/** The model folder in the option; the committed nano model by default. */
export function modelFolder(option?: string): string {
  return option ?? join(ROOT, "packages", "model", "nano");
}

/** State folder for a model and a site, because different base models and sites cannot share a database. */
export function stateFolder(model?: string, site?: string): string {
  const parts = ["local", site, model === undefined ? undefined : basename(model)];
  return join(ROOT, ".waggle", parts.filter((part) => part !== undefined).join("-"));
}
