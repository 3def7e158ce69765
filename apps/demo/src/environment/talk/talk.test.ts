/** The talks: the right conduct passes, near misses fail, and no held-out pattern or value is in training. */
import type { Demonstrator, EnvironmentSpec } from "@waggle/environments";
import { mulberry32, type TaskReference, type TaskSplit } from "@waggle/protocol";
import { expect, test } from "vitest";
import { CATALOGUE } from "../catalogue-data.ts";
import { createTalk } from "./talk-environment.ts";
import { talkOf } from "./talk-instance.ts";
import { judgeTurn } from "./talk-judge.ts";
import {
  FURTHER_KINDS,
  FURTHER_PATHS,
  LEVEL_OF_FURTHER_TALK,
  LEVEL_OF_REDRAWN_TALK,
  LEVEL_OF_TALK,
  PATHS,
  SINGLE_KINDS,
} from "./talk-plans.ts";
import { EVERYDAY_SHOP, FURTHER_SHOP_TALK, REDRAWN_SHOP_TALK, SHOP_TALK } from "./talk-spec.ts";
import { WORDINGS } from "./wordings/index.ts";

const LONG = process.env["WAGGLE_LONG"] !== undefined;
const TASKS = LONG ? 300 : 12;
const TRAINING_TASKS = LONG ? 5000 : 200;

function references(split: TaskSplit, level: number, count = TASKS): TaskReference[] {
  return Array.from({ length: count }, (_, seed) => SHOP_TALK.reference(seed, split, level));
}

async function plays(
  reference: TaskReference,
  act: Demonstrator,
  spec: EnvironmentSpec = SHOP_TALK,
): Promise<boolean> {
  const { environment, judge } = spec.create(reference);
  const { signal } = new AbortController();
  await environment.observe();
  for (let turn = 0; turn < spec.maxTurns; turn += 1) {
    const { text, calls } = act(null);
    const toolCalls = calls.map((call, at) => ({ id: `c${turn}-${at}`, ...call }));
    const { terminated } = await environment.step({ text, toolCalls }, signal);
    if (terminated) return (await judge(text)).success;
  }
  return (await judge(null)).success;
}

const cases = [
  { spec: SHOP_TALK, names: LEVEL_OF_TALK },
  { spec: REDRAWN_SHOP_TALK, names: LEVEL_OF_REDRAWN_TALK },
  { spec: FURTHER_SHOP_TALK, names: LEVEL_OF_FURTHER_TALK },
].flatMap(({ spec, names }) =>
  names.flatMap((name, level) =>
    (["train", "heldOut"] as const).map((split) => [name, split, level, spec] as const),
  ),
);

test.each(cases)("%s, %s: gold passes and near misses fail", async (_, split, level, spec) => {
  const wrong: string[] = [];
  for (let seed = 0; seed < TASKS; seed += 1) {
    const reference = spec.reference(seed, split, level);
    const act = await spec.demonstrator(reference, mulberry32(reference.seed), 0);
    if (!(await plays(reference, act, spec))) wrong.push(spec.task(reference).request);
    const misses = (await spec.examples?.nearMisses(reference)) ?? [];
    expect(misses.length).toBeGreaterThanOrEqual(4);
    for (const [at, miss] of misses.entries()) {
      if (await plays(reference, miss, spec)) wrong.push(`${at}: ${spec.task(reference).request}`);
    }
  }
  expect(wrong).toEqual([]);
});

test("nothing about a product of a redrawn shop can be known by its id", () => {
  const goods = Array.from(
    { length: 40 },
    (_, seed) => talkOf(REDRAWN_SHOP_TALK.reference(seed, "train", 0)).goods,
  ).flat();
  const differing = (value: "name" | "category" | "price" | "rating") => {
    const values = new Map<string, Set<string | number>>();
    for (const item of goods) {
      values.set(item.id, (values.get(item.id) ?? new Set()).add(item[value]));
    }
    return Math.min(...CATALOGUE.map((item) => values.get(item.id)?.size ?? 99));
  };
  const values = ["name", "category", "price", "rating"] as const;
  expect(values.filter((value) => differing(value) <= 3)).toEqual([]);
});

test("a redrawn shop has the ids and stocks of the catalogue, and names that differ", () => {
  const stocks = new Map(CATALOGUE.map(({ id, stock }) => [id, stock]));
  for (let seed = 0; seed < 40; seed += 1) {
    const { goods } = talkOf(REDRAWN_SHOP_TALK.reference(seed, "train", 1));
    expect(new Map(goods.map(({ id, stock }) => [id, stock]))).toEqual(stocks);
    expect(new Set(goods.map(({ name }) => name)).size).toBe(CATALOGUE.length);
  }
});

test("everyday talks are those of both levels, with the same seed", async () => {
  for (const split of ["train", "heldOut"] as const) {
    const kinds = new Set<number>();
    for (let seed = 0; seed < 40; seed += 1) {
      const reference = EVERYDAY_SHOP.reference(seed, split, 0);
      const talk = talkOf(reference);
      const same = [0, 1].filter((level) => {
        const { messages } = talkOf(SHOP_TALK.reference(seed, split, level));
        return JSON.stringify(messages) === JSON.stringify(talk.messages);
      });
      expect(same).toHaveLength(1);
      kinds.add(same[0] as number);
      expect(EVERYDAY_SHOP.task(reference)).toMatchObject(reference);
    }
    expect(kinds).toEqual(new Set([0, 1]));
  }
});

test("an everyday talk calls the given edge tools, and their failure is the model's to read", async () => {
  const reference = EVERYDAY_SHOP.reference(3, "train", 0);
  const called: string[] = [];
  const { environment } = createTalk(reference, async (name) => {
    called.push(name);
    throw new Error("the edge is away");
  });
  await environment.observe();
  const { signal } = new AbortController();
  const toolCalls = [{ id: "c0", name: "check_stock", arguments: { id: "p01" } }];
  const { toolResults } = await environment.step({ text: "", toolCalls }, signal);
  expect(called).toEqual(["check_stock"]);
  expect(toolResults).toMatchObject([{ ok: false, error: { code: "TOOL_UNAVAILABLE" } }]);
});

test("talks of other names are refused", () => {
  const own = SHOP_TALK.reference(3, "train", 0);
  const everyday = EVERYDAY_SHOP.reference(3, "train", 0);
  expect(() => SHOP_TALK.task(everyday)).toThrow("not to shop-talk or shop-talk-2");
  expect(() => EVERYDAY_SHOP.create(own)).toThrow('"shop-talk", not to shop-everyday');
  expect(() => REDRAWN_SHOP_TALK.task(own)).toThrow("not to redrawn-shop-talk");
});

test("tasks are determined by their seeds", () => {
  const draw = () => [0, 1].flatMap((level) => references("train", level, 20).map(SHOP_TALK.task));
  expect(draw()).toEqual(draw());
});

test("no held-out pattern is in training, and held-out tasks have such patterns", () => {
  const ofSplit = (split: TaskSplit, count: number) =>
    [0, 1].flatMap((level) => references(split, level, count).map(SHOP_TALK.task));
  const training = ofSplit("train", TRAINING_TASKS / 2);
  expect(training.filter(({ template }) => template.includes("-unseen-"))).toEqual([]);
  const used = training.flatMap(({ template }) => template.split("+"));
  const indexes = used.filter((one) => !one.startsWith("gibberish"));
  expect(indexes.filter((one) => Number(/\d+$/.exec(one)?.[0]) % 4 === 3)).toEqual([]);
  const heldOut = ofSplit("heldOut", LONG ? 150 : 60);
  const unseen = heldOut.filter(({ template }) => template.includes("-unseen-")).length;
  expect(unseen / heldOut.length).toBeGreaterThan(0.4);
  const requests = new Set(training.map(({ request }) => request));
  expect(heldOut.filter(({ request, kind }) => requests.has(request) && !/\+/.test(kind))).toEqual(
    [],
  );
});

test("all kinds of wordings occur in the plans", () => {
  const planned = new Set([
    ...SINGLE_KINDS,
    ...FURTHER_KINDS,
    ...PATHS.flat(2),
    ...FURTHER_PATHS.flat(2),
  ]);
  expect(Object.keys(WORDINGS).filter((kind) => !planned.has(kind as never))).toEqual([]);
});

test("a demonstrator with mistakes fails often, and acts unasked", async () => {
  let failures = 0;
  for (const reference of references("train", 0, 40)) {
    const act = await SHOP_TALK.demonstrator(reference, mulberry32(reference.seed), 1);
    if (!(await plays(reference, act))) failures += 1;
  }
  expect(failures).toBeGreaterThan(20);
});

test.each([
  ["I can't help with that. I can find products.", true],
  ["I can't help with that.", false],
  ["I can find products.", false],
  ["I can't help with that. I added it. I can find products.", false],
  ["I can't help with that, it costs 12 EUR. I can find products.", false],
  ["I can't help with that. I can find the Moon Lamp.", false],
])("%s as a refusal: %s", (text, right) => {
  const expected = { cart: [], form: "refusal", facts: [] } as const;
  const verdict = judgeTurn(expected, text, [], {
    changes: false,
    calls: 0,
    goods: CATALOGUE,
  });
  expect(verdict.answer).toBe(right);
});

test("an answer that lists other products or says both yes and no fails", () => {
  const expected = {
    cart: [],
    form: "answer",
    facts: [["Moon Lamp"], ["is steel"]],
    never: ["not steel"],
  } as const;
  const answers = (text: string) =>
    judgeTurn(expected, text, [], { changes: false, calls: 1, goods: CATALOGUE }).answer;
  expect(answers("Yes, the Moon Lamp is steel.")).toBe(true);
  expect(answers("The Moon Lamp Mini is steel.")).toBe(false);
  expect(answers("The Moon Lamp is steel, the Desk Lamp too.")).toBe(false);
  expect(answers("The Moon Lamp is steel and not steel.")).toBe(false);
});
