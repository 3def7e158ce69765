/** What the trainer reports about a version, and signals that an operator has stopped. */
import { constantRate } from "@waggle/learning";
import { type Feedback, type LeasedGroup, type LeasedOutcome, WaggleError } from "@waggle/protocol";
import { afterEach, expect, test } from "vitest";
import type { EdgeClient } from "../edge/edge-client.ts";
import { edgeRecipeNamed } from "../recipes/edge-recipe.ts";
import { feedbackChecker } from "./feedback-checker.fixture.ts";
import { createSetup, live, removeSetups, type RunOptions } from "./training-loop.fixture.ts";
import { UNBOUNDED } from "../update/sender-influence.ts";
import { randomGroups, tinyEngine } from "./training.fixture.ts";

afterEach(removeSetups);

const recipe = edgeRecipeNamed("signals-reinforce", {
  groupsPerStep: 4,
  learningRate: constantRate(0.02),
});
const run: RunOptions = { recipe, checker: feedbackChecker(recipe) };
const BOOKED = { type: "boolean", better: "higher" } as const;

type Given = {
  readonly kinds?: readonly Feedback["kind"][];
  readonly text?: string;
  readonly booked?: boolean;
};

/** Single requests with this feedback. */
async function requests(given: readonly Given[]): Promise<LeasedGroup[]> {
  const groups = await randomGroups(given.length, 1);
  return groups.map((group, i) => ({
    ...group,
    trajectories: group.trajectories.map((leased) => {
      const { kinds = [], text, booked } = given[i] ?? {};
      const said = text === undefined ? {} : { text };
      const { id: trajectoryId } = leased.trajectory;
      const at = leased.receivedAt;
      const outcome: LeasedOutcome[] =
        booked === undefined
          ? []
          : [{ metric: "booked", value: booked, source: "server", declared: BOOKED }];
      return {
        ...leased,
        feedback: kinds.map((kind) => ({
          id: crypto.randomUUID(),
          trajectoryId,
          kind,
          at,
          ...said,
        })),
        outcomes: outcome,
      };
    }),
  }));
}

const stop = (...signals: string[]) => ({
  environment: "shop",
  frozen: null,
  killed: null,
  signals: signals.map((signal) => ({
    signal,
    stopped: { by: "Ada", at: "2026-11-29T00:00:00.000Z", reason: "" },
  })),
});

const KINDS: readonly Given[] = [
  { kinds: ["thumb-up"] },
  { kinds: ["thumb-down"], booked: true },
  { kinds: ["next-thanks"] },
  { booked: false },
];
const MIXED = Array.from({ length: 16 }, (_, i): Given => KINDS[i % 4] ?? {});

test("a version's report has every trajectory once, by signal, also if the trainer restarts", async () => {
  const groups = await requests(MIXED);
  const setup = await createSetup(groups);
  await live(setup, { ...run, maxSteps: 1 });
  const kept = await live(setup, run);
  expect(kept.summary.state.step).toBe(4);
  expect([...setup.edge.reports.keys()]).toEqual([1, 2]);
  for (const { learnedFrom } of setup.edge.reports.values()) {
    expect(learnedFrom).toMatchObject({
      recipe: "signals-reinforce",
      steps: 2,
      trajectories: 8,
      consents: [{ version: "1", trajectories: 8 }],
    });
    const counts = learnedFrom?.signals.map(({ signal, trajectories }) => [signal, trajectories]);
    expect(Object.fromEntries(counts ?? [])).toEqual({
      thumb: 4,
      "outcome:booked": 4,
      "message:next-thanks": 2,
    });
    expect(learnedFrom?.signals.every(({ weight }) => weight > 0)).toBe(true);
  }
  const rerun = await createSetup(groups);
  await live(rerun, run);
  expect(setup.edge.reports).toEqual(rerun.edge.reports);
});

test("what a candidate that was rolled back learned from is not counted in the next version", async () => {
  const setup = await createSetup(await requests(MIXED));
  await live(setup, { ...run, promotes: false });
  expect(setup.edge.stable).toBe(0);
  const steps = [...setup.edge.reports.values()].map(({ learnedFrom }) => learnedFrom?.steps);
  expect(steps).toEqual([2, 2]);
});

test("a stopped signal is left out, and requests without another are skipped", async () => {
  const groups = await requests(MIXED);
  const setup = await createSetup(groups);
  setup.edge.control = stop("thumb");
  const { summary } = await live(setup, run);
  const reasons = groups.map(
    ({ trajectories: [one] }) => setup.edge.acknowledged.get(one?.digest ?? "")?.[0],
  );
  expect(reasons.map((outcome) => outcome?.reason ?? outcome?.status)).toEqual(
    MIXED.map((_, i) => (i % 4 === 0 ? "signal-stopped" : "learned")),
  );
  // The thumb down beside a booking no longer counts.
  expect(reasons[1]?.reward).toBe(1);
  expect(summary.state.step).toBe(3);
  const signals = setup.edge.reports.get(1)?.learnedFrom?.signals.map(({ signal }) => signal);
  expect(signals?.toSorted()).toEqual(["message:next-thanks", "outcome:booked"]);
});

test("answers of staff are learned and counted under their own name, and not once it is stopped", async () => {
  const imitate = edgeRecipeNamed("corrections-imitate", {
    groupsPerStep: 4,
    learningRate: constantRate(0.02),
  });
  const groups = (await requests([...KINDS, ...KINDS])).map((group) => ({
    ...group,
    trajectories: group.trajectories.map((leased) => ({ ...leased, staffAnswer: "It is 3." })),
  }));
  const options = { recipe: imitate, checker: feedbackChecker(imitate) };
  const setup = await createSetup(groups);
  await live(setup, options);
  expect(setup.edge.reports.get(1)?.learnedFrom?.signals).toMatchObject([
    { signal: "staff", trajectories: 8 },
  ]);
  const stopped = await createSetup(groups);
  stopped.edge.control = stop("staff");
  await live(stopped, options);
  const reasons = [...stopped.edge.acknowledged.values()].map(([outcome]) => outcome?.reason);
  expect(reasons).toEqual(groups.map(() => "signal-stopped"));
});

test("a pair is leased, learned and counted as one request of its visitor, without an advantage", async () => {
  const pairs = edgeRecipeNamed("corrections-dpo", {
    groupsPerStep: 4,
    learningRate: constantRate(0.02),
  });
  const groups = (await requests(KINDS.flatMap((kind) => [kind, kind]))).map((group) => ({
    ...group,
    trajectories: group.trajectories.map((leased) => ({ ...leased, staffAnswer: "It is 3." })),
  }));
  const setup = await createSetup(groups);
  const base = await tinyEngine();
  const { summary } = await live(setup, {
    recipe: pairs,
    checker: feedbackChecker(pairs),
    base: async (sequences) => [...(await base.forward({ sequences })).logProb],
    shares: { ...UNBOUNDED, visitor: 0.5 },
  });
  await base.dispose();
  expect(summary.state.step).toBe(2);
  expect(setup.edge.reports.get(1)?.learnedFrom).toMatchObject({
    recipe: "corrections-dpo",
    trajectories: 8,
    signals: [{ signal: "staff", trajectories: 8 }],
    consents: [{ version: "1", trajectories: 8 }],
  });
  const outcomes = [...setup.edge.acknowledged.values()].flat();
  expect(outcomes).toHaveLength(8);
  for (const outcome of outcomes) {
    expect(outcome).toMatchObject({ status: "learned", reward: 0, success: false });
    expect(outcome).not.toHaveProperty("advantage");
  }
  // Both sides of a pair are the visitor's.
  const senders = summary.state.influence?.map(({ visitor }) => Object.keys(visitor).length);
  expect(senders).toEqual([4, 4]);
});

test("a signal that is stopped just before a step is not in it", async () => {
  const setup = await createSetup(
    await requests(KINDS.map((): Given => ({ kinds: ["thumb-up"] }))),
  );
  let reads = 0;
  const edgeClient = (client: EdgeClient): EdgeClient => ({
    ...client,
    control: async () => {
      reads += 1;
      // The first read is that of the check, the second that of the step.
      if (reads === 2) setup.edge.control = stop("thumb");
      return client.control();
    },
  });
  const { summary } = await live(setup, { ...run, edgeClient });
  expect(summary.state.step).toBe(0);
  const outcomes = [...setup.edge.acknowledged.values()].flat();
  expect(outcomes.map(({ reason }) => reason)).toEqual(outcomes.map(() => "signal-stopped"));
  expect(outcomes).toHaveLength(4);
  expect(setup.edge.heldLeases).toBe(0);
});

test("a request that a filter drops without the stopped signal is skipped because of the signal", async () => {
  const distill = edgeRecipeNamed("openclaw-distill", { groupsPerStep: 4 });
  const corrected: Given = { kinds: ["next-corrects"], text: "No, the blue one." };
  const setup = await createSetup(await requests(KINDS.map(() => corrected)));
  setup.edge.control = stop("correction");
  const { summary } = await live(setup, { recipe: distill, checker: feedbackChecker(distill) });
  expect(summary.state.step).toBe(0);
  const outcomes = [...setup.edge.acknowledged.values()].flat();
  expect(outcomes.map(({ reason }) => reason)).toEqual(KINDS.map(() => "signal-stopped"));
});

test.each([
  ["practice tasks", "verifier", { environment: "shop", seed: 1, split: "train" }],
  ["visitors' requests", "judge:requests", null],
] as const)("%s teach nothing while %s is stopped", async (_, signal, task) => {
  const groups = (await randomGroups(10, 4)).map((group) => ({
    ...group,
    trajectories: group.trajectories.map((leased) => ({
      ...leased,
      trajectory: { ...leased.trajectory, task },
    })),
  }));
  const setup = await createSetup(groups);
  setup.edge.control = stop(signal);
  const { summary } = await live(setup);
  expect(summary.state.step).toBe(0);
  const outcomes = [...setup.edge.acknowledged.values()].flat();
  expect(outcomes).toHaveLength(40);
  expect(outcomes.every(({ reason }) => reason === "signal-stopped")).toBe(true);
});

test("a lease that was lost does not keep the others from being given back", async () => {
  const setup = await createSetup(
    await requests(KINDS.map((): Given => ({ kinds: ["thumb-up"] }))),
  );
  let reads = 0;
  let releases = 0;
  const edgeClient = (client: EdgeClient): EdgeClient => ({
    ...client,
    lease: (request) => client.lease({ ...request, maxGroups: 1 }),
    control: async () => {
      reads += 1;
      if (reads === 4) setup.edge.control = stop("thumb");
      return client.control();
    },
    release: async (...lease) => {
      releases += 1;
      await client.release(...lease);
      if (releases === 1) throw new WaggleError("LEASE_LOST", "this lease has ended");
    },
  });
  const { summary } = await live(setup, { ...run, edgeClient });
  expect(summary.state.step).toBe(0);
  expect([...setup.edge.acknowledged.values()].flat()).toHaveLength(4);
  expect(setup.edge.heldLeases).toBe(0);
});
