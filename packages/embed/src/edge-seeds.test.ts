/** Sampling seeds that the edge gives for requests. Those of tasks are in `create-agent.test.ts`. */
import "fake-indexeddb/auto";
import { otherSeedAt } from "@waggle/protocol";
import { expect, test } from "vitest";
import { createMemoryEdge, openPage, say, until } from "./agent.fixture.ts";

test("requests use the seeds that came with the session, each once, and then the page's own", async () => {
  const edge = createMemoryEdge();
  edge.requestSeeds = [5, 6];
  const { agent } = openPage({ edge, turns: [say("a"), say("b"), say("c")] });
  await agent.ready;
  agent.consent.grant();
  await agent.checkPolicy();
  for (const request of ["one", "two", "three"]) await agent.send(request).finished;
  await until(agent, () => edge.trajectories.length === 3);
  const named = edge.trajectories.map((trajectory) => trajectory.samplingSeed);
  expect(new Set(named)).toEqual(new Set([5, 6, undefined]));
  expect(edge.trajectories.map(otherSeedAt)).toEqual([null, null, null]);
  await agent.dispose();
});

test("a request without consent takes no seed", async () => {
  const edge = createMemoryEdge();
  edge.requestSeeds = [5];
  const { agent } = openPage({ edge, turns: [say("a"), say("b")] });
  await agent.send("one").finished;
  agent.consent.grant();
  await agent.checkPolicy();
  await agent.send("two").finished;
  await until(agent, () => edge.trajectories.length === 1);
  expect(edge.trajectories[0]?.samplingSeed).toBe(5);
  await agent.dispose();
});
