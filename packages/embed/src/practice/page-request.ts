/** The edge of a page, and the parameters in its address. */
import type { AgentOptions } from "../agent-options.ts";

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

/** Parameters in the page's address. */
export type PageRequest = {
  /** Tasks to work on at once; 0 = wait for the visitor. */
  readonly simulate: number;
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
  const device = parameters.get("device");
  return {
    simulate: isLocal ? countOf(parameters.get("simulate")) : 0,
    autoConsent: isLocal && parameters.has("autoconsent"),
    device: device === "webgpu" || device === "wasm" ? device : "auto",
    localEdgeTools: isLocal && parameters.get("edgetools") === "local",
    isForDeveloper: parameters.has("developer"),
  };
}

function countOf(value: string | null): number {
  return value === "forever" ? Infinity : Math.max(0, Number.parseInt(value ?? "", 10) || 0);
}

/** Whether a URL is on this machine. */
export function isLocalAddress(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname);
}
