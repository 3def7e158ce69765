import "fake-indexeddb/auto";
import { expect, onTestFinished, test, vi } from "vitest";
import { otherSeedAt, WaggleError } from "@waggle/protocol";
import type { Environment, TaskReference } from "@waggle/protocol";
import { createTestClock } from "@waggle/testing";
import type { Agent, AgentEvent } from "./agent.ts";
import { createMemoryEdge, openPage, say, until } from "./agent.fixture.ts";
import type { PageTool } from "@waggle/agent/tools";

const seen: unknown[] = [];
const lookUp: PageTool = {
  name: "look_up",
  description: "Looks up a person.",
  parameters: { type: "object", properties: { mail: { type: "string" } }, required: ["mail"] },
  run: ({ mail }) => {
    seen.push(mail);
    return { mail, orders: 2 };
  },
};

const LOOK_UP_TURNS = [
  say("", { name: "look_up", arguments: { mail: "[EMAIL_1]" } }),
  say("[EMAIL_1] has 2 orders."),
];

test("a page tool gets the visitor's value, and the policy sees only a placeholder", async () => {
  seen.length = 0;
  const { agent, policy } = openPage({ tools: [lookUp], turns: LOOK_UP_TURNS });
  const run = agent.send("How many orders has ada@example.com?");
  expect(await run.finished).toEqual({
    text: "ada@example.com has 2 orders.",
    stopReason: "completed",
  });
  expect(seen).toEqual(["ada@example.com"]);
  const bytes = policy.contexts[0]?.tokenIds.filter((id) => id < 256) ?? [];
  const read = new TextDecoder().decode(Uint8Array.from(bytes));
  expect(read).toContain("How many orders has [EMAIL_1]?");
  expect(read).not.toContain("ada@");
});

test("every reader gets the events of a turn as it streams", async () => {
  const { agent } = openPage({ tools: [lookUp], turns: LOOK_UP_TURNS });
  const run = agent.send("How many orders has ada@example.com?");
  await run.finished;
  const types: AgentEvent["type"][] = [];
  for await (const event of run) {
    if (event.type !== "text-delta" && types.at(-1) !== event.type) types.push(event.type);
  }
  expect(types).toEqual([
    "turn-start",
    "tool-call",
    "tool-result",
    "turn-end",
    "turn-start",
    "turn-end",
    "trajectory-end",
  ]);
  expect(agent.conversation).toMatchObject([
    { kind: "request", text: "How many orders has ada@example.com?" },
    {
      kind: "answer",
      running: false,
      stopReason: "completed",
      policyVersion: 1,
      parts: [
        { kind: "tool", activity: { name: "look_up", arguments: { mail: "ada@example.com" } } },
        { kind: "text", text: "ada@example.com has 2 orders." },
      ],
    },
  ]);
});

test("without consent nothing is stored and nothing is sent", async () => {
  const { agent, edge } = openPage({ turns: [say("Hello.")] });
  await agent.send("Hi").finished;
  await agent.feedback("thumb-up");
  expect(await agent.sent()).toEqual([]);
  expect(edge.paths.filter((path) => !/sessions|policy/.test(path))).toEqual([]);
});

test("consent to an older text of the panel does not count", () => {
  expect(openPage().agent.consent.currentVersion).toBe("3");
});

test("with consent an answer is sent once, followed by its feedback", async () => {
  const { agent, edge } = openPage({ turns: [say("Hello.")] });
  agent.consent.grant();
  await agent.send("I am ada@example.com").finished;
  await agent.feedback("thumb-up");
  await until(agent, async () => (await agent.outbox()).feedbackWaiting === 0);
  expect(edge.trajectories).toHaveLength(1);
  expect(edge.feedback).toMatchObject([
    { kind: "thumb-up", trajectoryId: edge.trajectories[0]?.id },
  ]);
  const [entry] = await agent.sent();
  const detail = await agent.sentDetail(entry?.digest ?? "");
  expect(JSON.parse(detail?.text ?? "")).toEqual([
    { kind: "request", text: "I am [EMAIL_1]" },
    { kind: "answer", text: "Hello." },
  ]);
  await agent.dispose();
});

test("an answer is not sent if consent is withdrawn while it runs", async () => {
  const { agent, edge } = openPage({
    turns: [say("Hello.")],
    beforeToken: (index) => {
      if (index === 2) agent.consent.withdraw();
    },
  });
  agent.consent.grant();
  await agent.send("Hi").finished;
  expect(await agent.sent()).toEqual([]);
  expect(edge.trajectories).toEqual([]);
});

test("stop ends an answer and leaves its text", async () => {
  const { agent } = openPage({
    turns: [say("Hello there.")],
    beforeToken: (index) => {
      if (index === 5) agent.stop();
    },
  });
  expect(await agent.send("Hi").finished).toEqual({ text: "Hello", stopReason: "aborted" });
});

test("retry sends the request again in a fresh context and records feedback on the first answer", async () => {
  const { agent, edge, policy } = openPage({ turns: [say("One."), say("Two.")] });
  agent.consent.grant();
  await agent.send("Hi").finished;
  expect(await agent.retry()?.finished).toMatchObject({ text: "Two." });
  await until(agent, async () => (await agent.outbox()).feedbackWaiting === 0);
  expect(edge.feedback.map(({ kind }) => kind)).toEqual(["retry"]);
  expect(policy.contexts).toHaveLength(2);
  await agent.dispose();
});

test("a newer policy replaces the old one without a reload and gives the next answer", async () => {
  const { agent, edge } = openPage({ turns: [say("One."), say("Two.")] });
  await agent.send("Hi").finished;
  edge.version = 2;
  await agent.checkPolicy();
  expect(agent.policyVersion).toBe(2);
  await agent.send("Hi again").finished;
  const versions = agent.conversation.map((item) =>
    item.kind === "answer" ? item.policyVersion : null,
  );
  expect(versions).toEqual([null, 1, null, 2]);
});

test("a page that was visited before starts without a network", async () => {
  const first = openPage();
  await first.agent.ready;
  const edge = createMemoryEdge();
  edge.down = true;
  const { agent } = openPage({ storage: first.storage, edge, turns: [say("Hello.")] });
  expect(await agent.send("Hi").finished).toMatchObject({ text: "Hello." });
});

test.each(["/v1/sessions", "/v1/policy"])(
  "a page that was visited before waits 4 s for a %s that never responds",
  async (path) => {
    const first = openPage();
    await first.agent.ready;
    const edge = createMemoryEdge();
    edge.hanging = path;
    const { storage } = first;
    const clock = createTestClock();
    const { agent } = openPage({ storage, edge, schedule: clock.schedule, turns: [say("Hello.")] });
    clock.advance(3999);
    await new Promise((resolve) => setImmediate(resolve));
    expect(agent.status.phase).toBe("loading");
    clock.advance(1);
    expect(await agent.send("Hi").finished).toMatchObject({ text: "Hello." });
  },
);

test("a first visit to an edge that never responds fails after 20 s", async () => {
  const edge = createMemoryEdge();
  edge.hanging = "/v1/sessions";
  const clock = createTestClock();
  const { agent } = openPage({ edge, schedule: clock.schedule });
  clock.advance(20_000);
  await expect(agent.ready).rejects.toMatchObject({ code: "NETWORK", retryable: true });
});

test("a first visit without a network fails and can be retried", async () => {
  const edge = createMemoryEdge();
  edge.down = true;
  const { agent } = openPage({ edge, turns: [say("Hello.")] });
  await expect(agent.ready).rejects.toMatchObject({ code: "NETWORK" });
  expect(agent.status).toMatchObject({ phase: "error", error: { retryable: true } });
  edge.down = false;
  await agent.reload();
  expect(agent.status).toMatchObject({ phase: "ready", error: null });
});

test("a page whose edge was down loads at the next policy check, on its own", async () => {
  const edge = createMemoryEdge();
  edge.down = true;
  const { agent } = openPage({ edge });
  await expect(agent.ready).rejects.toMatchObject({ code: "NETWORK" });
  await expect(agent.checkPolicy()).rejects.toMatchObject({ code: "NETWORK" });
  edge.down = false;
  await agent.checkPolicy();
  expect(agent.status).toMatchObject({ phase: "ready", error: null });
  await agent.dispose();
});

test("a page opened before the first policy is published says so and becomes ready later", async () => {
  const edge = createMemoryEdge();
  edge.published = false;
  const clock = createTestClock();
  const { agent } = openPage({ edge, schedule: clock.schedule });
  await until(agent, () => agent.status.detail === "waiting for the site's first policy");
  expect(agent.status).toMatchObject({ phase: "loading", error: null });
  edge.published = true;
  await new Promise((resolve) => setImmediate(resolve));
  clock.advance(1000);
  await agent.ready;
  expect(agent.status).toMatchObject({ phase: "ready", detail: "" });
});

test("a request fails in the conversation if the agent cannot load, and nothing is thrown in the page", async () => {
  const edge = createMemoryEdge();
  edge.down = true;
  const { agent } = openPage({ edge });
  await expect(agent.send("Hi").finished).rejects.toMatchObject({ code: "NETWORK" });
  expect(agent.conversation.at(-1)).toMatchObject({
    running: false,
    failure: "The assistant's server cannot be reached.",
  });
});

const environmentOf = (task: TaskReference): Environment => ({
  task,
  observe: () => Promise.resolve({ system: "", tools: [], userMessage: `Task ${task.seed}` }),
  step: () => Promise.resolve({ toolResults: [], terminated: true }),
});

test("a simulation counts assigned, completed and uploaded tasks", async () => {
  const { agent, edge } = openPage({ turns: [say("a"), say("b"), say("c")] });
  agent.consent.grant();
  await agent.simulate({ environment: environmentOf, tasks: 3 });
  await until(agent, () => agent.simulation.uploaded === 3);
  expect(agent.simulation).toEqual({
    running: false,
    waiting: false,
    assigned: 3,
    completed: 3,
    uploaded: 3,
    rejected: 0,
    failed: 0,
  });
  expect(edge.trajectories.map(({ task }) => task?.seed ?? 0).sort((a, b) => a - b)).toEqual([
    1, 2, 3,
  ]);
  expect(new Set(edge.trajectories.map(({ assignmentId }) => assignmentId)).size).toBe(3);
  for (const trajectory of edge.trajectories) {
    expect(trajectory.samplingSeed).toBe(100 + (trajectory.task?.seed ?? 0));
    expect(otherSeedAt(trajectory)).toBeNull();
  }
  await agent.dispose();
});

test("a task whose environment throws is counted as failed and the next one runs", async () => {
  const { agent } = openPage({ turns: [say("a"), say("b")] });
  agent.consent.grant();
  await agent.simulate({
    environment: (task) => {
      if (task.seed === 2) throw new Error("broken");
      return environmentOf(task);
    },
    tasks: 3,
  });
  expect(agent.simulation).toMatchObject({ assigned: 3, completed: 2, failed: 1 });
  await agent.dispose();
});

const lost = (): WaggleError => new WaggleError("DEVICE_LOST", "gone", { retryable: true });

test("the next request is answered after the policy's worker crashed", async () => {
  let crashes = 1;
  const { agent } = openPage({
    turns: [say("One."), say("Two.")],
    beforeToken: () => {
      if (crashes-- > 0) throw lost();
    },
  });
  const first = agent.send("Hi");
  await expect(first.finished).rejects.toMatchObject({ code: "DEVICE_LOST" });
  expect(await agent.send("Hi again").finished).toMatchObject({ stopReason: "completed" });
  expect(agent.status.phase).toBe("ready");
});

test("a simulation survives a crash of the worker", async () => {
  let crashes = 2;
  const { agent } = openPage({
    turns: Array.from({ length: 8 }, () => say("a")),
    beforeToken: () => {
      if (crashes-- > 0) throw lost();
    },
  });
  agent.consent.grant();
  await agent.simulate({ environment: environmentOf, tasks: 6, parallel: 2 });
  expect(agent.simulation).toMatchObject({ assigned: 6, completed: 4, failed: 2 });
  await agent.dispose();
});

test("reopening the policy stops a running request and a waiting one", async () => {
  const others: Promise<unknown>[] = [];
  const { agent } = openPage({
    turns: [say("One."), say("Two.")],
    beforeToken: (index) => {
      if (index !== 0 || others.length > 0) return;
      others.push(agent.send("Second").finished.catch(() => null));
      others.push(agent.reload());
    },
  });
  await agent.send("First").finished;
  await Promise.all(others);
  expect(agent.status.phase).toBe("ready");
});

test("without consent no task is requested", async () => {
  const { agent, edge } = openPage();
  await expect(agent.simulate({ environment: environmentOf, tasks: 1 })).rejects.toMatchObject({
    code: "CONSENT_MISSING",
  });
  expect(edge.assigned).toBe(0);
});

test("withdrawn consent ends a simulation without another task", async () => {
  const { agent, edge } = openPage({ turns: [say("a"), say("b")] });
  agent.consent.grant();
  await agent.simulate({
    environment: (task) => {
      if (task.seed === 2) agent.consent.withdraw();
      return environmentOf(task);
    },
    tasks: Infinity,
  });
  const { assigned, completed, failed } = agent.simulation;
  expect(assigned).toBe(completed + failed);
  // At most the four tasks that were running at that time.
  expect(edge.assigned).toBeLessThanOrEqual(4);
  await agent.dispose();
});

test("forget me clears the conversation and the outbox, and consent is asked for again", async () => {
  const { agent, edge, storage } = openPage({ turns: [say("Hello.")] });
  agent.consent.grant();
  await agent.send("Hi").finished;
  await until(agent, async () => (await agent.outbox()).sent === 1);
  storage.setItem("waggle.tools https://edge.example/mcp", "[]");
  await agent.forgetMe();
  expect(edge.paths).toContain("/v1/visitor");
  expect(agent.conversation).toEqual([]);
  expect(await agent.sent()).toEqual([]);
  expect(agent.consent.decision()).toBe("undecided");
  expect(storage.getItem("waggle.visitorToken")).toBeNull();
  expect(storage.getItem("waggle.tools https://edge.example/mcp")).toBeNull();
});

test.each<readonly [string, (agent: Agent) => unknown]>([
  ["asks", (agent) => agent.send("Hi").finished],
  ["agrees", (agent) => agent.consent.grant()],
])("after forget me no request goes to the edge until the visitor %s", async (_name, act) => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const { agent, edge } = openPage({ policyIntervalMs: 60_000, turns: [say("Hello.")] });
  await agent.ready;
  await agent.forgetMe();
  const asked = edge.paths.length;
  edge.version = 2;
  vi.advanceTimersByTime(120_000);
  await new Promise((resolve) => setImmediate(resolve));
  expect(edge.paths.slice(asked)).toEqual([]);
  await act(agent);
  vi.advanceTimersByTime(60_000);
  await until(agent, () => agent.policyVersion === 2);
  expect(edge.paths.slice(asked)).toEqual(["/v1/sessions", "/v1/policy"]);
  await agent.dispose();
});
