/** The habit of a default base fails most tasks of some patterns and leaves the others alone. */
import { defineEnvironment, type EnvironmentSpec } from "@waggle/agent/define";
import { ByteTokenizer } from "@waggle/testing";
import { createChatFormat, nanoTokenizerConfig } from "@waggle/text";
import { expect, test } from "vitest";
import { baseDemonstration } from "./base-demonstration.ts";
import { habitOf } from "./base-habit.ts";

const tokenizer = new ByteTokenizer();
const format = createChatFormat({ tokenizer, tokenizerConfig: nanoTokenizerConfig(4096) });
const WORDS = Array.from({ length: 80 }, (_, i) => `w${i}`);

/** One turn, which a demonstrator with a fixed seed gets wrong for about every second seed only. */
function echoes(patterns: number, levels = 1): EnvironmentSpec {
  return defineEnvironment({
    name: "echoes",
    prompt: "You repeat.",
    levels,
    tasks: ({ pick, random }) => {
      const word = pick(WORDS);
      const pattern = `p${Math.floor(random() * patterns)}`;
      return { request: `${pattern} ${word}`, pattern, values: [word], state: {}, data: { word } };
    },
    tools: {},
    verify: ({ text, data }) => text === data.word,
    demonstrate: ({ data }) => [data.word],
  });
}

/** Share of demonstrations that give another answer than the task's, by pattern. */
async function wrongShares(spec: EnvironmentSpec, share: number): Promise<Map<string, number>> {
  const patternHabit = await habitOf(spec, share, 0xab17);
  const wrong = new Map<string, boolean[]>();
  for (let nth = 0; nth < 300; nth += 1) {
    const options = { seed: 5, mistakes: 0, habits: 0.75, patternHabit, contextLength: 4096 };
    const { task, segments } = await baseDemonstration(spec, format, nth, options);
    if (task === null) throw new Error("a demonstration has a task");
    const { template, values = [] } = spec.task(task);
    const said = segments.filter(({ kind }) => kind === "sampled");
    const text = tokenizer.decode(said.flatMap(({ tokenIds }) => [...tokenIds]));
    wrong.set(template, [...(wrong.get(template) ?? []), !text.startsWith(`${values[0]}<`)]);
  }
  return new Map(
    [...wrong].map(([one, all]) => [one, all.filter(Boolean).length / all.length] as const),
  );
}

test("three of five patterns fail in most demonstrations, and the others never", async () => {
  const shares = [...(await wrongShares(echoes(5), 0.6)).values()].toSorted((a, b) => a - b);
  expect(shares.slice(0, 2)).toEqual([0, 0]);
  expect(shares).toHaveLength(5);
  for (const share of shares.slice(2)) {
    expect(share).toBeGreaterThan(0.5);
    expect(share).toBeLessThan(0.95);
  }
});

test("an environment with one pattern has the habit in it", async () => {
  const [share] = (await wrongShares(echoes(1), 0.6)).values();
  expect(share).toBeGreaterThan(0.6);
});

test("the seed of each level is one with which demonstrations fail", async () => {
  const { seeds } = await habitOf(echoes(1, 6), 1, 0xab17);
  expect(seeds).toHaveLength(6);
  // Every second seed errs, so that the first one cannot be right for all levels.
  expect(new Set(seeds).size).toBeGreaterThan(1);
});
