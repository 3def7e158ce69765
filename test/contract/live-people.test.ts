/** Simulated people with the real agent and the site's real backend: what they send to the edge, and what stays with them. */
import "fake-indexeddb/auto";
import { defineEnvironment } from "@waggle/agent/define";
import { canonicalJson } from "@waggle/protocol";
import { expect, onTestFinished, test, vi } from "vitest";
import { backendTools, readBackend } from "../../apps/practice/src/site-backend.ts";
import { createSiteBackend } from "../../packages/dev/src/backend/site-backend.ts";
import { backendClient } from "../../packages/dev/src/people/backend-client.ts";
import { drawPerson } from "../../packages/dev/src/people/person.ts";
import { type HandledPage, type Reaction, visit } from "../../packages/dev/src/people/visit.ts";
import { openPage, say } from "../../packages/embed/src/agent.fixture.ts";
import { localServer } from "../fixtures/local-server.ts";

const COLORS = ["red", "blue", "green", "white"] as const;

const rooms = defineEnvironment({
  name: "secret-rooms",
  prompt: "You paint rooms.",
  splits: "own",
  tasks: ({ pick }) => {
    const color = pick(COLORS);
    return { request: `Paint it ${color}.`, state: { painted: "" }, data: { color } };
  },
  tools: {
    paint: {
      description: "Paints the room.",
      parameters: {
        type: "object",
        properties: { color: { enum: COLORS } },
        required: ["color"],
        additionalProperties: false,
      },
      run: ({ color }, state) => {
        state.painted = color;
        return "painted";
      },
    },
  },
  verify: ({ state, data }) => state.painted === data.color,
});

/** The default is one second, which is short on a busy machine. */
const SLOW = { timeout: 30_000 };

const COUNT = 8;
const PEOPLE = { signal: "thumb", answering: 1, wrong: 0, seed: 11 } as const;

test("people send live requests and thumbs, and neither task, verdict nor seed", async () => {
  const server = await localServer(
    await createSiteBackend({ spec: rooms, report: () => Promise.reject(new Error("no outcome")) }),
  );
  onTestFinished(() => server.close());
  const site = await readBackend(server.origin);
  // Every answer paints the room red, which is right for some.
  const turns = Array.from({ length: COUNT }, () => [
    say("", { name: "paint", arguments: { color: "red" } }),
    say("Done."),
  ]).flat();
  const tools = backendTools(site, { backend: server.origin, visit: "one" });
  const { agent, edge } = openPage({ tools, system: site.system, turns });
  agent.consent.grant();
  const page: HandledPage = {
    startOver: async () => agent.clear(),
    ask: async (message) => (await agent.send(message).finished).text,
    press: async (thumb) => void (await agent.feedback(thumb === "up" ? "thumb-up" : "thumb-down")),
    trajectoryId: async () => agent.trajectoryId,
  };
  let requests = 0;
  const said: (Reaction | null)[] = [];
  for (let index = 0; index < COUNT; index += 1) {
    const parts = {
      page,
      backend: backendClient(server.origin, "one"),
      spec: rooms,
      signal: PEOPLE.signal,
      onRequest: () => void (requests += 1),
    };
    said.push(await visit(parts, drawPerson(PEOPLE, index)));
  }
  const reactions = said.filter((one) => one !== null);
  await vi.waitFor(() => {
    expect(edge.trajectories).toHaveLength(COUNT);
    expect(edge.feedback).toHaveLength(reactions.length);
  }, SLOW);
  await agent.dispose();
  expect(requests).toBe(COUNT);

  // What each person asked for, by the seed, which the edge does not have.
  const tasks = Array.from({ length: COUNT }, (_, index) => {
    const person = drawPerson(PEOPLE, index);
    const reference = { environment: rooms.name, seed: person.taskSeed, split: "train" } as const;
    const isHappy = rooms.task(reference).request === "Paint it red.";
    return { seed: reference.seed, verdict: person.verdict(isHappy) };
  });
  const thumbs = { good: "thumb-up", bad: "thumb-down" } as const;
  const given = tasks.flatMap(({ verdict }) => (verdict === null ? [] : thumbs[verdict]));
  expect(new Set(given)).toEqual(new Set(["thumb-up", "thumb-down"]));
  const kinds = new Map(edge.feedback.map(({ trajectoryId, kind }) => [trajectoryId, kind]));
  expect(reactions.map(({ trajectoryId }) => kinds.get(trajectoryId))).toEqual(given);

  expect(edge.paths).not.toContain("/v1/assignments");
  expect(edge.trajectories.map(({ task, assignmentId }) => ({ task, assignmentId }))).toEqual(
    tasks.map(() => ({ task: null, assignmentId: null })),
  );
  const sent = canonicalJson([edge.trajectories, edge.feedback]);
  for (const { seed } of tasks) expect(sent).not.toContain(String(seed));
  expect(sent).not.toMatch(/secret-rooms|success|reward|verdict/);
});
