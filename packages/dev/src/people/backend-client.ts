/** The site's backend, as a person's visit uses it. */
import type { TaskReference } from "@waggle/protocol";
import type { SiteCall } from "./errand.ts";
import type { HandledBackend } from "./visit.ts";

/** @param backend - address. @param visit - names the visit there. */
export function backendClient(backend: string, visit: string): HandledBackend {
  const call = async (path: string, body?: unknown): Promise<unknown> => {
    const response = await fetch(`${backend}${path}`, {
      ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
      headers: { "content-type": "application/json" },
    });
    if (!response.ok) {
      throw new Error(`the site's backend responded with status ${response.status} to ${path}`);
    }
    return response.json();
  };
  return {
    begin: async (reference: TaskReference) => void (await call(`/visits/${visit}`, reference)),
    calls: async () => (await call(`/visits/${visit}/calls`)) as readonly SiteCall[],
    tell: async (trajectoryId, solved) => void (await call("/solved", { trajectoryId, solved })),
  };
}
