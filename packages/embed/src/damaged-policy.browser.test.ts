/** Unusable adapters in real pages: on a first visit, on a later visit, and in a page that is already open. */
import { createMemoryStorage } from "@waggle/collector";
import type { Fetch, KeyValueStorage } from "@waggle/collector";
import {
  describeModelFolder,
  initializeAdapter,
  parseDecoderConfig,
  writeAdapter,
} from "@waggle/model";
import { sha256 } from "@waggle/protocol";
import type { AdapterReference, BaseModelReference, PolicyManifest } from "@waggle/protocol";
import { expect } from "vitest";
import { firstManifest, newSession } from "../../../test/fixtures/edge-answers.ts";
import { fault } from "../../../test/fixtures/fault.ts";
import { sampleSize } from "../../../test/fixtures/long.ts";
import { llamaFolder } from "../../../test/fixtures/llama-folder.ts";
import type { Agent } from "./agent.ts";
import { createAgentWith } from "./create-agent.ts";
import { DEFAULT_AGENT_TEXTS } from "./agent-texts.ts";
import { createPolicyHostOpener } from "./policy-host.ts";

const folder = llamaFolder();
const configFile = folder.find(({ path }) => path === "config.json");
const config = parseDecoderConfig(JSON.parse(new TextDecoder().decode(configFile?.bytes)));
const RANK = 4;

/** An in-memory edge whose published policy a test changes. */
class Edge {
  readonly objects = new Map<string, Uint8Array>();
  baseModel: BaseModelReference | null = null;
  adapter: AdapterReference | null = null;
  version = 0;
  silenced = false;

  static async open(): Promise<Edge> {
    const edge = new Edge();
    edge.baseModel = await describeModelFolder(folder);
    for (const { path, sha256: hash } of edge.baseModel.files) {
      edge.objects.set(hash, folder.find((file) => file.path === path)?.bytes ?? new Uint8Array());
    }
    return edge;
  }

  /** Publishes `bytes` as the next version. Pages that request their hash get `served`. */
  async publish(bytes: Uint8Array, served: Uint8Array | null = bytes): Promise<void> {
    const hash = await sha256(bytes);
    this.adapter = { sha256: hash, sizeBytes: bytes.length, rank: RANK, alpha: 8 };
    this.version++;
    if (served !== null) this.objects.set(hash, served);
  }

  /** Publishes the base again, as the operator's kill switch does. */
  publishBase(): void {
    this.adapter = null;
    this.version = 0;
  }

  readonly fetch: Fetch = (url) => {
    const { pathname } = new URL(url);
    if (pathname === "/v1/sessions") return Promise.resolve(Response.json(newSession()));
    if (pathname === "/v1/policy") return Promise.resolve(Response.json(this.#manifest()));
    const hash = pathname.split("/").at(-1) ?? "";
    const bytes = this.objects.get(hash);
    return Promise.resolve(
      bytes === undefined
        ? new Response("{}", { status: 404 })
        : new Response(bytes as Uint8Array<ArrayBuffer>),
    );
  };

  #manifest(): PolicyManifest {
    if (this.baseModel === null) throw new Error("the edge is not open");
    const { policy, ...manifest } = firstManifest(this.baseModel);
    return {
      ...manifest,
      policy: {
        ...policy,
        version: this.version,
        parent: this.version === 0 ? null : 0,
        adapter: this.adapter,
        step: this.version,
      },
      ...(this.silenced ? { silenced: true as const } : {}),
    };
  }
}

function openPage(edge: Edge, storage: KeyValueStorage): Agent {
  const edgeUrl = "https://edge.example";
  const { fetch } = edge;
  return createAgentWith(
    {
      edgeUrl,
      siteKey: "site",
      limits: { maxTokensPerTurn: 8, maxTurns: 1 },
      policyIntervalMs: 0,
    },
    {
      storage,
      fetch,
      outboxName: crypto.randomUUID(),
      openHost: createPolicyHostOpener({ edgeUrl, fetch, device: "wasm" }),
    },
  );
}

let seed = 0;
const good = (): Uint8Array =>
  writeAdapter(initializeAdapter(config, { rank: RANK, alpha: 8, seed: ++seed }), config);

function withNaN(): Uint8Array {
  const bytes = good();
  // The last four bytes belong to the last tensor.
  new DataView(bytes.buffer, bytes.byteOffset).setFloat32(bytes.length - 4, NaN, true);
  return bytes;
}

const DAMAGES: readonly (readonly [string, (edge: Edge) => Promise<void>])[] = [
  ["other bytes than the hash says", (edge) => edge.publish(good(), withNaN())],
  ["a weight that is NaN", (edge) => edge.publish(withNaN())],
  ["an adapter that the edge does not have", (edge) => edge.publish(good(), null)],
  ["half of the bytes", (edge) => edge.publish(good(), good().slice(0, 1000))],
  ["text in place of an adapter", (edge) => edge.publish(new TextEncoder().encode("<html>"))],
  [
    "another rank than the manifest says",
    (edge) =>
      edge.publish(writeAdapter(initializeAdapter(config, { rank: 2, alpha: 8, seed: 1 }), config)),
  ],
];

const answers = async (agent: Agent): Promise<boolean> =>
  (await agent.send("Hi").finished).stopReason !== "aborted";

fault(
  "a page answers with the last good policy if the published one is damaged",
  {
    item: "2.4",
    before: "6 of 6 fresh pages had no assistant",
    timeoutMs: 120_000,
  },
  async () => {
    const edge = await Edge.open();
    const storage = createMemoryStorage();
    await edge.publish(good());
    const open = openPage(edge, storage);
    await open.ready;
    const agents = [open];
    let changes = 0;
    open.onChange(() => changes++);
    for (const [what, damage] of DAMAGES.slice(0, sampleSize(2, DAMAGES.length))) {
      await damage(edge);
      changes = 0;
      for (let check = 0; check < 3; check++) await open.checkPolicy();
      // Reported once, and not retried at every check.
      expect({ what, changes }).toEqual({ what, changes: 1 });
      const again = openPage(edge, storage);
      const fresh = openPage(edge, createMemoryStorage());
      await Promise.all([again.ready, fresh.ready]);
      const versions = [open, again, fresh].map(({ policyVersion }) => policyVersion);
      expect({ what, versions }).toEqual({ what, versions: [1, 1, 0] });
      agents.push(again, fresh);
    }
    let answered = 0;
    for (const agent of agents) {
      const { phase, error, policyFailure } = agent.status;
      expect({ phase, error, failed: policyFailure !== null }).toEqual({
        phase: "ready",
        error: null,
        failed: true,
      });
      if (await answers(agent)) answered++;
      await agent.dispose();
    }
    expect(answered).toBe(agents.length);
    return { after: `${answered} of ${agents.length} pages answer` };
  },
);

fault(
  "a silenced page refuses requests and answers again when the switch is lifted",
  { item: "7.2", before: "no switch: an open page went on answering", timeoutMs: 60_000 },
  async () => {
    const edge = await Edge.open();
    await edge.publish(good());
    const agent = openPage(edge, createMemoryStorage());
    await agent.ready;
    expect(await answers(agent)).toBe(true);
    const { adapter } = edge;
    edge.publishBase();
    edge.silenced = true;
    await agent.checkPolicy();
    expect(agent.status).toMatchObject({ phase: "ready", silenced: true });
    let refused = 0;
    for (let request = 0; request < 3; request++) {
      await agent.send("Hi").finished.catch((error: unknown) => {
        expect(error).toMatchObject({ code: "SILENCED", message: DEFAULT_AGENT_TEXTS.silenced });
        refused++;
      });
    }
    const other = openPage(edge, createMemoryStorage());
    await other.ready;
    expect(other.status.silenced).toBe(true);
    edge.silenced = false;
    Object.assign(edge, { adapter, version: 1 });
    await agent.checkPolicy();
    expect(agent.status.silenced).toBe(false);
    expect(agent.policyVersion).toBe(1);
    expect(await answers(agent)).toBe(true);
    await Promise.all([agent.dispose(), other.dispose()]);
    return { after: `${refused} of 3 requests refused, the next one answered` };
  },
);

fault(
  "an open page goes back to the base when the operator says so",
  { item: "7.2", before: "0 switches back to the base" },
  async () => {
    const edge = await Edge.open();
    await edge.publish(good());
    const agent = openPage(edge, createMemoryStorage());
    await agent.ready;
    edge.publishBase();
    await agent.checkPolicy();
    expect(agent.policyVersion).toBe(0);
    expect(await answers(agent)).toBe(true);
    await agent.dispose();
    return { after: "version 1 → 0 without a reload" };
  },
);
