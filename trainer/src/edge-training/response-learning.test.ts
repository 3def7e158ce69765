/** Two kinds of visitors want opposite answers, and one kind seldom presses a thumb. */
import type { LeasedGroup, LeasedTrajectory } from "@waggle/protocol";
import { afterAll, expect, test } from "vitest";
import { sampleSize } from "../../../test/fixtures/long.ts";
import { gain, isWanted, withThumbs } from "./feedback-gain.fixture.ts";
import { removeSetups } from "./training-loop.fixture.ts";

afterAll(removeSetups);

/** Of 160 thumbs, 128 are of regular visitors, who make 320 of 1920 requests. */
const REGULAR = { requests: 320, answered: 128 };
const NEW = { requests: 1600, answered: 32 };
const ALL = { allRequests: 1920, allAnswered: 160 };

const isRegular = (index: number): boolean => index % 5 < 4;

/** Regular visitors want the answers that are wanted elsewhere in these tests, and new ones the others. */
const wished = withThumbs((request, i) => isWanted(request) === isRegular(i));

function counted(
  groups: readonly LeasedGroup[],
  countsOf: (index: number) => typeof REGULAR,
): LeasedGroup[] {
  return groups.map((group, i) => ({
    ...group,
    trajectories: group.trajectories.map((request): LeasedTrajectory => ({
      ...request,
      response: { ...countsOf(i), ...ALL },
    })),
  }));
}

test("with the counts of requests, the policy learns what most visitors want", async () => {
  const plain = await gain("thumbs-reinforce", wished);
  const weighted = await gain(
    "thumbs-reinforce",
    counted(wished, (i) => (isRegular(i) ? REGULAR : NEW)),
  );
  expect(plain.steps).toBe(20);
  expect(weighted.steps).toBe(20);
  // Higher: more of what regular visitors want, who make one request in six, as they press four thumbs in five.
  expect(plain.gain).toBeGreaterThan(0);
  expect(weighted.gain).toBeLessThan(-0.1);
});

test("counts of equal chances change nothing, and counts that differ by chance change little", async () => {
  const liked = withThumbs(isWanted).slice(0, sampleSize(64, 160));
  const plain = await gain("thumbs-reinforce", liked);
  const equal = await gain(
    "thumbs-reinforce",
    counted(liked, () => ({ requests: 960, answered: 80 })),
  );
  expect(equal.gain).toBe(plain.gain);
  // 80 expected, with a standard deviation of about 8.5.
  const noisy = await gain(
    "thumbs-reinforce",
    counted(liked, (i) => ({ requests: 960, answered: i % 2 === 0 ? 89 : 71 })),
  );
  expect(noisy.gain).toBeGreaterThan(0.8 * plain.gain);
});
