/** The edge Worker of a local installation, under workerd with local D1, R2, Queue and Durable Objects. */
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { toolFile } from "../processes/installed.ts";
import type { ManagedProcess } from "../processes/managed-process.ts";
import { type LineSink, NODE, startProgram, whenUp } from "../processes/programs.ts";
import type { Site } from "../site/site.ts";
import { writeWorkerProject } from "./worker-project.ts";
import { edgeValues } from "./edge-values.ts";
import { envFileText } from "./env-file.ts";
import type { Installation } from "./installation.ts";

/** The program `wrangler`, in the project's own version if it has one. */
export function wranglerProgram(project: string): string {
  return join(dirname(toolFile("wrangler/package.json", project)), "bin", "wrangler.js");
}

/** Folder with everything that the edge stores. */
export const edgeStorage = ({ folder }: Installation): string => join(folder, "edge");

/** Options of `startEdge`. */
export type EdgeOptions = {
  readonly port: number;
  /** The site `default`. */
  readonly site: Site;
  /** Other sites whose code the Worker has. */
  readonly others?: readonly Site[];
  readonly onLine?: LineSink | undefined;
  /** Overrides variables of the Worker. */
  readonly variables?: Readonly<Record<string, string>>;
};

/** Starts the edge. */
export async function startEdge(
  installation: Installation,
  { port, site, others = [], onLine, variables }: EdgeOptions,
): Promise<ManagedProcess> {
  const values = edgeValues(installation, site, variables);
  const envFile = join(installation.folder, "edge.env");
  writeFileSync(envFile, envFileText(values), { mode: 0o600 });
  const edge = startProgram({
    name: "edge",
    command: NODE,
    args: [
      wranglerProgram(site.project),
      "dev",
      "--config",
      writeWorkerProject(join(installation.folder, "worker"), [site, ...others]),
      "--ip",
      "127.0.0.1",
      "--port",
      String(port),
      "--inspector-port",
      "0",
      "--persist-to",
      edgeStorage(installation),
      "--env-file",
      envFile,
      "--show-interactive-dev-session=false",
      "--log-level",
      "warn",
    ],
    onLine,
  });
  return whenUp(edge, `http://127.0.0.1:${port}/healthz`);
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
    if (response?.ok === true) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
