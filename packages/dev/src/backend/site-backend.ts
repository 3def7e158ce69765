/**
 * The backend of the site of a live run: it runs the tools of the pages on what each visit has there, shows a visitor what the
 * assistant did, and reports outcomes to the edge with the site's own credential.
 */
import { randomUUID } from "node:crypto";
import type { EnvironmentSpec } from "@waggle/environments";
import { TaskReference, type ToolDefinition } from "@waggle/protocol";
import { type Errand, openErrand, type SiteCall } from "../people/errand.ts";

/** Options of `createSiteBackend`. */
export type BackendOptions = {
  readonly spec: Pick<
    EnvironmentSpec,
    "name" | "create" | "reference" | "maxTurns" | "maxTurnTokens"
  >;
  /** Reports outcomes to the edge. */
  readonly report: (outcomes: readonly object[]) => Promise<void>;
};

/** What a site says about itself to its pages. */
export type BackendSite = {
  readonly name: string;
  readonly system: string;
  readonly tools: readonly ToolDefinition[];
  readonly limits: { readonly maxTurns: number; readonly maxTokensPerTurn?: number };
};

/** Answers requests of pages and of visitors. */
export type SiteBackend = (request: Request) => Promise<Response>;

/** Pages come from another origin than the backend, as in many sites. */
const HEADERS = {
  "access-control-allow-origin": "*",
  "access-control-allow-headers": "content-type",
  "cross-origin-resource-policy": "cross-origin",
};

/** A visitor tells the site whether a request was solved. */
type Solved = { readonly trajectoryId: string; readonly solved: boolean };

/** What one visit has at the site. */
type Visit = { readonly errand: Errand; readonly calls: SiteCall[] };

export async function createSiteBackend({ spec, report }: BackendOptions): Promise<SiteBackend> {
  const { first } = await openErrand(spec, spec.reference(0, "train", 0));
  const { name, maxTurns, maxTurnTokens } = spec;
  const site: BackendSite = {
    name,
    system: first.system,
    tools: first.tools,
    limits: {
      maxTurns,
      ...(maxTurnTokens === undefined ? {} : { maxTokensPerTurn: maxTurnTokens }),
    },
  };
  const visits = new Map<string, Visit>();
  const json = (body: unknown, status = 200): Response =>
    Response.json(body, { status, headers: HEADERS });

  /** A failed call is an answer, which the model reads. */
  async function call({ errand, calls }: Visit, asked: SiteCall): Promise<Response> {
    calls.push(asked);
    try {
      return json({ ok: true, value: await errand.call(asked) });
    } catch (error) {
      return json({ ok: false, message: error instanceof Error ? error.message : String(error) });
    }
  }

  return async (request) => {
    const { method } = request;
    if (method === "OPTIONS") return new Response(null, { headers: HEADERS });
    const [, what = "", id = "", more = ""] = new URL(request.url).pathname.split("/");
    const isPost = method === "POST";
    if (what === "site") return json(site);
    if (what === "solved" && isPost) {
      const { trajectoryId, solved } = (await request.json()) as Solved;
      const at = new Date().toISOString();
      await report([{ id: randomUUID(), trajectoryId, metric: "solved", value: solved, at }]);
      return json({});
    }
    if (what === "visits" && isPost && more === "") {
      const errand = await openErrand(spec, TaskReference.parse(await request.json()));
      visits.set(id, { errand, calls: [] });
      return json({});
    }
    const visit = visits.get(id);
    if (what !== "visits" || more !== "calls" || visit === undefined) {
      return json({ message: "no such route or visit" }, 404);
    }
    return isPost ? call(visit, (await request.json()) as SiteCall) : json(visit.calls);
  };
}
