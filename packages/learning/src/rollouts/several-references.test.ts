import { expect, test } from "vitest";
import type { JudgedTrajectory } from "../composition/judged-trajectory.ts";
import type { PartContext } from "../composition/part.ts";
import { withoutReferences } from "../filters/participants.ts";
import { multiReference } from "../rewards/multi-reference.ts";

const CONTEXT: PartContext = {
  step: 0,
  steps: 1,
  random: () => 0.5,
  state: {},
  ports: {},
  signal: new AbortController().signal,
};

/** A trajectory that says these tokens turn by turn. */
function saying(role: string, success: boolean, ...said: readonly number[][]): JudgedTrajectory {
  let start = 0;
  const turns = said.map((tokenIds) => {
    const turn = { sample: 0, start, end: start + tokenIds.length };
    start = turn.end;
    return turn;
  });
  return {
    id: JSON.stringify([role, said]),
    role,
    turns,
    verification: { success, reward: 0 },
    samples: [{ sequence: { tokenIds: said.flat() }, lossMask: [] }],
  } as unknown as JudgedTrajectory;
}

test("the best of several references decides the reward", async () => {
  const short = saying("reference", true, [1, 2], [9]);
  const long = saying("reference", true, [1, 2], [3, 4], [9]);
  const failed = saying("reference", false, [5, 6], [8]);
  const trajectories = [
    saying("student", true, [1, 2], [9]),
    saying("student", true, [1, 2], [3, 4], [9]),
    saying("student", false, [5, 6], [8]),
    saying("student", false, [1, 2], [8]),
    short,
    long,
    failed,
  ];
  const rewards = await multiReference().rewards({ task: "t", trajectories }, CONTEXT);
  // Ends alike and did alike; did alike and ends otherwise; like a failure alone.
  expect(rewards.slice(0, 4).map(({ total: reward }) => reward)).toEqual([1, 1, 0, 0.5]);
  const one = await multiReference().rewards(
    { task: "t", trajectories: [...trajectories.slice(0, 2), short] },
    CONTEXT,
  );
  expect(one[1]?.total).toBeCloseTo(0.5 + 0.5 * (4 / 6), 12);
  const none = await multiReference().rewards({ task: "t", trajectories: [failed] }, CONTEXT);
  expect(none).toEqual([{ total: 0 }]);
});

test("references are compared but not trained on", () => {
  const rewarded = (trajectory: JudgedTrajectory) => ({
    trajectory,
    reward: { total: 1 },
    lossMask: [],
    tokenWeights: [],
  });
  const group = [saying("student", true, [1]), saying("reference", true, [1, 2])].map(rewarded);
  const kept = withoutReferences().apply([{ task: "t", trajectories: group }], CONTEXT);
  expect(
    kept.groups.flatMap(({ trajectories }) => trajectories.map((each) => each.trajectory.role)),
  ).toEqual(["student"]);
});
