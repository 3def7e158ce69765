/** The bound on senders over several steps, in the loop. */
import type { LeasedTrajectory } from "@waggle/protocol";
import { afterEach, expect, test } from "vitest";
import { UNBOUNDED } from "../update/sender-influence.ts";
import { createSetup, live, removeSetups, WITH_SIGNAL } from "./training-loop.fixture.ts";
import { tinyEngine } from "./training.fixture.ts";

afterEach(removeSetups);

test("what a network caused before a restart counts after it", async () => {
  // Every rollout has an advantage. One in four is from the office, and the others are from networks of their own.
  const groups = WITH_SIGNAL.slice(0, 4).map((group, g) => ({
    ...group,
    trajectories: group.trajectories.map((leased, i) => ({
      ...leased,
      network: i === 0 ? "office" : `network ${g}/${i}`,
    })),
  }));
  const setup = await createSetup(groups);
  const shares = { ...UNBOUNDED, network: 0.2 };
  await live(setup, { shares, maxSteps: 1 });
  const { summary } = await live(setup, { shares });
  expect(summary.state.step).toBe(2);
  const scales = [1, 2].map((step) => setup.edge.metrics.get(step)?.metrics["influenceScaleMin"]);
  // A single step has too few networks.
  expect(scales[0]).toBe(1);
  expect(scales[1]).toBeLessThan(1);
  const [first, second] = summary.state.influence ?? [];
  const names = Object.keys(first?.network ?? {});
  expect(names).toHaveLength(7);
  expect(names.filter((name) => name in (second?.network ?? {}))).toHaveLength(1);
});

test("a step that one network would decide for others is undone, and its records are skipped", async () => {
  const lastToken = ({ trajectory }: LeasedTrajectory) =>
    trajectory.segments.at(-1)?.tokenIds.at(-1);
  // Equal rewards are no signal.
  const silent = WITH_SIGNAL.slice(2, 7).map((group, g) => {
    const [first = []] = [...Map.groupBy(group.trajectories, lastToken).values()].toSorted(
      (a, b) => b.length - a.length,
    );
    return {
      ...group,
      trajectories: first.map((leased, i) => ({ ...leased, network: `network ${g}/${i}` })),
    };
  });
  const loud = WITH_SIGNAL.slice(0, 2).map((group) => ({
    ...group,
    trajectories: group.trajectories.map((leased) => ({ ...leased, network: "office" })),
  }));
  const learnWith = async (network: number) => {
    const setup = await createSetup([...silent, ...loud]);
    const { summary, parameters } = await live(setup, { shares: { ...UNBOUNDED, network } });
    const ofLoud = loud.flatMap(({ trajectories }) => trajectories.map(({ digest }) => digest));
    const outcomes = [...setup.edge.acknowledged.values()].flat();
    const results = outcomes.filter(({ digest }) => ofLoud.includes(digest));
    return {
      step: summary.state.step,
      reasons: new Set(results.map(({ status, reason }) => reason ?? status)),
      parameters: [...parameters.values()].flatMap(({ data }) => Array.from(data)),
    };
  };
  const engine = await tinyEngine();
  const before = [...(await engine.parameters()).values()].flatMap(({ data }) => Array.from(data));
  await engine.dispose();
  const bounded = await learnWith(0.1);
  expect(bounded).toEqual({ step: 0, reasons: new Set(["few-senders"]), parameters: before });
  const free = await learnWith(1);
  expect(free.step).toBe(1);
  expect(free.reasons).toEqual(new Set(["learned"]));
  expect(free.parameters).not.toEqual(before);
});
