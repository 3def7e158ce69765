import type { TokenOutputs } from "@waggle/protocol";
import { expect, test } from "vitest";
import { fault } from "../../../test/fixtures/fault.ts";
import { sampleSize } from "../../../test/fixtures/long.ts";
import type { LearnableGroup } from "../check/learnable-group.ts";
import { seededRandom } from "@waggle/protocol";
import { driftAfter } from "./drift.ts";

const VOCABULARY = 50;
const STABLE = 3;

function logSoftmax(logits: readonly number[]): number[] {
  const total = Math.log(logits.reduce((sum, logit) => sum + Math.exp(logit), 0));
  return logits.map((logit) => logit - total);
}

/** Two policies over one context, `scale` apart, and their exact KL(stable ‖ trained). */
function twoPolicies(scale: number, random: () => number) {
  const noise = (): number => random() + random() + random() - 1.5;
  const logits = Array.from({ length: VOCABULARY }, () => 3 * noise());
  const stable = logSoftmax(logits);
  const trained = logSoftmax(logits.map((logit) => logit + scale * noise()));
  const kl = stable.reduce((sum, log, v) => sum + Math.exp(log) * (log - (trained[v] ?? 0)), 0);
  return { stable, trained, kl };
}

/** The estimated drift on sequences of 40 tokens sampled by `version`. */
async function measured(
  { stable, trained }: ReturnType<typeof twoPolicies>,
  random: () => number,
  { sequences = 25, version = STABLE, maxTokens = 4096 } = {},
): Promise<number | null> {
  const draw = (): number => {
    let left = random();
    const token = stable.findIndex((log) => (left -= Math.exp(log)) <= 0);
    return token === -1 ? VOCABULARY - 1 : token;
  };
  const trajectories = Array.from({ length: sequences }, () => {
    const tokenIds = Array.from({ length: 40 }, draw);
    const span = { start: 0, segment: { policyVersion: version, tokenIds } };
    return {
      trajectory: { samples: [{ sequence: { tokenIds }, spans: [span] }] },
      rescoredLogProbs: [tokenIds.map((token) => stable[token] ?? 0)],
    };
  });
  const engine = {
    forward: async ({
      sequences: asked,
    }: {
      sequences: readonly { tokenIds: readonly number[] }[];
    }) => {
      const logProb = asked.map(({ tokenIds }) =>
        Float32Array.from(tokenIds, (token) => trained[token] ?? 0),
      );
      return { logProb } as unknown as TokenOutputs;
    },
  };
  const groups = [{ task: "t", trajectories }] as unknown as LearnableGroup[];
  return (await driftAfter(engine, groups, STABLE, maxTokens)).stable;
}

test("the estimate equals the exact KL up to sampling error", async () => {
  const random = seededRandom(1);
  const policies = twoPolicies(0.5, random);
  const drift = (await measured(policies, random, { sequences: 2000, maxTokens: 1e6 })) ?? 0;
  expect(Math.abs(drift / policies.kl - 1)).toBeLessThan(0.1);
});

test("one token that the policy no longer draws is no drift of thirty nats from the base", async () => {
  const answer = answerOf([1, ...Array.from({ length: 299 }, () => 2)], -1);
  const engine = {
    forward: async () => ({
      logProb: [Float32Array.from({ length: 300 }, (_, t) => (t === 0 ? -10 : -1))],
    }),
  } as unknown as Parameters<typeof driftAfter>[0];
  const base = async () => [new Float32Array(300).fill(-1)];
  const groups = [{ task: "t", trajectories: [answer] }] as unknown as LearnableGroup[];
  const drift = await driftAfter(engine, groups, STABLE, 4096, base);
  expect(drift.base).toBeGreaterThan(0);
  expect(drift.base).toBeLessThan(1 / 300);
});

test("tokens of other versions are ignored, and the pass is bounded", async () => {
  const random = seededRandom(2);
  const policies = twoPolicies(0.5, random);
  expect(await measured(policies, random, { version: 2 })).toBeNull();
  expect(await measured(policies, random, { maxTokens: 1 })).toBeGreaterThan(0);
});

test("equal policies have no drift", async () => {
  const random = seededRandom(3);
  expect(await measured(twoPolicies(0, random), random)).toBeLessThan(1e-12);
});

/** One answer of four tokens with its log-probs at the stable version. */
function answerOf(tokenIds: readonly number[], stable: number, version: number = STABLE) {
  const span = { start: 0, segment: { policyVersion: version, tokenIds } };
  return {
    digest: "d",
    trajectory: { samples: [{ sequence: { tokenIds }, spans: [span] }] },
    rescoredLogProbs: [tokenIds.map(() => stable)],
  };
}

/** The drift if the trained policy gives each token −1 nats, and the base −1 to tokens below 3 and −8 to others. */
async function driftOf(...trajectories: readonly object[]) {
  const engine = {
    forward: async ({ sequences }: { sequences: readonly { tokenIds: readonly number[] }[] }) => ({
      logProb: sequences.map(({ tokenIds }) => Float32Array.from(tokenIds, () => -1)),
    }),
  } as unknown as Parameters<typeof driftAfter>[0];
  const base = async (sequences: readonly { tokenIds: readonly number[] }[]) =>
    sequences.map(({ tokenIds }) => Float32Array.from(tokenIds, (token) => (token < 3 ? -1 : -8)));
  const groups = [{ task: "t", trajectories }] as unknown as LearnableGroup[];
  return driftAfter(engine, groups, STABLE, 4096, base);
}

// The training made the written answer likelier by 7 nats a token, and left the given one alone.
const WRITTEN = answerOf([3, 4, 5], -8);
const GIVEN = answerOf([1, 2], -1);

test("of an answer that a person wrote, the one that the policy gave is measured", async () => {
  expect(await driftOf({ ...WRITTEN, given: GIVEN })).toEqual({ stable: 0, base: 0 });
  // The control: measured on what was written, the same step is far beyond any limit.
  expect((await driftOf(WRITTEN)).stable).toBeGreaterThan(100);
  // A policy that has moved away from its own answers has drifted.
  const moved = await driftOf({ ...WRITTEN, given: answerOf([1, 2], -3) });
  expect(moved.stable).toBeCloseTo(Math.exp(2) - 1 - 2, 6);
});

test("both sides of a pair are one answer that was given", async () => {
  const pair = [{ ...WRITTEN, given: GIVEN }, answerOf([1, 2], -3, STABLE - 1)];
  expect(await driftOf(...pair)).toEqual({ stable: 0, base: 0 });
  const other = { ...answerOf([1, 2], -3), digest: "other" };
  expect((await driftOf(...pair, other)).stable).toBeGreaterThan(0.1);
});

const jump = "the trained policy jumps 0.5 nats a token or more from the stable version";
fault(jump, { item: "2.5", before: "no limit: 0 of 20 jumps were noticed" }, async () => {
  const LIMIT = 0.2;
  const runs = sampleSize(200, 1000);
  let honest = 0;
  for (let seed = 0; seed < runs; seed += 1) {
    const random = seededRandom(seed, 1);
    const policies = twoPolicies(0.35, random);
    expect(policies.kl).toBeLessThan(0.06);
    if (((await measured(policies, random)) ?? 0) > LIMIT) honest += 1;
  }
  let jumps = 0;
  for (let seed = 0; jumps < 20; seed += 1) {
    const random = seededRandom(seed, 2);
    const policies = twoPolicies(3, random);
    if (policies.kl < 0.5) continue;
    expect(await measured(policies, random)).toBeGreaterThan(LIMIT);
    jumps += 1;
  }
  expect(honest).toBe(0);
  return { after: `20 of 20 jumps are alarms, ${honest} of ${runs} honest runs` };
});
