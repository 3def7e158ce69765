/** The edge of a page, and the parameters in its address. */
import type { AgentOptions } from "../agent-options.ts";
import { randomSeed } from "../random-seed.ts";

/** The site's edge, its public key, and who signs its versions. */
export type SiteConfig = Pick<AgentOptions, "edgeUrl" | "siteKey" | "publisher">;

/** Reads `/config.json`, so that one build serves any edge. @throws Error if the file is missing. */
export async function readSiteConfig(): Promise<SiteConfig> {
  const response = await fetch(new URL("config.json", document.baseURI));
  const config = (await response.json()) as Partial<SiteConfig>;
  if (typeof config.edgeUrl !== "string" || typeof config.siteKey !== "string") {
    throw new Error("config.json has no edgeUrl or no siteKey; serve it beside the page");
  }
  const { edgeUrl, siteKey, publisher } = config;
  return { edgeUrl, siteKey, ...(publisher === undefined ? {} : { publisher }) };
}

/** How people say how an answer was: a thumb, an outcome of the site's metric `solved`, or their next message. */
const PEOPLE_SIGNALS = ["thumb", "outcome", "message"] as const;
type PeopleSignal = (typeof PEOPLE_SIGNALS)[number];

/** Simulated people who type requests of their own. Programs ask for them; a practice page runs them. */
export type PeopleRequest = {
  /** People, one after another; `Infinity` continues until stopped. */
  readonly count: number;
  readonly signal: PeopleSignal;
  /** Share of people that say how the answer was at a success rate of one half, in [0, 1]. */
  readonly answering: number;
  /** Probability that a person says the opposite, in [0, 1]. At 0.5 it carries no information. */
  readonly wrong: number;
  /** Decides tasks and what people say. Pages with the same seed have the same people. */
  readonly seed: number;
};

/** Parameters in the page's address. */
export type PageRequest = {
  /** Tasks to work on at once; 0 = wait for the visitor. */
  readonly simulate: number;
  /** `null`: none. */
  readonly people: PeopleRequest | null;
  /** Grants consent without asking. For programs that drive this page, never for people. */
  readonly autoConsent: boolean;
  readonly device: "auto" | "webgpu" | "wasm";
  /** Runs edge tools of simulated tasks in the page instead of over MCP. */
  readonly localEdgeTools: boolean;
  /** Shows arguments, results, versions, JSON and the back end in the panel. */
  readonly isForDeveloper: boolean;
};

/** Reads the parameters. Automation is accepted only if page and edge are on this machine. */
export function readPageRequest(search: string, isLocal: boolean): PageRequest {
  const parameters = new URLSearchParams(search);
  const people = countOf(parameters.get("people"));
  const device = parameters.get("device");
  return {
    simulate: isLocal ? countOf(parameters.get("simulate")) : 0,
    people: isLocal && people > 0 ? peopleIn(parameters, people) : null,
    autoConsent: isLocal && parameters.has("autoconsent"),
    device: device === "webgpu" || device === "wasm" ? device : "auto",
    localEdgeTools: isLocal && parameters.get("edgetools") === "local",
    isForDeveloper: parameters.has("developer"),
  };
}

/** Half of the people answer, and 15 % of their answers are wrong. */
const DEFAULT_ANSWERING = 0.5;
const DEFAULT_WRONG = 0.15;

function peopleIn(parameters: URLSearchParams, count: number): PeopleRequest {
  const seed = Number.parseInt(parameters.get("seed") ?? "", 10);
  const signal = parameters.get("signal");
  return {
    count,
    signal: PEOPLE_SIGNALS.find((known) => known === signal) ?? "thumb",
    answering: shareOf(parameters.get("answering")) ?? DEFAULT_ANSWERING,
    wrong: shareOf(parameters.get("wrong")) ?? DEFAULT_WRONG,
    seed: Number.isSafeInteger(seed) ? seed : randomSeed(),
  };
}

function countOf(value: string | null): number {
  return value === "forever" ? Infinity : Math.max(0, Number.parseInt(value ?? "", 10) || 0);
}

/** A number in [0, 1]; `null` for anything else. */
function shareOf(value: string | null): number | null {
  const share = Number.parseFloat(value ?? "");
  return share >= 0 && share <= 1 ? share : null;
}

/** Whether a URL is on this machine. */
export function isLocalAddress(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname);
}
