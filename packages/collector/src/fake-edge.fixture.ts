/** A fake edge in memory for tests: sessions, consents, uploads, feedback, outcomes and deletion. */
import { ConsentRequest, UploadRequest, WithdrawalRequest } from "@waggle/protocol";
import type { ConsentReceipt, Feedback, Outcome, Trajectory } from "@waggle/protocol";
import type { Fetch } from "./edge-session.ts";

export type FakeEdge = {
  readonly fetch: Fetch;
  /** Every accepted trajectory by digest, with the number of times it arrived. */
  readonly stored: Map<string, { trajectory: Trajectory; arrivals: number }>;
  readonly feedback: Feedback[];
  readonly outcomes: Outcome[];
  readonly consents: ConsentRequest[];
  readonly withdrawn: ConsentReceipt[];
  readonly requests: string[];
  /** Answers to the next requests about consents, in place of the normal ones. */
  readonly nextConsents: (Response | "network")[];
  /** Answers to the next feedback, in place of the normal ones. */
  readonly nextFeedback: Response[];
  /** Answers to the next uploads, in order, in place of the normal ones. */
  readonly next: (Response | "network" | "stored-but-lost")[];
  sessions: number;
  visitorId: string;
  deleted: boolean;
  /** Whether it opens no session, because it has no site with the page's key. */
  unknownSite: boolean;
  /** Tokens that the edge refuses. */
  readonly expired: Set<string>;
  readonly rejectIds: Set<string>;
};

export function createFakeEdge(clock: () => number = Date.now): FakeEdge {
  const json = (value: unknown, status = 200): Response => Response.json(value, { status });
  const refuse = (status: number, code: string): Response =>
    json({ error: { code, message: `refused with ${code}` } }, status);

  const edge: FakeEdge = {
    stored: new Map(),
    feedback: [],
    outcomes: [],
    consents: [],
    withdrawn: [],
    requests: [],
    nextConsents: [],
    nextFeedback: [],
    next: [],
    sessions: 0,
    visitorId: "00000000-0000-4000-8000-0000000000ff",
    deleted: false,
    unknownSite: false,
    expired: new Set(),
    rejectIds: new Set(),
    async fetch(url, init = {}) {
      const path = new URL(url).pathname;
      edge.requests.push(`${init.method ?? "GET"} ${path}`);
      const headers = new Headers(init.headers);
      if (path === "/v1/sessions") {
        if (edge.unknownSite) return refuse(403, "SITE_UNKNOWN");
        edge.sessions++;
        return json({
          token: `token-${edge.sessions}`,
          expiresAt: new Date(clock() + 600_000).toISOString(),
          visitorId: edge.visitorId,
          visitorToken: "visitor",
          channel: "stable",
        });
      }
      const bearer = headers.get("authorization")?.replace("Bearer ", "") ?? "";
      if (edge.expired.has(bearer)) return refuse(401, "UNAUTHENTICATED");
      if (path === "/v1/visitor") {
        edge.deleted = true;
        return json({ deletedTrajectories: edge.stored.size, deletedFeedback: 0, learnedBy: [2] });
      }
      if (path === "/v1/feedback") {
        const answer = edge.nextFeedback.shift();
        if (answer !== undefined) return answer;
        edge.feedback.push(JSON.parse(await textOf(init, headers)) as Feedback);
        return json({});
      }
      if (path === "/v1/visitor/outcomes") {
        edge.outcomes.push(JSON.parse(await textOf(init, headers)) as Outcome);
        return json({});
      }
      if (path.startsWith("/v1/consents")) {
        const answer = edge.nextConsents.shift();
        if (answer === "network") throw new TypeError("Failed to fetch");
        if (answer !== undefined) return answer;
        const body: unknown = JSON.parse(await textOf(init, headers));
        if (path.endsWith("/withdrawals")) {
          const { receipts } = WithdrawalRequest.parse(body);
          edge.withdrawn.push(...receipts);
          return json({ withdrawn: receipts.length });
        }
        const request = ConsentRequest.parse(body);
        edge.consents.push(request);
        return json({
          site: "default",
          visitorId: edge.visitorId,
          ...request,
          recordedAt: new Date(clock()).toISOString(),
          signature: String(edge.consents.length).padStart(43, "A"),
        });
      }
      const scripted = edge.next.shift();
      if (scripted === "network") throw new TypeError("Failed to fetch");
      if (scripted instanceof Response) return scripted;
      const request = UploadRequest.parse(JSON.parse(await textOf(init, headers)));
      if (request.trajectories.some(({ trajectory }) => edge.rejectIds.has(trajectory.id))) {
        return refuse(400, "SCHEMA_INVALID");
      }
      const results = request.trajectories.map(({ digest, trajectory }) => {
        const before = edge.stored.get(digest);
        edge.stored.set(digest, { trajectory, arrivals: (before?.arrivals ?? 0) + 1 });
        return { digest, status: before === undefined ? "accepted" : "duplicate" };
      });
      if (scripted === "stored-but-lost") throw new TypeError("Failed to fetch");
      return json({ results });
    },
  };
  return edge;
}

async function textOf(init: RequestInit, headers: Headers): Promise<string> {
  const blob = new Blob([init.body as BlobPart]);
  if (headers.get("content-encoding") !== "gzip") return blob.text();
  return new Response(blob.stream().pipeThrough(new DecompressionStream("gzip"))).text();
}
