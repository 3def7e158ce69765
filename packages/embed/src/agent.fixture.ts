/** An agent with a scripted policy and an in-memory edge, for the tests of this package. */
import { createMemoryStorage } from "@waggle/collector";
import type { Fetch, KeyValueStorage, Schedule } from "@waggle/collector";
import type { CalibrationMap } from "@waggle/evaluation";
import { fileListDigest, UploadRequest } from "@waggle/protocol";
import type {
  ConsentReceipt,
  ConsentRequest,
  Feedback,
  Outcome,
  PolicyManifest,
  Trajectory,
  WithdrawalRequest,
} from "@waggle/protocol";
import { ByteTokenizer, ScriptedPolicy } from "@waggle/testing";
import type { ScriptedPolicyOptions } from "@waggle/testing";
import { createChatFormat, nanoTokenizerConfig } from "@waggle/text";
import type { ChatFormat } from "@waggle/text";
import { createAgentWith } from "./create-agent.ts";
import type { AgentOptions } from "./agent-options.ts";
import type { Agent } from "./agent.ts";

const FILES = [{ path: "config.json", sha256: "0".repeat(64), sizeBytes: 10 }];
const BASE_MODEL = await fileListDigest(FILES);

const chatFormat = createChatFormat({
  tokenizer: new ByteTokenizer(),
  tokenizerConfig: nanoTokenizerConfig(4096),
});

/** Tokens of one complete turn. */
export function say(text: string, ...calls: { name: string; arguments: object }[]): number[] {
  return chatFormat.encodeAssistant(text, calls);
}

/** The manifest of a version without an adapter. */
export function manifestOf(version: number): PolicyManifest {
  return {
    channel: "stable",
    policy: {
      version,
      parent: null,
      baseModel: BASE_MODEL,
      adapter: null,
      status: "stable",
      evaluation: null,
      step: version,
      publishedAt: "2026-11-20T00:00:00.000Z",
    },
    baseModel: { sha256: BASE_MODEL, files: FILES },
  };
}

/** The in-memory edge: what it received, and switches for its failures. */
export type MemoryEdge = {
  readonly fetch: Fetch;
  readonly trajectories: Trajectory[];
  readonly feedback: Feedback[];
  readonly outcomes: Outcome[];
  readonly receipts: ConsentReceipt[];
  readonly withdrawn: ConsentReceipt[];
  /** Of the sessions that are opened from now on. */
  visitorId: string;
  readonly paths: string[];
  version: number;
  down: boolean;
  /** False until the trainer has published a base model. */
  published: boolean;
  /** Path whose requests never get a response. */
  hanging: string | null;
  assigned: number;
  /** Seeds that come with a session. */
  requestSeeds: readonly number[];
};

/** An edge that is up and has published version 0. */
export function createMemoryEdge(): MemoryEdge {
  const edge: MemoryEdge = {
    trajectories: [],
    feedback: [],
    outcomes: [],
    receipts: [],
    withdrawn: [],
    visitorId: crypto.randomUUID(),
    paths: [],
    version: 1,
    down: false,
    published: true,
    hanging: null,
    assigned: 0,
    requestSeeds: [],
    async fetch(url, init = {}) {
      const { pathname } = new URL(url);
      if (edge.down) throw new TypeError("Failed to fetch");
      edge.paths.push(pathname);
      if (edge.hanging === pathname) return new Promise(() => undefined);
      const body = await textOf(init);
      switch (pathname) {
        case "/v1/sessions":
          return Response.json({
            token: "token",
            expiresAt: "2099-01-01T00:00:00.000Z",
            visitorId: edge.visitorId,
            visitorToken: "visitor",
            channel: "stable",
            requestSeeds: edge.requestSeeds,
          });
        case "/v1/policy":
          if (!edge.published) return notFound("there is no base model yet");
          return Response.json(manifestOf(edge.version));
        case "/v1/assignments":
          edge.assigned++;
          return Response.json({
            assignmentId: crypto.randomUUID(),
            groupId: crypto.randomUUID(),
            task: { environment: "test", seed: edge.assigned, split: "train" },
            samplingSeed: 100 + edge.assigned,
          });
        case "/v1/consents": {
          const given = JSON.parse(body) as ConsentRequest;
          const receipt: ConsentReceipt = {
            site: "default",
            visitorId: edge.visitorId,
            ...given,
            recordedAt: new Date().toISOString(),
            signature: "A".repeat(43),
          };
          edge.receipts.push(receipt);
          return Response.json(receipt);
        }
        case "/v1/consents/withdrawals": {
          const { receipts } = JSON.parse(body) as WithdrawalRequest;
          edge.withdrawn.push(...receipts);
          return Response.json({ withdrawn: receipts.length });
        }
        case "/v1/trajectories": {
          const { trajectories } = UploadRequest.parse(JSON.parse(body));
          edge.trajectories.push(...trajectories.map(({ trajectory }) => trajectory));
          return Response.json({
            results: trajectories.map(({ digest }) => ({ digest, status: "accepted" })),
          });
        }
        case "/v1/feedback":
          edge.feedback.push(JSON.parse(body) as Feedback);
          return Response.json({});
        case "/v1/visitor/outcomes":
          edge.outcomes.push(JSON.parse(body) as Outcome);
          return Response.json({});
        case "/v1/visitor":
          if (init.method !== "DELETE") return new Response(storedPage(edge, url));
          return Response.json({ deletedTrajectories: 1, deletedFeedback: 0, learnedBy: [] });
        default:
          return notFound(pathname);
      }
    },
  };
  return edge;
}

/** What the edge has of the visitor: counts on the first page, and then one page with all trajectories. */
function storedPage({ trajectories, feedback }: MemoryEdge, url: string): string {
  const lines = url.endsWith("?after=trajectory.")
    ? [...trajectories.map((trajectory) => ({ kind: "trajectory", trajectory })), { kind: "end" }]
    : [
        { kind: "visitor", trajectories: trajectories.length, feedback: feedback.length },
        { kind: "next", after: "trajectory." },
      ];
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

function notFound(message: string): Response {
  return Response.json({ error: { code: "NOT_FOUND", message } }, { status: 404 });
}

async function textOf(init: RequestInit): Promise<string> {
  if (init.body === undefined || init.body === null) return "";
  const blob = new Blob([init.body as BlobPart]);
  if (new Headers(init.headers).get("content-encoding") !== "gzip") return blob.text();
  return new Response(blob.stream().pipeThrough(new DecompressionStream("gzip"))).text();
}

/** A page with its agent, edge and policy. */
export type Page = {
  readonly agent: Agent;
  readonly edge: MemoryEdge;
  readonly policy: ScriptedPolicy;
  readonly storage: KeyValueStorage;
};

/** Agent options, and scripted turns of the policy. */
export type PageOptions = Partial<AgentOptions> & {
  readonly turns?: ScriptedPolicyOptions["turns"];
  /** Default: the format of `say`. */
  readonly chatFormat?: ChatFormat;
  readonly beforeToken?: ScriptedPolicyOptions["beforeToken"];
  /** Default: none. */
  readonly calibration?: CalibrationMap;
  readonly edge?: MemoryEdge;
  readonly storage?: KeyValueStorage;
  readonly tabStorage?: KeyValueStorage;
  readonly outboxName?: string;
  readonly schedule?: Schedule;
};

/** Opens a page on a new in-memory edge unless one is given. */
export function openPage(options: PageOptions = {}): Page {
  const {
    turns = [],
    beforeToken,
    chatFormat: format = chatFormat,
    calibration = null,
    ...agentOptions
  } = options;
  const edge = options.edge ?? createMemoryEdge();
  const storage = options.storage ?? createMemoryStorage();
  const policy = new ScriptedPolicy({ turns, ...(beforeToken ? { beforeToken } : {}) });
  const agent = createAgentWith(
    {
      edgeUrl: "https://edge.example",
      siteKey: "site",
      limits: { maxTokensPerTurn: 1000, timeoutMs: 0 },
      policyIntervalMs: 0,
      ...agentOptions,
    },
    {
      storage,
      tabStorage: options.tabStorage ?? createMemoryStorage(),
      fetch: edge.fetch,
      schedule: options.schedule,
      outboxName: options.outboxName ?? crypto.randomUUID(),
      seed: () => 7,
      openHost: async (readManifest) => {
        policy.currentVersion = (await readManifest()).policy.version;
        return {
          kind: "policy",
          guide: () => null,
          startsAlike: () => true,
          followsSite: true,
          policy,
          chatFormat: format,
          client: {
            build: "0",
            backend: "scripted",
            device: "script",
            crossOriginIsolated: false,
          },
          baseModel: BASE_MODEL,
          calibration,
          adopt: (next) => {
            policy.currentVersion = next.policy.version;
            return Promise.resolve();
          },
          dispose: () => policy.dispose(),
        };
      },
    },
  );
  return { agent, edge, policy, storage };
}

/** Resolves once `holds` returns true. It is checked after each change of the agent. */
export async function until(agent: Agent, holds: () => boolean | Promise<boolean>): Promise<void> {
  let wake: () => void = () => undefined;
  // Created before the first check, so that no change between check and wait is missed.
  let changed = new Promise<void>((resolve) => (wake = resolve));
  const leave = agent.onChange(() => wake());
  while (!(await holds())) {
    await changed;
    changed = new Promise<void>((resolve) => (wake = resolve));
  }
  leave();
}
