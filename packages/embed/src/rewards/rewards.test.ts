/** What leaves a page whose site collects rewards only. */
import "fake-indexeddb/auto";
import { withPerturbation } from "@waggle/learning";
import type { Adapter } from "@waggle/model";
import { writeSafetensors } from "@waggle/model";
import { sha256 } from "@waggle/protocol";
import type { Environment, Perturbation, TaskReference } from "@waggle/protocol";
import { expect, test } from "vitest";
import { createMemoryEdge, manifestOf, openPage, say, until } from "../agent.fixture.ts";
import type { Page, PageOptions } from "../agent.fixture.ts";

const TENSORS = new Map([
  ["layer.lora_A.weight", { shape: [1, 2], data: Float32Array.of(0.5, -0.5) }],
  ["layer.lora_B.weight", { shape: [2, 1], data: Float32Array.of(0, 0.25) }],
]);
const BYTES = writeSafetensors(TENSORS);
const ADAPTER = { sha256: await sha256(BYTES), sizeBytes: BYTES.byteLength, rank: 1, alpha: 2 };
const SECRET = "the visitor of task";

type Sent = { readonly path: string; readonly body: unknown };

/** A page on an edge that assigns perturbations, with all that it sends. */
function rewardPage(
  options: PageOptions & {
    readonly perturbation?: Perturbation | null;
    readonly bytes?: Uint8Array;
    /** Rewards that the edge refuses at first, because it has no receipt. */
    readonly unproven?: number;
  } = {},
): Page & { readonly sent: Sent[]; readonly loaded: Adapter[]; readonly given: Perturbation[] } {
  const { perturbation, bytes = BYTES, unproven = 0, ...page } = options;
  let refusals = unproven;
  const edge = createMemoryEdge();
  const plain = edge.fetch;
  const sent: Sent[] = [];
  const given: Perturbation[] = [];
  const fetch: typeof plain = async (url, init = {}) => {
    const { pathname, search } = new URL(url);
    const body = typeof init.body === "string" ? (JSON.parse(init.body) as unknown) : init.body;
    sent.push({ path: pathname + search, body: body ?? null });
    if (pathname === "/v1/policy") {
      const { policy, ...manifest } = manifestOf(edge.version);
      return Response.json({ ...manifest, policy: { ...policy, adapter: ADAPTER } });
    }
    if (pathname.startsWith("/v1/objects/")) return new Response(bytes as BodyInit);
    if (pathname === "/v1/rewards" && refusals-- > 0) {
      const error = { code: "CONSENT_UNPROVEN", message: "reload the page" };
      return Response.json({ error }, { status: 425 });
    }
    if (pathname === "/v1/rewards") return Response.json({});
    const response = await plain(url, init);
    if (pathname !== "/v1/assignments" || perturbation === null) return response;
    const direction = edge.assigned % 2 === 0 ? -1 : 1;
    const own = { policyVersion: 1, seed: 100 + edge.assigned, direction, scale: 0.1 } as const;
    given.push(perturbation ?? own);
    return Response.json({ ...((await response.json()) as object), perturbation: given.at(-1) });
  };
  const opened = openPage({
    consent: { version: "1", collect: "rewards" },
    ...page,
    edge: Object.assign(edge, { fetch }),
  });
  const loaded: Adapter[] = [];
  const load = opened.policy.loadAdapter.bind(opened.policy);
  opened.policy.loadAdapter = (id, adapter) => {
    loaded.push(adapter as Adapter);
    return load(id, adapter);
  };
  opened.agent.consent.grant();
  return { ...opened, sent, loaded, given };
}

function environmentOf(task: TaskReference): Environment {
  return {
    task,
    observe: async () => ({ system: "", tools: [], userMessage: `${SECRET} ${task.seed}` }),
    step: async () => ({ toolResults: [], terminated: true }),
  };
}

/** Rewards the answer of the second task. */
const judged = (task: TaskReference) => ({
  environment: environmentOf(task),
  judge: (text: string | null) => ({ reward: text === "two" ? 0.75 : 0 }),
});

test("of a practice task, one number leaves the page: no token, no text", async () => {
  const { agent, sent, loaded, given } = rewardPage({ turns: [say("one"), say("two")] });
  const progress = await agent.simulate({ environment: judged, tasks: 2, parallel: 1 });
  expect(progress).toMatchObject({ assigned: 2, completed: 2, uploaded: 2, failed: 0 });
  // What the visitor agreed to is recorded, with the hash of the text that was shown.
  const consents = sent.filter(({ path }) => path === "/v1/consents");
  expect(consents).toHaveLength(1);
  expect(JSON.stringify(consents)).not.toContain(SECRET);
  const known = ["/v1/sessions", "/v1/consents"];
  const bodies = sent.filter(({ path, body }) => body !== null && !known.includes(path));
  expect(bodies).toEqual(
    [0, 0.75].map((reward) => ({
      path: "/v1/rewards",
      body: { assignmentId: expect.any(String) as string, reward },
    })),
  );
  // Its members are the site's key and the visitor's token.
  expect(JSON.stringify(sent.filter(({ path }) => path === "/v1/sessions"))).not.toContain(SECRET);
  const without = sent.filter(({ body }) => body === null).map(({ path }) => path);
  expect(new Set(without)).toEqual(
    new Set(["/v1/policy", "/v1/assignments?version=1", `/v1/objects/${ADAPTER.sha256}`]),
  );
  // The adapter is fetched once for both tasks.
  expect(without.filter((path) => path.startsWith("/v1/objects/"))).toHaveLength(1);
  expect(loaded).toEqual(
    given.map((each) => ({ rank: 1, alpha: 2, tensors: withPerturbation(TENSORS, each) })),
  );
});

test("control: with the full level the same task leaves its text", async () => {
  const { agent, edge, loaded } = rewardPage({
    turns: [say("one")],
    consent: { version: "1" },
    perturbation: null,
  });
  await agent.simulate({ environment: judged, tasks: 1 });
  await until(agent, () => edge.trajectories.length === 1);
  expect(edge.trajectories[0]?.segments.flatMap(({ tokenIds }) => tokenIds).length).toBeGreaterThan(
    0,
  );
  expect(loaded).toEqual([]);
});

test("a page asks for a receipt before its first task, and again if the edge has lost it; no reward is lost", async () => {
  const { agent, sent } = rewardPage({ turns: [say("one"), say("two")], unproven: 1 });
  const progress = await agent.simulate({ environment: judged, tasks: 2, parallel: 1 });
  expect(progress).toMatchObject({ completed: 2, uploaded: 2, failed: 0 });
  const paths = sent.map(({ path }) => path).filter((path) => /consents|assign|rewards/.test(path));
  expect(paths.indexOf("/v1/consents")).toBe(0);
  expect(paths.filter((path) => path === "/v1/consents")).toHaveLength(2);
  expect(paths.filter((path) => path === "/v1/rewards")).toHaveLength(3);
});

test("of the visitor's own request nothing leaves, and it is answered by the version without noise", async () => {
  const { agent, sent, loaded } = rewardPage({ turns: [say("Hello Ada.")] });
  await agent.send("my name is Ada").finished;
  expect(await agent.feedback("thumb-up")).toBe("not-shared");
  expect(await agent.outcome("booked", true)).toBe("not-shared");
  expect(await agent.outbox()).toMatchObject({ waiting: 0 });
  const bodies = sent.filter(({ body }) => body !== null);
  expect(new Set(bodies.map(({ path }) => path))).toEqual(new Set(["/v1/sessions"]));
  expect(JSON.stringify(bodies)).not.toContain("Ada");
  expect(loaded).toEqual([]);
});

test.each([
  ["an edge that assigns tasks for trajectories", { perturbation: null }, judged, /COLLECT/],
  ["an environment without a verifier", {}, environmentOf, /no verifier/],
  [
    "a verifier that gives no number in [0, 1]",
    {},
    (task: TaskReference) => ({ ...judged(task), judge: () => ({ reward: Number.NaN }) }),
    /gave the reward NaN/,
  ],
  ["an adapter with other bytes", { bytes: Uint8Array.of(1) }, judged, /other bytes/],
  [
    "a task for another version",
    { perturbation: { policyVersion: 2, seed: 1, direction: 1, scale: 0.1 } as const },
    judged,
    /serves 1/,
  ],
])(
  "%s ends the work with a clear error, and no reward is sent",
  async (_, options, environment, message) => {
    const { agent, sent } = rewardPage({
      turns: Array.from({ length: 3 }, () => say("x")),
      ...options,
    });
    const work = agent.simulate({ environment, tasks: 3, parallel: 1 });
    await expect(work).rejects.toThrow(message);
    expect(sent.map(({ path }) => path)).not.toContain("/v1/rewards");
  },
);
