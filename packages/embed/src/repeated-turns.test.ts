/** A policy that repeats one call: in a visitor's request, and in practice. */
import "fake-indexeddb/auto";
import { createToolEnvironment } from "@waggle/agent";
import type { PageTool } from "@waggle/agent/tools";
import type { Environment, TaskReference, Tool } from "@waggle/protocol";
import { expect, test } from "vitest";
import { openPage, say, until } from "./agent.fixture.ts";

const PARAMETERS = { type: "object", properties: { id: { type: "string" } } } as const;
const find = { name: "find", description: "Finds a bag.", parameters: PARAMETERS };
const again = say("", { name: "find", arguments: { id: "B1" } });
const turns = [...Array.from({ length: 5 }, () => again), say("Nothing.")];

/** The tool, and how often it ran. */
function counted(answer: (run: number) => unknown): { tool: PageTool; runs: () => number } {
  let runs = 0;
  const run = (): unknown => answer((runs += 1));
  return { tool: { ...find, run }, runs: () => runs };
}

test("a request ends after three equal calls with equal results", async () => {
  const { tool, runs } = counted(() => {
    throw new Error("there is no bag B1");
  });
  const { agent } = openPage({ tools: [tool], turns });
  expect((await agent.send("Where is my bag?").finished).stopReason).toBe("guard-stopped");
  expect(runs()).toBe(3);
  expect(agent.conversation.at(-1)).toMatchObject({ running: false, failure: null });
});

test("equal calls with other results go on", async () => {
  const { tool, runs } = counted((run) => ({ found: run }));
  const { agent } = openPage({ tools: [tool], turns });
  expect((await agent.send("Where is my bag?").finished).stopReason).toBe("completed");
  expect(runs()).toBe(5);
});

test("a site sets the limit of its requests", async () => {
  const { tool, runs } = counted(() => null);
  const limits = { maxTokensPerTurn: 1000, timeoutMs: 0, maxRepeatedTurns: 4 };
  const { agent } = openPage({ tools: [tool], turns, limits });
  await agent.send("Where is my bag?").finished;
  expect(runs()).toBe(4);
});

test("practice records repeated turns under any limit of the site", async () => {
  const tool: Tool = {
    definition: { ...find, source: "page" },
    run: () => Promise.resolve(null),
  };
  const limits = { maxTokensPerTurn: 1000, timeoutMs: 0, maxRepeatedTurns: 2 };
  const { agent, edge } = openPage({ turns, limits });
  agent.consent.grant();
  const environment = (task: TaskReference): Environment => ({
    ...createToolEnvironment({ system: "", tools: [tool], userMessage: "Find it." }),
    task,
  });
  await agent.simulate({ environment, tasks: 1 });
  await until(agent, () => agent.simulation.uploaded === 1);
  expect(edge.trajectories[0]).toMatchObject({ stopReason: "completed" });
  expect(edge.trajectories[0]?.turns).toHaveLength(6);
  await agent.dispose();
});
