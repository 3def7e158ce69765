import { expect, test } from "vitest";
import { loopWarning as warningOf } from "./loop-warning.ts";

const UPLOADS = {
  accepted: 640,
  learned: 80,
  skipped: 560,
  rejected: 0,
  waiting: 0,
  lost: 0,
  twice: 0,
};

const loopWarning = (report: Omit<Parameters<typeof warningOf>[0], "rewards">): string | null =>
  warningOf({ rewards: null, ...report });

function success(base: number, final: number | null, greedy: number) {
  const temperatures = [
    { temperature: "greedy", base: greedy, final: final === null ? null : greedy },
  ];
  return { base, final, tasks: 400, temperatures, unseenPatterns: null };
}

test("a base and a deployed version that fail almost always are too weak to learn from", () => {
  const words = loopWarning({ success: success(0, 0.049, 0.02), uploads: UPLOADS, published: 1 });
  expect(words).toMatch(
    /^warning: the base and the deployed version solve almost no held-out task/,
  );
  expect(words).toContain("docs/how-to/your-own-environment.md#a-base-that-is-too-weak");
});

test("a base that fails almost always is too weak, also if no version was deployed", () => {
  const weak = { success: success(0, null, 0.02), uploads: UPLOADS, published: 0 };
  expect(loopWarning(weak)).toMatch(/^warning: the base solves almost no held-out task/);
  const able = { ...weak, success: success(0.3, null, 0.4) };
  expect(loopWarning(able)).toMatch(/no version was published/);
});

test("a version that solves 5 % of the tasks, sampled or greedily, is no reason to warn", () => {
  expect(loopWarning({ success: success(0, 0.05, 0), uploads: UPLOADS, published: 1 })).toBeNull();
  expect(loopWarning({ success: success(0, 0, 0.3), uploads: UPLOADS, published: 1 })).toBeNull();
});

test("a run that learned nothing says so, also without a comparison", () => {
  const uploads = { ...UPLOADS, learned: 0, skipped: 640 };
  const uncompared = { ...success(0, 0, 0), base: null, final: null, temperatures: [] };
  expect(loopWarning({ success: uncompared, uploads, published: 0 })).toMatch(
    /^warning: nothing was learned from 640 trajectories/,
  );
  expect(loopWarning({ success: success(1, 1, 1), uploads, published: 0 })).toMatch(
    /nothing was learned/,
  );
  expect(loopWarning({ success: uncompared, uploads: UPLOADS, published: 1 })).toBeNull();
});

test("a run that learned without a publication says so", () => {
  const learned = { success: success(0.75, 0.75, 0.9), uploads: UPLOADS };
  expect(loopWarning({ ...learned, published: 0 })).toMatch(
    /^warning: 80 trajectories were learned from, but no version was published/,
  );
  expect(loopWarning({ ...learned, published: 1 })).toBeNull();
});

test("a run of rewards needs a published step", () => {
  const none = { ...UPLOADS, accepted: 0, learned: 0, skipped: 0 };
  const warned = (published: number, steps: number) =>
    warningOf({
      success: success(0.5, null, 0.6),
      uploads: none,
      published,
      rewards: { accepted: 200, steps },
    });
  expect(warned(0, 0)).toMatch(/^warning: no version was published, so pages got no tasks/);
  expect(warned(1, 0)).toMatch(/^warning: no step was taken from 200 rewards\./);
  expect(warned(1, 1)).toMatch(/^warning: a step was taken, but its version was not published/);
  expect(warned(2, 1)).toBeNull();
});
