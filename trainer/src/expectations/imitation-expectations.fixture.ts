/**
 * How each recipe of the imitation table differs from plain imitation of demonstrations with some
 * mistakes. A check must pass for its recipe and fail for that control.
 */
import { type JudgedTrajectory, sampledTokens, toolErrors } from "@waggle/learning";
import { expect } from "vitest";
import {
  at,
  type Check,
  type Expectation,
  trajectoriesOf,
  keeps,
  learnsInTurn,
  learnsPairs,
  learnsTurns,
  numbersOf,
  rewardedOf,
} from "./recipe-checks.fixture.ts";
import { SEARCH_IMITATION_EXPECTATIONS } from "./search-expectations.fixture.ts";

const keepsSuccesses = keeps(0, ({ verification }) => verification.success);
const ran = ({ turns }: JudgedTrajectory, turn: number): boolean =>
  turns[turn]?.toolResults.every(({ ok }) => ok) === true;
const calls = ({ turns }: JudgedTrajectory, turn: number): boolean =>
  (turns[turn]?.toolCalls.length ?? 0) > 0;

/** At most `total` trajectories are learned, with at most its share for each label. */
function mixes(
  stage: number,
  shares: { readonly [label: string]: number },
  total: number,
  labelOf: (trajectory: JudgedTrajectory) => string = ({ turns }) =>
    turns.length > 2 ? "long" : "short",
): Check {
  return (records) => {
    const kept = rewardedOf(at(records, stage)).map(({ trajectory }) => labelOf(trajectory));
    const offered = trajectoriesOf(at(records, stage)).map(labelOf);
    expect(kept.length).toBeLessThanOrEqual(total);
    for (const [label, share] of Object.entries(shares)) {
      const own = kept.filter((other) => other === label).length;
      if (offered.includes(label)) expect(own).toBeGreaterThan(0);
      expect(own).toBeLessThanOrEqual(Math.ceil(share * total));
    }
  };
}

/** A stage learns from at most `budget` trajectories. */
function keepsFew(stage: number, budget: number): Check {
  return (records) => {
    expect(rewardedOf(at(records, stage)).length).toBeLessThanOrEqual(budget);
  };
}

/** The state names a teacher, and the imitated trajectories are not the policy's own. */
const hasTeacher: Check = (records) => {
  expect(at(records, 0).state.teacher).toBeDefined();
  const kept = rewardedOf(at(records, 0));
  expect(kept.every(({ trajectory }) => trajectory.record.client.device === "none")).toBe(true);
};

/** Rollouts start with `count` different sentences. */
function usesModes(count: number): Check {
  return (records) => {
    const modes = new Set(trajectoriesOf(at(records, 0)).map(({ mode }) => mode));
    expect(modes.size).toBe(count);
    expect(modes.has(null)).toBe(false);
  };
}

/** Tokens that were not sampled are learned: prompts or tool results. */
function learnsUnsampled(stage: number): Check {
  return (records) => {
    const { result, minibatch } = numbersOf(at(records, stage));
    const learned = minibatch.lossMask.flatMap((mask, b) =>
      mask.filter((said, t) => !said && result.derivatives.logProb?.[b]?.[t] !== 0),
    );
    // Position 0 has no context.
    expect(learned.length).toBeGreaterThan(minibatch.lossMask.length);
  };
}

/** Tokens of turns with calls have other weights than those of text turns. */
const weighsKinds: Check = (records) => {
  const { result, minibatch } = numbersOf(at(records, 0));
  const sums = { calls: 0, words: 0 };
  for (const [b, { trajectory }] of minibatch.trajectories.entries()) {
    for (const [i, { start, end }] of trajectory.turns.entries()) {
      const row = result.derivatives.logProb?.[b]?.subarray(start, end) ?? [];
      const sum = Array.from(row).reduce((all, value) => all - value, 0);
      sums[calls(trajectory, i) ? "calls" : "words"] += sum;
    }
  }
  // Each kind is a mean over its own tokens, or the masked kind over all tokens: text alone sums to
  // one.
  expect(sums.words).toBeCloseTo(1, 6);
  expect(sums.calls).toBeGreaterThan(0);
};

export const IMITATION_EXPECTATIONS: { readonly [recipe: string]: Expectation } = {
  ...SEARCH_IMITATION_EXPECTATIONS,
  "opt-sft": { differs: null },
  "agent-bank": {
    settings: { kept: 4 },
    differs: [keepsSuccesses, mixes(0, { short: 0.5, long: 0.5 }, 4)],
  },
  "adp-mixture": {
    settings: { kept: 4 },
    differs: [keeps(0, (trajectory) => toolErrors(trajectory) === 0), keepsFew(0, 4)],
  },
  "agent-tuning": {
    settings: { kept: 5 },
    differs: [keepsSuccesses, mixes(0, { long: 0.2, short: 0.8 }, 5)],
  },
  "agent-refine": { differs: [keepsSuccesses, learnsTurns(0, ran), hasTeacher] },
  atlas: {
    differs: [
      learnsTurns(
        0,
        ({ turns }, turn) =>
          turn === 0 || (turns[turn - 1]?.toolResults ?? []).some(({ ok }) => !ok),
      ),
    ],
  },
  "benign-realignment": {
    differs: [
      learnsInTurn("tokens", "tokens"),
      keepsFew(1, 6),
      (records) => {
        const rate = (stage: number): number => {
          const all = rewardedOf(at(records, stage));
          return (
            all.filter(({ trajectory }) => trajectory.verification.success).length / all.length
          );
        };
        expect(rate(0)).toBeLessThan(rate(1));
      },
    ],
  },
  limi: { differs: [keepsFew(0, 4)] },
  "agentic-cpt": { differs: [learnsInTurn("tokens", "tokens", "rewards"), learnsUnsampled(0)] },
  "cap-cpt": { differs: [learnsInTurn("tokens", "tokens"), learnsUnsampled(0)] },
  "youtu-llm": {
    settings: { kept: 4 },
    differs: [
      learnsUnsampled(0),
      learnsUnsampled(1),
      mixes(0, { long: 0.25, short: 0.75 }, 4),
      mixes(1, { long: 0.75, short: 0.25 }, 4),
    ],
  },
  "contextual-fine-tuning": { differs: [usesModes(3), learnsTurns(0, ran)] },
  dft: {
    differs: [
      (records) => {
        // A likelier token has a proportionally larger gradient.
        const { result, minibatch } = numbersOf(at(records, 0));
        const pulls = minibatch.lossMask.flatMap((mask, b) =>
          Array.from(result.derivatives.logProb?.[b] ?? [])
            .filter((_, t) => mask[t] === true)
            .map((value) => -value),
        );
        expect(Math.max(...pulls) / Math.min(...pulls)).toBeGreaterThan(1.01);
        expect(pulls.reduce((sum, pull) => sum + pull, 0)).toBeLessThan(0.9);
      },
    ],
  },
  "dual-distill": {
    differs: [
      hasTeacher,
      keepsSuccesses,
      (records) => {
        const record = at(records, 0);
        expect(record.groups.every(({ trajectories }) => trajectories.length === 2)).toBe(true);
        for (const { trajectories } of numbersOf(record).groups)
          expect(trajectories).toHaveLength(1);
        // Of two successes, the shorter.
        for (const { trajectories } of record.groups) {
          const wins = trajectories.filter(({ verification }) => verification.success);
          const shortest = Math.min(...wins.map(sampledTokens));
          const kept = rewardedOf(record).find(({ trajectory }) => wins.includes(trajectory));
          if (kept !== undefined) expect(sampledTokens(kept.trajectory)).toBe(shortest);
        }
      },
    ],
  },
  "fire-act": {
    settings: { kept: 4 },
    differs: [
      hasTeacher,
      keepsSuccesses,
      usesModes(2),
      mixes(0, { "": 0.5, "Be brief.": 0.5 }, 4, ({ mode }) => mode ?? ""),
    ],
  },
  "meta-agent-tuning": {
    settings: { kept: 6 },
    differs: [
      hasTeacher,
      usesModes(3),
      mixes(
        0,
        { "You plan first.": 1 / 3, "You call tools.": 1 / 3, "You answer.": 1 / 3 },
        6,
        ({ mode }) => mode ?? "",
      ),
    ],
  },
  "early-experience": {
    differs: [
      learnsUnsampled(0),
      (records) => {
        const record = at(records, 0);
        expect(record.stage.reward).toBeNull();
        expect(trajectoriesOf(record).some(({ branch }) => branch !== null)).toBe(true);
        // The policy's own text is not learned.
        const { result, minibatch } = numbersOf(record);
        for (const [b, mask] of minibatch.lossMask.entries()) {
          const said = mask.filter((own, t) => own && result.derivatives.logProb?.[b]?.[t] !== 0);
          expect(said).toHaveLength(0);
        }
      },
    ],
  },
  "mo-repair": { differs: [weighsKinds] },
  "transfer-transfo": { differs: [learnsUnsampled(0)] },
  eef: {
    differs: [
      hasTeacher,
      keepsSuccesses,
      learnsTurns(0, ran),
      (records) => {
        const branches = rewardedOf(at(records, 1));
        expect(branches.every(({ trajectory }) => (trajectory.branch?.turn ?? 0) > 0)).toBe(true);
        expect(branches.every(({ trajectory }) => trajectory.verification.success)).toBe(true);
      },
    ],
  },
  "self-improving-web": {
    settings: { kept: 4 },
    differs: [
      keepsSuccesses,
      (records) => {
        const kept = rewardedOf(at(records, 0));
        expect(kept.some(({ trajectory }) => trajectory.record.client.device === "none")).toBe(
          false,
        );
      },
    ],
  },
  "cast-flow": {
    differs: [learnsInTurn("tokens", "rewards"), learnsTurns(0, calls), learnsTurns(1, calls)],
  },
  meissa: {
    differs: [
      hasTeacher,
      (records) => {
        const record = at(records, 0);
        const kept = new Set(rewardedOf(record).map(({ trajectory }) => trajectory.id));
        const solved = ({ trajectories }: (typeof record.groups)[number]): boolean =>
          trajectories.some(({ role, verification }) => role === "student" && verification.success);
        expect(record.groups.some(solved)).toBe(true);
        for (const group of record.groups) {
          const learned = group.trajectories.some(({ id }) => kept.has(id));
          expect(learned).toBe(!solved(group));
        }
      },
    ],
  },
  "search-align": {
    differs: [keepsSuccesses, keeps(0, (trajectory) => toolErrors(trajectory) === 0)],
  },
  "t3-agent": {
    differs: [
      keepsSuccesses,
      keeps(0, ({ turns, verification }) => {
        const read = turns.every(({ parseError }) => parseError === null);
        return read && verification.success && turns.some((turn) => turn.toolCalls.length > 0);
      }),
    ],
  },
  "search-swarm": { differs: [keepsSuccesses] },
  tura: { env: "lookup", differs: [hasTeacher, learnsTurns(0, calls)] },
  alama: {
    differs: [
      usesModes(2),
      (records) => {
        // The contrast alone raises the chosen and lowers the rejected.
        learnsPairs(0)(records);
        const { metrics } = numbersOf(at(records, 0)).result;
        expect(metrics["contrastAccuracy"]).toBeDefined();
      },
    ],
  },
  // The test itself checks which parameters change.
  hft: { differs: null },
  "loc-ft": { differs: null },
  "input-space": { differs: null },
};
