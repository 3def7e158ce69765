/** A critic fitted to TD targets finds the exact values of a small Markov chain. */
import { mulberry32 } from "@waggle/protocol";
import { expect, test } from "vitest";
import { valueLoss } from "../losses/value/value-loss.ts";
import { chunkTargets } from "./chunk-targets.ts";

const DISCOUNT = 0.9;

const STEPS = 400;

/** Runs per step. A mean over few runs favors those that end early. */
const RUNS = 128;

/** Transition probabilities from states 0 to 2; the remainder ends the task. */
const MOVES = [
  [0.2, 0.6, 0.1],
  [0.3, 0, 0.5],
  [0, 0.4, 0],
];

/** Reward for leaving each state. */
const REWARDS = [0, 0.5, 2];

/** v = r + γ·P·v by elimination: no sampling, no targets. */
function exactValues(): number[] {
  const rows = MOVES.map((moves, s) => [
    ...moves.map((chance, t) => (s === t ? 1 : 0) - DISCOUNT * chance),
    REWARDS[s] as number,
  ]);
  for (const [pivot, row] of rows.entries()) {
    const scale = row[pivot] as number;
    rows[pivot] = row.map((value) => value / scale);
    for (const [other, target] of rows.entries()) {
      if (other === pivot) continue;
      const factor = target[pivot] as number;
      rows[other] = target.map((value, i) => value - factor * (rows[pivot]?.[i] ?? 0));
    }
  }
  return rows.map((row) => row.at(-1) as number);
}

type Run = { readonly states: number[]; readonly terminated: boolean };

function run(random: () => number, most: number): Run {
  const states = [Math.floor(random() * 3)];
  while (states.length <= most) {
    let place = random();
    const next = (MOVES[states.at(-1) as number] ?? []).findIndex((chance) => {
      place -= chance;
      return place < 0;
    });
    if (next < 0) return { states, terminated: true };
    states.push(next);
  }
  return { states, terminated: false };
}

/** The value table after many steps on the critic's loss, with targets from the current table. */
function fitted(chunk: number, believesCuts: boolean): number[] {
  const random = mulberry32(7);
  let table = [0, 0, 0];
  const means = [0, 0, 0];
  for (let step = 0; step < STEPS; step += 1) {
    const runs = Array.from({ length: RUNS }, () => run(random, 6));
    const values = runs.map(({ states }) => states.map((state) => table[state] as number));
    const targets = runs.map(({ states, terminated }, b) => {
      const acted = terminated ? states : states.slice(0, -1);
      const rewards = acted.map((state) => REWARDS[state] as number);
      const ahead = [...(values[b] ?? []), 0].slice(0, acted.length + 1);
      return chunkTargets(rewards, ahead, {
        discount: DISCOUNT,
        chunk,
        terminated: terminated || !believesCuts,
      });
    });
    const lossMask = targets.map((row) => row.map(() => true));
    const result = valueLoss({
      lossMask,
      values: values.map((row, b) => row.slice(0, lossMask[b]?.length)),
      targets,
    });
    const slopes = [0, 0, 0];
    for (const [b, { states }] of runs.entries()) {
      for (const [t, slope] of (result.derivatives.values?.[b] ?? []).entries()) {
        const state = states[t] as number;
        slopes[state] = (slopes[state] as number) + slope;
      }
    }
    table = table.map((value, s) => value - 0.5 * (slopes[s] as number));
    // The mean over the later tables; single ones keep the noise of their runs.
    if (step >= STEPS / 2)
      for (const [s, value] of table.entries()) {
        means[s] = (means[s] as number) + value / (STEPS / 2);
      }
  }
  return means;
}

test.each([1, 2, 4])("targets over chunks of %i steps give the exact values", (chunk) => {
  const exact = exactValues();
  const found = fitted(chunk, true);
  for (const [s, value] of exact.entries()) expect(found[s]).toBeCloseTo(value, 1);
});

test("a critic that treats truncation as termination is wrong", () => {
  const exact = exactValues();
  const wrong = fitted(1, false);
  expect(Math.max(...exact.map((value, s) => value - (wrong[s] as number)))).toBeGreaterThan(0.05);
});
