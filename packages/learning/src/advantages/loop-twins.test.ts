/** Each estimator compared with a loop written from its formula, over ragged data with ties and σ = 0. */
import { mulberry32 } from "@waggle/protocol";
import fc from "fast-check";
import { test } from "vitest";
import { expectClose, expectRowsClose } from "../close.fixture.ts";
import { batchNormalizedAdvantages } from "./batch-normalized.ts";
import { chunkTargets } from "./chunk-targets.ts";
import { groupRelativeAdvantages } from "./group-advantages.ts";
import { optimalTokenAdvantages } from "./optimal-token-baseline.ts";
import { reinforcePlusPlusAdvantages } from "./reinforce-plus-plus.ts";
import { splitAdvantages } from "./split-channels.ts";
import { stateGroupAdvantages } from "./state-groups.ts";
import { mixedStepAdvantages } from "./step-mix.ts";
import { turnAdvantages } from "./turn-returns.ts";

/** Few values, to make ties and equal groups common. */
const reward = fc.constantFrom(0, 0.5, 1);
const conventions = ["population", "sample"] as const;

const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length;
function std(values: readonly number[], convention: "population" | "sample"): number {
  let sum = 0;
  for (const value of values) sum += (value - mean(values)) ** 2;
  return Math.sqrt(sum / (values.length - (convention === "sample" ? 1 : 0)));
}

test.each(conventions)("GRPO with the %s deviation", (convention) => {
  fc.assert(
    fc.property(fc.array(reward, { minLength: 2, maxLength: 8 }), (rewards) => {
      const slow: number[] = [];
      for (const own of rewards) {
        slow.push((own - mean(rewards)) / (std(rewards, convention) + 1e-6));
      }
      expectClose(groupRelativeAdvantages(rewards, { scale: "std", convention }), slow, 9);
    }),
  );
});

const turns = fc.array(fc.array(reward, { minLength: 1, maxLength: 4 }), {
  minLength: 2,
  maxLength: 5,
});

test.each(["turn", "group"] as const)("turn advantages over the %s", (normalizeOver) => {
  fc.assert(
    fc.property(turns, (rows) => {
      const returns = rows.map((row) =>
        row.map((_, t) => row.slice(t).reduce<number>((sum, r, k) => sum + 0.9 ** k * r, 0)),
      );
      const slow = returns.map((row) =>
        row.map((value, t) => {
          const peers: number[] = [];
          for (const other of returns) {
            for (const [s, peer] of other.entries()) {
              if (normalizeOver === "group" || s === t) peers.push(peer);
            }
          }
          return (value - mean(peers)) / (std(peers, "population") + 1e-6);
        }),
      );
      expectRowsClose(turnAdvantages(rows, { discount: 0.9, normalizeOver }), slow, 6);
    }),
  );
});

const trajectories = fc.array(
  fc.record({
    group: fc.constantFrom("a", "b"),
    reward,
    steps: fc.array(fc.record({ state: fc.constantFrom("s", "t"), reward }), { maxLength: 4 }),
  }),
  { minLength: 4, maxLength: 8 },
);

test("GiGPO, each step against all steps of its task and state", () => {
  fc.assert(
    fc.property(trajectories, (all) => {
      fc.pre(["a", "b"].every((key) => all.filter(({ group }) => group === key).length !== 1));
      const returnAt = (i: number, t: number) =>
        all[i]!.steps.slice(t).reduce((sum, step, k) => sum + 0.95 ** k * step.reward, 0);
      const slow = all.map((own, i) =>
        own.steps.map((step, t) => {
          const siblings = all.filter(({ group }) => group === own.group);
          const peers: number[] = [];
          for (const [j, other] of all.entries()) {
            for (const [s, peer] of other.steps.entries()) {
              if (other.group === own.group && peer.state === step.state)
                peers.push(returnAt(j, s));
            }
          }
          return (
            own.reward -
            mean(siblings.map(({ reward: r }) => r)) +
            0.5 * (returnAt(i, t) - mean(peers))
          );
        }),
      );
      expectRowsClose(stateGroupAdvantages(all, { stepWeight: 0.5 }), slow, 9);
    }),
  );
});

test("the optimal token baseline, position by position", () => {
  fc.assert(
    fc.property(fc.nat(), fc.array(reward, { minLength: 2, maxLength: 5 }), (seed, rewards) => {
      const random = mulberry32(seed);
      const rows = rewards.map(() =>
        Array.from({ length: 1 + Math.floor(random() * 5) }, () => {
          const p = 0.05 + 0.9 * random();
          return { kept: random() < 0.7, logProb: Math.log(p), squares: p * p + (1 - p) ** 2 / 3 };
        }),
      );
      const kept = rows.map((row) => row.filter((token) => token.kept));
      const weight = (b: number, position: number) =>
        kept[b]!.slice(0, position + 1).reduce(
          (sum, { logProb, squares }) => sum + 1 - 2 * Math.exp(logProb) + squares,
          0,
        );
      const slow = rows.map((row, b) => {
        let position = -1;
        return row.map((token) => {
          if (!token.kept) return 0;
          position += 1;
          let [weighted, total] = [0, 0];
          for (const [other, tokens] of kept.entries()) {
            if (position >= tokens.length) continue;
            weighted += rewards[other]! * weight(other, position);
            total += weight(other, position);
          }
          return rewards[b]! - weighted / total;
        });
      });
      expectRowsClose(
        optimalTokenAdvantages({
          lossMask: rows.map((row) => row.map((token) => token.kept)),
          rewards,
          logProbs: rows.map((row) => row.map(({ logProb }) => logProb)),
          sumSquaredProbs: rows.map((row) => row.map(({ squares }) => squares)),
        }),
        slow,
        9,
      );
    }),
  );
});

test("REINFORCE++ with a group's baseline, token by token", () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ reward, mask: fc.array(fc.boolean(), { maxLength: 5 }) }), {
        minLength: 2,
        maxLength: 5,
      }),
      (rows) => {
        const lossMask = rows.map(({ mask }) => mask);
        const rewards = rows.map((row) => row.reward);
        const kept: { b: number; t: number; value: number }[] = [];
        for (const [b, mask] of lossMask.entries()) {
          for (const [t, isKept] of mask.entries()) {
            if (!isKept) continue;
            const later = mask.slice(t + 1).filter(Boolean).length;
            kept.push({ b, t, value: 0.9 ** later * (rewards[b]! - mean(rewards)) });
          }
        }
        const values = kept.map(({ value }) => value);
        const slow = lossMask.map((mask) => mask.map(() => 0));
        for (const { b, t, value } of kept) {
          slow[b]![t] = (value - mean(values)) / (std(values, "population") + 1e-8);
        }
        const rowsOf = reinforcePlusPlusAdvantages(rewards, lossMask, {
          discount: 0.9,
          groups: rows.map(() => "task"),
        });
        expectRowsClose(rowsOf, slow, 6);
      },
    ),
  );
});

test("chunk targets, summed out", () => {
  fc.assert(
    fc.property(
      fc.array(reward, { minLength: 1, maxLength: 7 }),
      fc.integer({ min: 1, max: 9 }),
      fc.boolean(),
      (rewards, chunk, terminated) => {
        const values = [...rewards.map((_, t) => 3 - t / 2), 7];
        const slow = rewards.map((_, t) => {
          let target = 0;
          let k = 0;
          while (k < chunk && t + k < rewards.length) {
            target += 0.8 ** k * rewards[t + k]!;
            k += 1;
          }
          const isOver = t + k === rewards.length && terminated;
          return target + (isOver ? 0 : 0.8 ** k * values[t + k]!);
        });
        expectClose(chunkTargets(rewards, values, { discount: 0.8, chunk, terminated }), slow, 9);
      },
    ),
  );
});

const FLAT = [0.5, 0.5, 0.5];
test.each([
  ["GRPO", () => groupRelativeAdvantages(FLAT, { scale: "std" })],
  ["batch", () => batchNormalizedAdvantages(FLAT)],
  ["turn", () => turnAdvantages([[0.5], [0.5], [0.5]]).flat()],
  ["mix", () => mixedStepAdvantages(FLAT, [[0.2], [0.2], [0.2]]).flat()],
  [
    "GiGPO",
    () =>
      stateGroupAdvantages(
        FLAT.map((same) => ({
          group: "a",
          reward: same,
          steps: [{ state: "s", reward: same }],
        })),
        { scale: "std" },
      ).flat(),
  ],
  ["split", () => splitAdvantages([{ rewards: FLAT, weight: 2, options: { scale: "std" } }])],
  [
    "REINFORCE++",
    () =>
      reinforcePlusPlusAdvantages(
        FLAT,
        FLAT.map(() => [true]),
      ).flatMap((row) => [...row]),
  ],
])("σ = 0 gives zeros, not infinities: %s", (_, estimate) => {
  expectClose(estimate(), [0, 0, 0], 6);
});
