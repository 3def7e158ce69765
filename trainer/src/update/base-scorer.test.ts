import { FULL_SUPPORT } from "@waggle/protocol";
import { expect, test } from "vitest";
import { movedAdapter, PROMPT, tinyPolicy } from "../rollouts/tiny-policy.fixture.ts";
import { baseScorer } from "./base-scorer.ts";

test("gives the base's log-probs, whichever version the policy has, and reads each sequence once", async () => {
  const policy = await tinyPolicy();
  try {
    const tokenIds = PROMPT;
    const base = await policy.score({ tokenIds, sampling: FULL_SUPPORT });
    await policy.setAdapter(3, movedAdapter(1));
    const moved = await policy.score({ tokenIds, sampling: FULL_SUPPORT });
    expect(moved.behaviorLogProbs).not.toEqual(base.behaviorLogProbs);

    const scorer = baseScorer(policy);
    const sequence = { tokenIds };
    const [row = []] = await scorer([sequence]);
    expect(Array.from(row)).toEqual(Array.from(Float32Array.from(base.behaviorLogProbs)));
    await policy.setAdapter(3, movedAdapter(1));
    const [again] = await scorer([sequence]);
    expect(again).toBe(row);
    expect(policy.currentVersion).toBe(3);
  } finally {
    await policy.dispose();
  }
});

test("each token has the temperature and the kept set that it was sampled with", async () => {
  const policy = await tinyPolicy();
  try {
    const tokenIds = PROMPT;
    const keptTokenIds = tokenIds.map((id, t) => (t === 5 ? [id, (id + 1) % 32] : null));
    const temperatures = tokenIds.map((_, t) => (t === 7 ? 0.5 : 1));
    const [row = []] = await baseScorer(policy)([{ tokenIds, temperatures, keptTokenIds }]);
    const at = async (temperature: number) =>
      (await policy.score({ tokenIds, sampling: { ...FULL_SUPPORT, temperature }, keptTokenIds }))
        .behaviorLogProbs;
    const [warm, cool] = [await at(1), await at(0.5)];
    expect(row[5]).toBeCloseTo(warm[5] ?? NaN, 6);
    expect(row[7]).toBeCloseTo(cool[7] ?? NaN, 6);
    expect(Math.abs((cool[7] ?? 0) - (warm[7] ?? 0))).toBeGreaterThan(0.01);
  } finally {
    await policy.dispose();
  }
});
