/**
 * Version swaps in the middle of a rollout, on a real decoder: the recorded log-probs can be
 * recomputed.
 */
import { swappingPolicy } from "@waggle/agent";
import type { GenerateOptions, Sample } from "@waggle/protocol";
import { FULL_SUPPORT } from "@waggle/protocol";
import type { AdaptivePolicy } from "@waggle/runtime/node";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  movedAdapter,
  PROMPT,
  tinyPolicy,
} from "../../trainer/src/rollouts/tiny-policy.fixture.ts";

let policy: AdaptivePolicy;

beforeAll(async () => {
  policy = await tinyPolicy();
});
afterAll(() => policy.dispose());

function options(more: Partial<GenerateOptions> = {}): GenerateOptions {
  return { sampling: { ...FULL_SUPPORT, seed: 3 }, stopTokenIds: [], maxTokens: 24, ...more };
}

/** Log-probs of the sampled tokens under a version, `[T]`. */
async function scoredBy(version: number, said: readonly number[]): Promise<readonly number[]> {
  await policy.setAdapter(version, version === 0 ? null : movedAdapter(version));
  const { behaviorLogProbs } = await policy.score({
    tokenIds: [...PROMPT, ...said],
    sampling: FULL_SUPPORT,
  });
  return behaviorLogProbs.slice(PROMPT.length);
}

/** A generation during which version 1 is installed after `after` tokens. */
async function interrupted(after: number, more: Partial<GenerateOptions> = {}): Promise<Sample> {
  await policy.setAdapter(0, null);
  const swapping = swappingPolicy(policy, "token");
  const context = await swapping.createContext();
  context.append(PROMPT);
  let told = 0;
  let swap = Promise.resolve();
  const sample = await context.generate(
    options({
      ...more,
      onToken: () => {
        told += 1;
        if (told === after) swap = swapping.setAdapter(1, movedAdapter(1));
      },
    }),
  );
  await swap;
  context.dispose();
  return sample;
}

test("a generation continues under a new version, and each token has the log-prob of its sampler", async () => {
  const sample = await interrupted(5);
  const [first, second] = sample.versions ?? [];
  expect([first?.version, second?.version, second?.end]).toEqual([0, 1, 24]);
  expect(sample.tokenIds).toHaveLength(24);
  expect(sample.stopReason).toBe("max-tokens");
  const cut = first?.end ?? 0;
  expect(cut).toBeGreaterThanOrEqual(5);
  expect(second?.start).toBe(cut);
  const [byOld, byNew] = [await scoredBy(0, sample.tokenIds), await scoredBy(1, sample.tokenIds)];
  for (const [t, logProb] of sample.behaviorLogProbs.entries()) {
    expect(logProb).toBeCloseTo((t < cut ? byOld : byNew)[t] as number, 3);
  }
  // Control: the old version alone does not give these log-probs.
  const gaps = byOld.slice(cut).map((logProb, t) => Math.abs(logProb - (byNew[cut + t] as number)));
  expect(Math.max(...gaps)).toBeGreaterThan(0.01);
});

test("a swap at the last token leaves one version", async () => {
  expect((await interrupted(6, { maxTokens: 6 })).versions).toBeUndefined();
});

test("an external abort still ends the generation", async () => {
  const stop = new AbortController();
  await policy.setAdapter(0, null);
  const context = await swappingPolicy(policy, "token").createContext();
  context.append(PROMPT);
  const sample = await context.generate(
    options({ signal: stop.signal, onToken: () => stop.abort() }),
  );
  context.dispose();
  expect(sample.stopReason).toBe("aborted");
  expect(sample.tokenIds.length).toBeLessThan(24);
});

test("with swaps between turns, the next turn uses the new version and the previous one keeps the old", async () => {
  await policy.setAdapter(0, null);
  const swapping = swappingPolicy(policy, "turn");
  const context = await swapping.createContext();
  context.append(PROMPT);
  const first = await context.generate(options({ maxTokens: 8 }));
  expect([context.policyVersion, first.versions]).toEqual([0, undefined]);
  await swapping.setAdapter(1, movedAdapter(1));
  const second = await context.generate(options({ maxTokens: 8 }));
  expect(context.policyVersion).toBe(1);
  const said = [...first.tokenIds, ...second.tokenIds];
  const [byOld, byNew] = [await scoredBy(0, said), await scoredBy(1, said)];
  expect(first.behaviorLogProbs[7]).toBeCloseTo(byOld[7] as number, 3);
  expect(second.behaviorLogProbs[0]).toBeCloseTo(byNew[8] as number, 3);
  context.dispose();
});
