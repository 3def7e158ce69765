/** Proposed tasks: valid ones can be solved, their answers are computed, and invalid ones are refused. */
import { mulberry32 } from "@waggle/protocol";
import type { Observation } from "@waggle/protocol";
import { expect, test } from "vitest";
import { CALCULATOR } from "./calculator.ts";
import { LIBRARY } from "./library/library.ts";
import { LOOKUP } from "./lookup/lookup.ts";
import { lookupInstance } from "./lookup/lookup-instance.ts";
import type { EnvironmentSpec } from "./environment-spec.ts";

const signal = new AbortController().signal;

async function acted(
  spec: EnvironmentSpec,
  seed: number,
  mistakes: number,
): Promise<{ text: string; success: boolean }> {
  const reference = spec.reference(seed, "train", seed % spec.levels);
  const { environment, judge } = spec.create(reference);
  const act = await spec.demonstrator(reference, mulberry32(seed), mistakes);
  await environment.observe();
  let observation: Observation | null = null;
  for (let turn = 0; turn < spec.maxTurns; turn += 1) {
    const { text, calls } = act(observation);
    const toolCalls = calls.map((call, i) => ({ id: `c${turn}-${i}`, ...call }));
    observation = await environment.step({ text, toolCalls }, signal);
    if (observation.terminated) return { text, success: (await judge(text)).success };
  }
  return { text: "", success: false };
}

const FROM_LEDGER = {
  ...CALCULATOR,
  name: "calculator from the ledger",
  proposals: CALCULATOR.documented as NonNullable<EnvironmentSpec["documented"]>,
};

test.each([CALCULATOR, FROM_LEDGER, LOOKUP, LIBRARY].map((spec) => [spec.name, spec] as const))(
  "%s: a careful solver solves every task of a careful proposer, and careless proposals fail",
  async (_, spec) => {
    const { proposals } = spec;
    if (proposals === undefined) throw new Error("takes no proposals");
    let wrong = 0;
    const set = new Set<string>();
    for (let i = 0; i < 60; i += 1) {
      const seed = i * 7919;
      const { text, success } = await acted(proposals.proposer, seed, 0);
      expect({ text, success }).toMatchObject({ success: true });
      set.add(text);
      const reference = spec.reference(seed, "train", seed % spec.levels);
      const solver = proposals.solver(text, reference);
      if (solver === null) throw new Error(text);
      expect((await acted(solver, seed, 0)).success).toBe(true);
      wrong += (await acted(proposals.proposer, seed, 1)).success ? 0 : 1;
    }
    expect(set.size).toBeGreaterThan(20);
    expect(wrong).toBeGreaterThan(10);
  },
);

test("a question is parsed to its path, in the environment of the reference", async () => {
  const reference = LOOKUP.reference(5, "train", 0);
  const { fact } = lookupInstance(reference);
  const solver = LOOKUP.proposals?.solver(
    "Where does the boss of the friend of ann live?",
    reference,
  );
  const boss = fact(fact("ann", "friend") as "ann", "boss") as "ann";
  expect((await solver?.create(reference).judge(fact(boss, "city")))?.success).toBe(true);
  for (const nonsense of [
    "Where does zoe live?",
    "Where does the cousin of ann live?",
    "Where does the boss of the boss of the boss of ann live?",
    "",
  ]) {
    expect(LOOKUP.proposals?.solver(nonsense, reference)).toBeNull();
  }
  for (const nonsense of ["12+", "1+2+3+4", "100*2", "two"]) {
    expect(CALCULATOR.proposals?.solver(nonsense, reference)).toBeNull();
  }
});

test("a sum from the ledger uses only numbers that were read, and its solver has no documents", async () => {
  const { proposer, solver } = FROM_LEDGER.proposals;
  const reference = CALCULATOR.reference(11, "train", 0);
  const search = async (
    query: string,
  ): Promise<{ judge: (sum: string) => Promise<boolean>; text: string }> => {
    const { environment, judge } = proposer.create(reference);
    await environment.observe();
    const toolCalls = [{ id: "c", name: "search", arguments: { query } }];
    const { toolResults } = await environment.step({ text: "", toolCalls }, signal);
    const [result] = toolResults;
    const text = result?.ok === true ? String(result.value) : "";
    return { text, judge: async (sum) => (await judge(sum)).success };
  };
  const [mill, farm] = [await search("mill"), await search("farm")];
  const sums = (text: string): string[] => {
    const numbers = text.match(/\d+/g) ?? [];
    return numbers
      .flatMap((a) => numbers.map((b) => `${a}*${b}`))
      .filter((sum) => solver(sum, reference) !== null);
  };
  expect(sums(mill.text).length).toBeGreaterThan(0);
  const judged = (all: readonly string[]) => Promise.all(all.map((sum) => mill.judge(sum)));
  expect(await judged(sums(mill.text))).not.toContain(false);
  // Numbers from other documents, texts that are not sums, and empty searches.
  const unread = (farm.text.match(/\d+/g) ?? []).filter((number) => !mill.text.includes(number));
  const elsewhere = sums(unread.join(" "));
  expect(elsewhere.length).toBeGreaterThan(0);
  expect(await judged([...elsewhere, "mill", ""])).not.toContain(true);
  expect(await (await search("zebra")).judge("12*7")).toBe(false);
  const given = await solver(sums(mill.text)[0] ?? "", reference)
    ?.create(reference)
    .environment.observe();
  expect(given?.tools.map(({ name }) => name)).toEqual(["calculate"]);
});
