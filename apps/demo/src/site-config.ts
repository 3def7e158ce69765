/** Which edge this page belongs to, and what its address asks for. */

export type SiteConfig = { readonly edgeUrl: string; readonly siteKey: string };

/** From `/config.json`, so that one build serves any edge. @throws Error where the file is not there. */
export async function readSiteConfig(): Promise<SiteConfig> {
  const response = await fetch(new URL("config.json", document.baseURI));
  const config = (await response.json()) as Partial<SiteConfig>;
  if (typeof config.edgeUrl !== "string" || typeof config.siteKey !== "string") {
    throw new Error(
      "config.json must hold edgeUrl and siteKey; serve the app with its Vite config",
    );
  }
  return { edgeUrl: config.edgeUrl, siteKey: config.siteKey };
}

export type PageRequest = {
  /** Tasks to work through at once; 0 = wait for the visitor. */
  readonly simulate: number;
  /** Grants consent without asking: for machines that watch this page, never for people. */
  readonly autoConsent: boolean;
  readonly device: "auto" | "webgpu" | "wasm";
  /** Edge tools of simulated tasks run in the page instead of over MCP. */
  readonly localEdgeTools: boolean;
};

/** Automation is only heard where page and edge are on this machine. */
export function readPageRequest(search: string, isLocal: boolean): PageRequest {
  const parameters = new URLSearchParams(search);
  const simulate = parameters.get("simulate") ?? "";
  const count = simulate === "forever" ? Infinity : Math.max(0, Number.parseInt(simulate, 10) || 0);
  const device = parameters.get("device");
  return {
    simulate: isLocal ? count : 0,
    autoConsent: isLocal && parameters.has("autoconsent"),
    device: device === "webgpu" || device === "wasm" ? device : "auto",
    localEdgeTools: isLocal && parameters.get("edgetools") === "local",
  };
}

/** True for an address of this machine. */
export function isLocalAddress(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname);
}
