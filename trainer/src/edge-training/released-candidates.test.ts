/** A trainer whose edge releases candidates to a growing share of visitors: it publishes, waits, and does not promote. */
import { afterEach, expect, test } from "vitest";
import type { EdgeClient } from "../edge/edge-client.ts";
import { createSetup, live, removeSetups, type Setup } from "./training-loop.fixture.ts";

afterEach(removeSetups);

/** An edge that releases, and calls `polled` when a trainer looks at a running release. */
async function releasing(polled: (edge: Setup["edge"], polls: number) => void): Promise<{
  setup: Setup;
  edgeClient: (client: EdgeClient) => EdgeClient;
  refused: () => number;
}> {
  const setup = await createSetup();
  const { edge } = setup;
  edge.firstShare = 0.01;
  const polls = new Map<number, number>();
  let refused = 0;
  const edgeClient = (client: EdgeClient): EdgeClient => ({
    ...client,
    policies: async (since) => {
      if (edge.release !== null) {
        const { version } = edge.release;
        polls.set(version, (polls.get(version) ?? 0) + 1);
        polled(edge, polls.get(version) ?? 0);
      }
      return client.policies(since);
    },
    promote: async (version) => {
      if (edge.release !== null) refused += 1;
      return client.promote(version);
    },
  });
  return { setup, edgeClient, refused: () => refused };
}

test("it learns nothing while a release runs, and goes on as after its own promotion", async () => {
  const reference = await createSetup();
  const expected = await live(reference);
  const learned = new Map<number, Set<number>>();
  const { setup, edgeClient, refused } = await releasing((edge, polls) => {
    const version = edge.release?.version ?? 0;
    learned.set(version, (learned.get(version) ?? new Set()).add(edge.acknowledged.size));
    if (polls === 2) edge.release = { version, share: 0.5 };
    if (polls === 4) edge.endRelease("stable");
  });
  const { summary, parameters } = await live(setup, { edgeClient });
  expect(refused()).toBe(0);
  expect(summary.state.promotions).toBe(expected.summary.state.promotions);
  expect(summary.state.promotions).toBeGreaterThan(1);
  expect([...learned.keys()]).toEqual(
    Array.from({ length: summary.state.promotions }, (_, i) => i + 1),
  );
  for (const acknowledged of learned.values()) expect(acknowledged.size).toBe(1);
  expect(summary.state.stableVersion).toBe(setup.edge.stable);
  expect(parameters).toEqual(expected.parameters);
  expect(summary.stoppedBy).toBe("idle");
});

test("a stopped trainer resumes waiting, and goes back to the stable version after a roll-back", async () => {
  const stop = new AbortController();
  const { setup, edgeClient, refused } = await releasing((edge, polls) => {
    const version = edge.release?.version ?? 0;
    if (polls === 2 && version === 1) stop.abort();
    if (polls === 5) edge.endRelease(version === 1 ? "rolled-back" : "stable");
  });
  const { edge } = setup;
  const first = await live(setup, { edgeClient, signal: stop.signal });
  expect(first.summary.stoppedBy).toBe("signal");
  expect(first.summary.state.publication).toMatchObject({ version: 1, stage: "promote" });
  expect(edge.release).toEqual({ version: 1, share: 0.01 });
  const { summary } = await live(setup, { edgeClient });
  expect(refused()).toBe(0);
  expect(edge.policies[1]?.status).toBe("rolled-back");
  expect(summary.state.versions[1]).toMatchObject({ version: 1, isRolledBack: true });
  expect(summary.state.publications).toBeGreaterThan(1);
  expect(summary.state.promotions).toBe(summary.state.publications - 1);
  expect(edge.policies[2]).toMatchObject({ parent: 0 });
  expect(edge.twice).toBe(0);
});
