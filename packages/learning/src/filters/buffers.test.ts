import { expect, test } from "vitest";
import { groupAdvantage } from "../advantages/group-advantages.ts";
import type { JudgedTrajectory } from "../composition/judged-trajectory.ts";
import type { FilterPart, PartContext, RewardedGroup } from "../composition/part.ts";
import { leftovers } from "../states/rest-buffer.ts";
import { recompose, recomposeLater } from "./recompose.ts";

const CONTEXT: PartContext = {
  step: 0,
  steps: 10,
  random: () => 0.5,
  ports: {},
  state: { "rest-buffer": leftovers().initial?.() },
  signal: new AbortController().signal,
};

/** A trajectory with this many calls. */
function trajectory(
  id: string,
  success: boolean,
  calls: number,
): RewardedGroup["trajectories"][number] {
  const toolCalls = Array.from({ length: calls }, () => ({ name: "do" }));
  const record = {
    id,
    verification: { success, reward: success ? 1 : 0 },
    turns: [{ sample: 0, start: 0, end: 2, toolCalls, toolResults: [] }],
    samples: [{ lossMask: [true, true], sequence: { tokenIds: [1, 2] } }],
  } as unknown as JudgedTrajectory;
  return {
    trajectory: record,
    reward: { total: success ? 1 : 0 },
    lossMask: [[true, true]],
    tokenWeights: [[1, 1]],
  };
}

/** In each group one trajectory has priority: the shorter success or the longer failure. */
const GROUPS: readonly RewardedGroup[] = [
  {
    task: "a",
    trajectories: [trajectory("short win", true, 1), trajectory("short loss", false, 1)],
  },
  { task: "b", trajectories: [trajectory("long win", true, 4), trajectory("long loss", false, 4)] },
];

test.each([
  ["recompose", recompose()],
  ["recomposeLater", recomposeLater() as FilterPart],
])("%s keeps groups whole and only the loss of short successes and long failures", (_, filter) => {
  const { groups } = filter.apply(GROUPS, CONTEXT);
  expect(groups.map(({ trajectories }) => trajectories.length)).toEqual([2, 2]);
  const learned = groups.flatMap(({ trajectories }) =>
    trajectories.filter(({ lossMask }) => lossMask.flat().some(Boolean)),
  );
  expect(learned.map((rewarded) => rewarded.trajectory.id)).toEqual(["short win", "long loss"]);
  // A group statistic still sees the whole group: the baseline is that of all its rollouts.
  const { advantages } = groupAdvantage({ scale: "none" }).estimate(groups, CONTEXT);
  expect(advantages.get("short win")?.[0]?.[0]).toBe(0.5);
  expect(advantages.get("long loss")?.[0]?.[0]).toBe(-0.5);
});

test("trajectories left for later are reported as dropped", () => {
  const { dropped } = recompose().apply(GROUPS, CONTEXT);
  expect([...dropped]).toEqual([
    ["short loss", "left-for-later"],
    ["long win", "left-for-later"],
  ]);
});
