/**
 * Training examples of a base: the environment's demonstrations and reading lessons, in the format
 * of rollouts.
 */
import { scriptedPolicy } from "@waggle/agent";
import { demonstratedRollout, environmentRollout } from "@waggle/agent/environments";
import { SHOP } from "@waggle/demo/environment";
import { environmentNamed } from "@waggle/environments";
import { readingText, taskOf } from "@waggle/learning";
import { FULL_SUPPORT, type Trajectory } from "@waggle/protocol";
import { ByteTokenizer } from "@waggle/testing";
import { createChatFormat, nanoTokenizerConfig } from "@waggle/text";
import { expect, test } from "vitest";
import { derivedSeed, seededRandom } from "@waggle/protocol";
import { baseDemonstration } from "./base-demonstration.ts";

const tokenizer = new ByteTokenizer();
const format = createChatFormat({ tokenizer, tokenizerConfig: nanoTokenizerConfig(4096) });
const OPTIONS = { seed: 5, mistakes: 0.35, contextLength: 4096 };
const CLIENT = {
  build: "0",
  backend: "scripted",
  device: "none",
  crossOriginIsolated: false,
} as const;
const CASE = /A case that went (well|wrong): (.*)\n(\w+)/;

const tokensOf = ({ segments }: Trajectory): number[][] =>
  segments.map(({ tokenIds }) => [...tokenIds]);
const wordsOf = (trajectory: Trajectory): string => tokenizer.decode(tokensOf(trajectory).flat());

test("an environment without reading lessons uses its demonstrations unchanged", async () => {
  const spec = environmentNamed("bandit");
  const nth = 7;
  const plain = await demonstratedRollout(
    spec,
    spec.reference(derivedSeed(OPTIONS.seed, nth), "train", nth % spec.levels),
    format,
    { ...OPTIONS, random: seededRandom(OPTIONS.seed, nth) },
  );
  const taught = await baseDemonstration(spec, format, nth, OPTIONS);
  expect(tokensOf(taught)).toEqual(tokensOf(plain.record));
});

test("habitual demonstrations fail in the same way at the same level, and only their share does", async () => {
  const spec = environmentNamed("dialogue");
  const said = async (habits: number): Promise<Map<number, Set<string>>> => {
    const byLevel = new Map<number, Set<string>>();
    for (let nth = 0; nth < 60; nth += 1) {
      const { turns } = await baseDemonstration(spec, format, nth, {
        ...OPTIONS,
        mistakes: 0,
        habits,
      });
      const level = nth % spec.levels;
      const calls = turns.map(({ toolCalls }) => toolCalls.length).join(" ");
      byLevel.set(level, (byLevel.get(level) ?? new Set<string>()).add(calls));
    }
    return byLevel;
  };
  const counts = async (habits: number): Promise<number[]> =>
    [...(await said(habits)).values()].map(({ size }) => size);
  const always = await counts(1);
  expect(always).toEqual(always.map(() => 1));
  const mixed = await said(0.5);
  const never = await said(0);
  expect(await said(1)).not.toEqual(never);
  for (const [level, ways] of mixed) {
    expect([...(never.get(level) ?? [])].every((way) => ways.has(way))).toBe(true);
  }
});

test("the seed of the habit decides which levels it fails; without one it is the default", async () => {
  const spec = environmentNamed("dialogue");
  const demonstrated = async (habit?: number): Promise<string> => {
    const said: string[] = [];
    for (let nth = 0; nth < 2 * spec.levels; nth += 1) {
      const options = {
        ...OPTIONS,
        mistakes: 0,
        habits: 1,
        ...(habit === undefined ? {} : { habit }),
      };
      said.push(wordsOf(await baseDemonstration(spec, format, nth, options)));
    }
    return said.join("\n");
  };
  expect(await demonstrated(0xab17)).toBe(await demonstrated());
  const seeds = [1, 2, 3, 7].map(async (habit) => demonstrated(habit));
  expect(new Set(await Promise.all(seeds)).size).toBeGreaterThan(1);
});

test("a demonstration that exceeds the context is cut there, as a rollout would be", async () => {
  const spec = SHOP;
  const options = { mistakes: 0, contextLength: 1700 };
  const stops = new Map<string, number>();
  for (let nth = 0; nth < 60; nth += 1) {
    const task = spec.reference(nth, "train", nth % spec.levels);
    const random = seededRandom(nth);
    const { record: trajectory, verification } = await demonstratedRollout(spec, task, format, {
      ...options,
      random,
    });
    const { stopReason } = trajectory;
    stops.set(stopReason, (stops.get(stopReason) ?? 0) + 1);
    expect(tokensOf(trajectory).flat().length).toBeLessThanOrEqual(options.contextLength);
    expect(verification.success).toBe(stopReason === "completed");
  }
  expect([...stops.keys()].toSorted()).toEqual(["completed", "context-overflow"]);
});

test("reading lessons start like rollouts that read, at the environment's rate", async () => {
  const spec = environmentNamed("recall");
  let lessons = 0;
  for (let nth = 0; nth < 120; nth += 1) {
    const taught = await baseDemonstration(spec, format, nth, OPTIONS);
    const read = CASE.exec(wordsOf(taught));
    if (read === null) continue;
    lessons += 1;
    const [, went, situation = "", action = ""] = read;
    const shown = { situation, action, reward: went === "well" ? 1 : 0 };
    const { record: trajectory } = await environmentRollout(
      { ...scriptedPolicy(() => format.encodeAssistant("left"), 4096), client: CLIENT },
      format,
      spec,
      taskOf({ record: taught }),
      {
        sampling: FULL_SUPPORT,
        seed: 1,
        guide: { start: () => readingText({ cases: [shown] }) },
      },
      new AbortController().signal,
    );
    expect(tokensOf(taught).slice(0, -1)).toEqual(tokensOf(trajectory).slice(0, -1));
  }
  // Three quarters of 120, with a standard deviation of 5.
  expect(lessons).toBeGreaterThan(70);
  expect(lessons).toBeLessThan(110);
});
