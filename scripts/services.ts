/** Starts services of the local stack: edge Worker, trainer, and built sites. */
import { createHash } from "node:crypto";
import { existsSync, globSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { type Installation, ManagedProcess, ROOT, waitForHttp } from "./stack.ts";

const NODE = process.execPath;
const WRANGLER = join(ROOT, "node_modules", "wrangler", "bin", "wrangler.js");
const VITE = join(ROOT, "node_modules", "vite", "bin", "vite.js");
const EDGE_CONFIG = join(ROOT, "workers", "edge", "wrangler.jsonc");

const QUIET = {
  WRANGLER_SEND_METRICS: "false",
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
  // Use workspace packages from source, so that nothing has to be built first.
  WRANGLER_BUILD_CONDITIONS: "source,workerd,worker,browser",
  CI: "true",
  NO_COLOR: "1",
  FORCE_COLOR: "0",
};

/** Receives one line of a service's output. */
export type LineSink = (name: string, line: string) => void;

async function runToEnd(name: string, args: readonly string[], onLine?: LineSink): Promise<void> {
  const child = new ManagedProcess({
    name,
    command: NODE,
    args,
    // A test runner's NODE_ENV would give a development build without a service worker and with larger libraries.
    env: { ...QUIET, NODE_ENV: "production" },
    ...(onLine ? { onLine: (line: string) => onLine(name, line) } : {}),
  });
  const code = await child.exited;
  if (code !== 0) throw new Error(`${name} failed with ${child.ending}:\n${child.tail.join("\n")}`);
}

/** Sha256 of the paths, sizes and times of matching files. Cheap, and good enough to skip repeated work. */
function fingerprint(patterns: readonly string[]): string {
  const hash = createHash("sha256");
  for (const file of patterns.flatMap((pattern) => globSync(pattern, { cwd: ROOT })).sort()) {
    const { size, mtimeMs } = statSync(join(ROOT, file));
    hash.update(`${file} ${size} ${mtimeMs}\n`);
  }
  return hash.digest("hex");
}

/** Runs `work` unless it already ran with the same fingerprint. */
async function once(marker: string, print: string, work: () => Promise<void>): Promise<boolean> {
  if (existsSync(marker) && readFileSync(marker, "utf8") === print) return false;
  await work();
  mkdirSync(join(marker, ".."), { recursive: true });
  writeFileSync(marker, print);
  return true;
}

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
  readonly onLine?: LineSink;
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
    EDGE_TOOLS: "shop",
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

/** Returns the process once it responds; ends it if it does not. */
async function whenUp(child: ManagedProcess, url: string): Promise<ManagedProcess> {
  try {
    await waitForHttp(url, child);
    return child;
  } catch (error) {
    await child.stop();
    throw error;
  }
}

/** Options of `startTrainer`. */
export type TrainerOptions = {
  readonly edgeUrl: string;
  readonly model: string;
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
      ...(options.args ?? []),
    ],
    env: { WAGGLE_TRAINER_CREDENTIAL: installation.trainerCredential },
    ...(options.onLine ? { onLine: (line: string) => options.onLine?.("trainer", line) } : {}),
  });
}

/** Builds an app with Vite if its sources changed. */
export async function buildSite(app: "demo" | "dashboard", onLine?: LineSink): Promise<void> {
  const folder = join(ROOT, "apps", app);
  const print = fingerprint([
    `apps/${app}/{src,public}/**/*`,
    `apps/${app}/*.*`,
    "packages/*/src/**/*.ts",
  ]);
  const built = existsSync(join(folder, "dist", "index.html"));
  await once(join(ROOT, ".waggle", `built-${app}`), print + String(built || "missing"), () =>
    runToEnd(
      `build ${app}`,
      [VITE, "build", folder, "--config", join(folder, "vite.config.ts"), "--logLevel", "warn"],
      onLine,
    ),
  );
}

/** Options of `startSite`. */
export type SiteOptions = {
  readonly port: number;
  readonly edgeUrl: string;
  /** Serve with headers for cross-origin isolation; default true. */
  readonly isolated?: boolean;
  readonly onLine?: LineSink;
};

/** Serves a built app. */
export async function startSite(
  app: "demo" | "dashboard",
  options: SiteOptions,
): Promise<ManagedProcess> {
  const folder = join(ROOT, "apps", app);
  const site = new ManagedProcess({
    name: app,
    command: NODE,
    args: [
      VITE,
      "preview",
      folder,
      "--config",
      join(folder, "vite.config.ts"),
      "--host",
      "127.0.0.1",
      "--port",
      String(options.port),
      "--strictPort",
      "--logLevel",
      "warn",
    ],
    env: {
      ...QUIET,
      WAGGLE_EDGE_URL: options.edgeUrl,
      WAGGLE_ISOLATION: options.isolated === false ? "off" : "on",
    },
    ...(options.onLine ? { onLine: (line: string) => options.onLine?.(app, line) } : {}),
  });
  return whenUp(site, `http://127.0.0.1:${options.port}/`);
}

/** The model folder in the option; the committed nano model by default. */
export function modelFolder(option?: string): string {
  return option ?? join(ROOT, "packages", "model", "nano");
}

/** State folder for a model, because different base models cannot share a database. */
export function stateFolder(model?: string): string {
  return join(ROOT, ".waggle", model === undefined ? "local" : `local-${basename(model)}`);
}
