/** What a live run starts besides edge, page and trainer: the site's backend, and the people, in two processes. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { startBackend } from "../backend/backend-process.ts";
import type { BackendSite } from "../backend/site-backend.ts";
import { People } from "../people/people-process.ts";
import type { LivePeople } from "../people/person.ts";
import type { ManagedProcess } from "../processes/managed-process.ts";
import { freePort } from "../processes/ports.ts";
import type { LineSink } from "../processes/programs.ts";
import type { PoliciesResponse } from "@waggle/protocol";
import type { PracticedSite } from "../site/site.ts";
import type { OperatorClient } from "./operator.ts";

/** The backend of a live run. */
export type LiveBackend = {
  readonly process: ManagedProcess;
  readonly url: string;
  /** The trainer's `--tools`: the tools of the pages, which the backend runs. */
  readonly trainerArgs: readonly string[];
};

/** @param folder - gets the list of tools. */
export async function startLiveBackend(
  site: PracticedSite,
  operator: OperatorClient,
  { edgeUrl, folder, onLine }: { edgeUrl: string; folder: string; onLine: LineSink },
): Promise<LiveBackend> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const options = { ...wishesOf(site), edgeUrl, port };
  const backend = await startBackend(options, await operator.outcomesCredential(), onLine);
  const response = await fetch(`${url}/site`);
  const { tools } = (await response.json()) as BackendSite;
  const file = join(folder, "tools.json");
  writeFileSync(file, JSON.stringify(tools));
  return { process: backend, url, trainerArgs: ["--tools", file] };
}

/** What opens the pages of a live run. */
type LivePages = {
  readonly page: string;
  readonly backend: string;
  readonly pages: number;
  readonly device: "auto" | "webgpu" | "wasm";
  readonly people: LivePeople;
};

export function startPeople(site: PracticedSite, pages: LivePages, onLine: LineSink): People {
  return People.start({ ...wishesOf(site), ...pages }, onLine);
}

/** How long people go on after the time of the run, so that a running release ends. */
export const MOST_RELEASE_MS = 180_000;

/** Whether people are deciding about a version. */
export function isReleasing({ release = null }: PoliciesResponse): boolean {
  return release !== null;
}

/** The edge decides once a minute. */
const DECISION_MS = 75_000;

/**
 * Waits until the edge has ended a running release, or has decided to go on once more.
 * @returns false if it is still running
 */
export async function untilReleaseEnds(
  operator: Pick<OperatorClient, "policies">,
  { timeoutMs = DECISION_MS, pollMs = 2000 }: { timeoutMs?: number; pollMs?: number } = {},
): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    if (!isReleasing(await operator.policies())) return true;
    if (Date.now() > deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

/** Where the people's wishes and the site's state are: by name, so that this process runs none of it. */
function wishesOf({ source, environment, project }: PracticedSite): {
  environment: string;
  project: string;
} {
  return { environment: source ?? environment.name, project };
}
