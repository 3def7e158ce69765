/** The bound on senders over several steps, in the loop. */
import { afterEach, expect, test } from "vitest";
import { UNBOUNDED } from "../update/sender-influence.ts";
import { createSetup, live, removeSetups, WITH_SIGNAL } from "./training-loop.fixture.ts";

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
