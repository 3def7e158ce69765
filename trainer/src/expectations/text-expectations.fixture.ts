/**
 * Expectations of recipes that write texts or cases. Those with a policy gradient differ from plain
 * GRPO. For those without a gradient, plain GRPO, whose parameters change, is the control too.
 */
import type {
  CaseStore,
  ExperienceLibrary,
  JudgedTrajectory,
  PromptPopulation,
  ReadBefore,
} from "@waggle/learning";
import { expect } from "vitest";
import {
  at,
  type Check,
  trajectoriesOf,
  type Expectation,
  judged,
  numbersOf,
  turnAdvantages,
} from "./recipe-checks.fixture.ts";
import type { StageRecord } from "./recipe-update.fixture.ts";

function readOf({ read }: JudgedTrajectory): ReadBefore {
  if (read === null) throw new Error("nothing was read");
  return read;
}

/** Ids of this state's entries that the rollouts of a record read. */
function idsRead(record: StageRecord, state: string): string[] {
  return trajectoriesOf(record).flatMap((trajectory) => readOf(trajectory).ids[state] ?? []);
}

const populationOf = ({ state }: StageRecord): PromptPopulation =>
  state["prompts"] as PromptPopulation;
const casesOf = ({ state }: StageRecord): CaseStore => state["cases"] as CaseStore;
const libraryOf = ({ state }: StageRecord): ExperienceLibrary =>
  state["experience"] as ExperienceLibrary;

const everyUpdate = (record: StageRecord): StageRecord[] => [...record.earlier, record];

/** No parameter changed, and something was written. */
const writesInstead: Check = (records) => {
  for (const record of records.flatMap(everyUpdate)) expect(record.moved).toBe(0);
  const changes = everyUpdate(at(records, -1)).map(({ update }) => update.metrics["changes"] ?? 0);
  expect(Math.max(...changes)).toBeGreaterThan(0);
};

/** Prompts get longer once there is something to read. */
const readsMore: Check = (records) => {
  const record = at(records, -1);
  const start = ({ record: trajectory }: JudgedTrajectory): number =>
    trajectory.segments[0]?.tokenIds.length ?? 0;
  const [first] = record.earlier;
  if (first === undefined) throw new Error("one update only");
  const longest = (of: StageRecord): number => Math.max(...trajectoriesOf(of).map(start));
  expect(longest(record)).toBeGreaterThan(longest(first));
};

/**
 * Prompts are tried and credited with their rollouts, and new ones are derived from earlier ones.
 */
const evolvesPrompts: Check = (records) => {
  const record = at(records, -1);
  const { living, archive } = populationOf(record);
  const all = [...living, ...archive];
  expect(all.filter(({ parent }) => parent !== null).length).toBeGreaterThan(0);
  for (const { id, rewardSum, uses } of all) {
    const earned = everyUpdate(record).flatMap((update) =>
      trajectoriesOf(update).filter((trajectory) => readOf(trajectory).ids["prompts"]?.[0] === id),
    );
    expect(uses).toBe(earned.length);
    expect(Number.isFinite(rewardSum)).toBe(true);
  }
  expect(
    new Set(everyUpdate(record).flatMap((each) => idsRead(each, "prompts"))).size,
  ).toBeGreaterThan(1);
};

/** The last request to the writer contains these words. */
function asks(...words: readonly (string | RegExp)[]): Check {
  return (records) => {
    const last = at(records, -1).asked.at(-1) ?? "";
    for (const word of words) expect(last).toMatch(word);
  };
}

/** Cases are read, and reading one changes the weights of the choice. */
const learnsWhatToRead: Check = (records) => {
  const record = at(records, -1);
  const [first] = record.earlier;
  if (first === undefined) throw new Error("one update only");
  expect(idsRead(first, "cases")).toEqual([]);
  expect(idsRead(record, "cases").length).toBe(trajectoriesOf(record).length);
  const { memory, policy } = casesOf(record);
  expect(policy.weights).not.toEqual(casesOf(first).policy.weights);
  expect(memory.cases.some(({ reads }) => reads > 0)).toBe(true);
};

/** Few uses per prompt, so that a few updates complete a generation. */
const FAST = { updates: 3, settings: { leastUses: 8 } };

/** Recipes with a policy gradient. */
export const CO_EVOLVED_EXPECTATIONS: { readonly [recipe: string]: Expectation } = {
  inspo: {
    updates: 6,
    settings: { groupSize: 4, leastUses: 4 },
    differs: [
      evolvesPrompts,
      asks(/Improve the instruction/, /Attempt, reward/),
      (records) => {
        // Rollouts at one task share their instruction, so groups are comparable.
        for (const { trajectories } of at(records, -1).groups) {
          expect(new Set(trajectories.map((each) => readOf(each).ids["prompts"]?.[0])).size).toBe(
            1,
          );
        }
      },
    ],
  },
  "reward-harness": {
    updates: 2,
    differs: [
      judged,
      asks(/Judge attempts at/, /judged 0/),
      (records) => {
        // The judge reads the lessons; the policy does not.
        const record = at(records, -1);
        expect(libraryOf(record).versions.length).toBeGreaterThan(1);
        expect(trajectoriesOf(record).every(({ read }) => read === null)).toBe(true);
      },
    ],
  },
  "slea-rl": {
    env: "key-door",
    updates: 2,
    differs: [
      (records) => {
        // After a turn, the result is followed by what helped after similar observations.
        const record = at(records, -1);
        const [lesson] = libraryOf(at(record.earlier, -1)).versions.at(-1) ?? [];
        expect(lesson?.text).toMatch(/^After .* it helped to call /);
        const [first] = record.earlier;
        const given = (of: StageRecord | undefined): number =>
          trajectoriesOf(of as StageRecord)
            .flatMap(({ record: trajectory }) => trajectory.segments.slice(1))
            .filter(({ kind }) => kind === "given")
            .reduce((most, { tokenIds }) => Math.max(most, tokenIds.length), 0);
        expect(given(record)).toBeGreaterThan(given(first));
      },
      (records) => {
        // Turns of one rollout have their own credit.
        const record = at(records, -1);
        const apart = numbersOf(record).groups.flatMap(({ trajectories }) =>
          trajectories.filter(
            ({ trajectory }) => new Set(turnAdvantages(record, trajectory)).size > 1,
          ),
        );
        expect(apart.length).toBeGreaterThan(0);
      },
    ],
  },
};

/** Recipes without a gradient. */
export const WRITTEN_EXPECTATIONS: { readonly [recipe: string]: Expectation } = {
  "training-free-grpo": {
    updates: 2,
    differs: [
      writesInstead,
      readsMore,
      asks(/Compare these attempts/, /reward 0/, /Lessons so far:\ne0: Advice 1\./),
      (records) => {
        // The writer is not asked about groups with equal rewards.
        const [first] = at(records, -1).earlier;
        if (first === undefined) throw new Error("one update only");
        const mixed = first.groups.filter(
          ({ trajectories }) =>
            new Set(trajectories.map(({ verification }) => verification.reward)).size > 1,
        );
        expect(first.asked).toHaveLength(mixed.length);
      },
    ],
  },
  "agent-fly": { env: "recall", updates: 3, differs: [writesInstead, readsMore, learnsWhatToRead] },
  "evo-kernel": {
    env: "recall",
    updates: 3,
    differs: [
      writesInstead,
      (records) => {
        const [draft, refine] = [at(records, 0), at(records, 1)];
        expect([draft.stage.name, refine.stage.name]).toEqual(["draft", "refine"]);
        // Cases from the draft stage are read in the refine stage, where they have another value.
        const { cases } = casesOf(refine).memory;
        const both = cases.filter(({ byStage = {} }) => "draft" in byStage && "refine" in byStage);
        expect(both.length).toBeGreaterThan(0);
        expect(both.some(({ byStage = {} }) => byStage["draft"] !== byStage["refine"])).toBe(true);
      },
    ],
  },
  adas: {
    ...FAST,
    differs: [
      writesInstead,
      evolvesPrompts,
      asks(/Design p0, earned/, /Design p1/),
      (records) => {
        expect(populationOf(at(records, -1)).archive).toEqual([]);
      },
    ],
  },
  "agent-swift": {
    updates: 4,
    settings: { leastUses: 8, keep: 1 },
    differs: [
      writesInstead,
      asks(/Change the tool use of this design/, /Design p\d+, earned/),
      (records) => {
        // Children of a design with poor prospects are pruned before they run.
        const record = at(records, -1);
        const { living, archive } = populationOf(record);
        const ran = new Set(
          everyUpdate(record)
            .flatMap(trajectoriesOf)
            .map(({ mode }) => mode ?? ""),
        );
        expect(archive.length).toBeGreaterThan(0);
        for (const { text, reason } of archive) {
          expect(reason).toBe("pruned");
          expect(ran.has(text)).toBe(false);
        }
        // Designs that ran were credited, and some design has grandchildren.
        expect(living.filter(({ uses }) => uses > 0).map(({ text }) => text)).toEqual([...ran]);
        const parents = new Map(living.map(({ id, parent }) => [id, parent]));
        expect(living.some(({ parent }) => parent !== null && parents.get(parent) != null)).toBe(
          true,
        );
      },
    ],
  },
  evolver: {
    ...FAST,
    differs: [
      writesInstead,
      evolvesPrompts,
      asks(/one hypothesis/),
      (records) => {
        // Of two, the one that the judge prefers is kept.
        const { living, archive } = populationOf(at(records, -1));
        const tried = living.filter(({ uses }) => uses >= 8);
        expect(tried).toHaveLength(1);
        const mean = ({ rewardSum, uses }: { rewardSum: number; uses: number }): number =>
          rewardSum / uses;
        for (const left of archive) {
          expect(mean(left)).toBeLessThanOrEqual(mean(tried[0] as (typeof living)[number]));
        }
        expect(archive.length).toBeGreaterThan(0);
      },
    ],
  },
  "agentic-neural-network": {
    updates: 2,
    differs: [
      writesInstead,
      (records) => {
        // Criticism goes from the last layer to the first, and each layer gets that of the next.
        const [first] = at(records, -1).earlier;
        const [last, before] = first?.asked ?? [];
        expect(last).toMatch(/role "answerer"[\s\S]*The answer was wrong\./);
        expect(before).toMatch(/role "drafter"[\s\S]*Criticism 1\./);
      },
      (records) => {
        // Each layer reads its own instruction, which was rewritten.
        const record = at(records, -1);
        const { archive } = populationOf(record);
        expect(archive.filter(({ text }) => text === "").map(({ role }) => role)).toEqual([
          "answerer",
          "drafter",
        ]);
        const read = (role: string): Set<string> =>
          new Set(
            trajectoriesOf(record)
              .filter((trajectory) => trajectory.role === role)
              .flatMap((trajectory) => readOf(trajectory).ids["prompts"] ?? []),
          );
        expect([read("drafter").size, read("answerer").size]).toEqual([1, 1]);
        expect(read("drafter")).not.toEqual(read("answerer"));
      },
    ],
  },
  fama: {
    differs: [
      writesInstead,
      (records) => {
        const record = at(records, -1);
        expect(record.asked).toEqual([]);
        const failed = trajectoriesOf(record).filter(({ verification }) => !verification.success);
        const failing = failed.filter(({ turns }) =>
          turns.some(({ toolResults }) => toolResults.some(({ ok }) => !ok)),
        );
        const [now] = populationOf(record).living;
        expect(now?.text.includes("When a call fails")).toBe(failing.length >= 0.2 * failed.length);
        expect(now?.text).not.toBe("");
      },
    ],
  },
  "goedel-agent": {
    updates: 5,
    settings: { leastUses: 8 },
    differs: [
      writesInstead,
      evolvesPrompts,
      // The prompt of the improver was itself written earlier.
      asks(/^Improve it \d+\./),
    ],
  },
  ping: {
    ...FAST,
    differs: [
      writesInstead,
      evolvesPrompts,
      asks(/short prefix/, /refuse what harms/),
      (records) => {
        // Of two rollouts at one task, the better is preferred; of equals, the one with fewer
        // calls.
        expect(at(records, -1).groups.every(({ trajectories }) => trajectories.length > 1)).toBe(
          true,
        );
        const sums = populationOf(at(records, -1)).living.map(({ rewardSum }) => rewardSum);
        const outcomes = everyUpdate(at(records, -1))
          .flatMap(trajectoriesOf)
          .reduce((sum, { verification }) => sum + verification.reward, 0);
        expect(sums.reduce((a, b) => a + b, 0)).toBeGreaterThan(outcomes);
      },
    ],
  },
  sica: {
    ...FAST,
    differs: [
      writesInstead,
      evolvesPrompts,
      asks(/^You are an agent/, /Edit your own instruction/),
    ],
  },
};
