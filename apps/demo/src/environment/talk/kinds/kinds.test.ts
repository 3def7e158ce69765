/** Kinds that talks of a few seeds rarely have: the right conduct passes, near misses fail, and some answers are judged by hand. */
import type { DemonstratedAction } from "@waggle/environments";
import { mulberry32, type TaskReference } from "@waggle/protocol";
import { describe, expect, test } from "vitest";
import { CATALOGUE, type Product } from "../../catalogue-data.ts";
import { searchProducts } from "../../catalogue.ts";
import { createTalk } from "../talk-environment.ts";
import { talkOf } from "../talk-instance.ts";
import { judgeTurn } from "../talk-judge.ts";
import { SHOP_TALK } from "../talk-spec.ts";
import type { DrawTurn, Scene, TalkKind, TalkTurn } from "../talk-turn.ts";
import { DEPENDENT_TURNS } from "./dependent-wishes.ts";
import { EXCLUSION_TURNS } from "./exclusions.ts";
import { LIST_TURNS } from "./lists.ts";
import { PRODUCT_TURNS } from "./product-questions.ts";
import { SELF_CORRECTION_TURNS } from "./self-corrections.ts";
import { UNCHANGED_TURNS } from "./unchanged.ts";

const TURNS: { readonly [kind in string]: DrawTurn } = {
  ...SELF_CORRECTION_TURNS,
  ...EXCLUSION_TURNS,
  ...DEPENDENT_TURNS,
  ...UNCHANGED_TURNS,
  ...LIST_TURNS,
  suitability: PRODUCT_TURNS.suitability,
};
const KINDS = Object.keys(TURNS) as TalkKind[];

/** Talks with each kind, by kind. */
const EXAMPLES = 3;
const SEEDS = 1500;

function examples(): ReadonlyMap<string, readonly TaskReference[]> {
  const found = new Map<string, TaskReference[]>(KINDS.map((kind) => [kind, []]));
  for (let seed = 0; seed < SEEDS; seed += 1) {
    const reference = SHOP_TALK.reference(seed, "train", seed % 2);
    for (const { kind } of talkOf(reference).messages.flat()) {
      const references = found.get(kind);
      if (references !== undefined && references.length < EXAMPLES) references.push(reference);
    }
  }
  return found;
}

async function plays(
  reference: TaskReference,
  actions: readonly DemonstratedAction[],
): Promise<boolean> {
  const { environment, judge } = createTalk(reference);
  const { signal } = new AbortController();
  await environment.observe();
  for (const [turn, { text, calls }] of actions.entries()) {
    const toolCalls = calls.map((call, at) => ({ id: `c${turn}-${at}`, ...call }));
    const { terminated } = await environment.step({ text, toolCalls }, signal);
    if (terminated) return (await judge(text)).success;
  }
  return (await judge(null)).success;
}

/** The actions of a demonstrator that ignores what it sees. */
function actionsOf(act: (observation: null) => DemonstratedAction): DemonstratedAction[] {
  return Array.from({ length: SHOP_TALK.maxTurns }, () => act(null)).filter(
    ({ text, calls }) => text !== "" || calls.length > 0,
  );
}

const found = examples();

test.each(KINDS)("%s: gold passes and near misses fail", async (kind) => {
  const references = found.get(kind) ?? [];
  expect(references).toHaveLength(EXAMPLES);
  const wrong: string[] = [];
  for (const reference of references) {
    const gold = await SHOP_TALK.examples?.gold(reference);
    if (gold === undefined || !(await plays(reference, actionsOf(gold))))
      wrong.push(SHOP_TALK.task(reference).request);
    for (const miss of (await SHOP_TALK.examples?.nearMisses(reference)) ?? []) {
      if (await plays(reference, actionsOf(miss)))
        wrong.push(`miss: ${SHOP_TALK.task(reference).request}`);
    }
  }
  expect(wrong).toEqual([]);
});

const START: Scene = {
  goods: CATALOGUE,
  cart: [],
  last: null,
  listed: [],
  turns: 0,
  began: "empty",
};

/** The first turn of a kind in a scene that fits. */
function drawn(
  kind: string,
  scene: Scene = START,
  fits: (turn: TalkTurn) => boolean = () => true,
): TalkTurn {
  for (let seed = 0; seed < 5000; seed += 1) {
    const turn = TURNS[kind]?.(mulberry32(seed), scene) ?? null;
    if (turn !== null && fits(turn)) return turn;
  }
  throw new Error(`no ${kind} in this scene`);
}

function named(name: string): Product {
  return CATALOGUE.find((item) => item.name === name) as Product;
}

describe("a correction inside a message", () => {
  test("counts the last number", () => {
    const { slots, expected } = drawn("self-number", START, (turn) =>
      /^\d$/.test(turn.slots.n ?? ""),
    );
    expect(expected.cart).toMatchObject([{ quantity: Number(slots.n) }]);
    expect(slots.m).not.toBe(slots.n);
  });

  test("counts the last product", () => {
    const { slots, expected } = drawn("self-product", START, ({ slots }) =>
      CATALOGUE.some(({ name }) => name === slots.name),
    );
    expect(expected.cart).toEqual([{ id: named(slots.name ?? "").id, quantity: 1 }]);
  });
});

describe("an exclusion", () => {
  test("leaves the products of the attribute out, although they are cheaper", () => {
    const { slots, expected, near } = drawn(
      "add-cheapest-but",
      START,
      ({ slots, near }) => slots.what === "mug" && slots.without === "blue" && near !== undefined,
    );
    const out = searchProducts({ query: "blue mug" }).map(({ id }) => id);
    expect(slots.without).toBe("blue");
    expect(out).toContain(near?.id);
    expect(expected.cart).toEqual([{ id: named("Morning Mug").id, quantity: 1 }]);
  });
});

describe("what changes nothing", () => {
  const item = named("Moon Lamp");
  const asked: Scene = { ...START, last: { item, added: 0, what: "lamp" }, turns: 1 };
  const cart = [{ id: item.id, quantity: 2 }];
  const bought: Scene = { ...asked, cart, last: { item, added: 2, what: "lamp" } };
  const judged = ({ expected }: TalkTurn, text: string, actual = expected.cart) => {
    const { cart: right, answer } = judgeTurn(expected, text, actual, {
      changes: false,
      calls: 1,
      goods: CATALOGUE,
    });
    return right && answer;
  };

  test("is declined only after a question or an answer", () => {
    expect(() => drawn("decline")).toThrow("no decline");
    expect(() => drawn("decline", bought)).toThrow("no decline");
    const turn = drawn("decline", asked);
    expect(judged(turn, "All right, I leave your cart as it is.")).toBe(true);
    expect(judged(turn, "All right, I leave your cart as it is.", cart)).toBe(false);
    expect(judged(turn, "I added the Moon Lamp. Nothing else.")).toBe(false);
  });

  test("is checked against the cart", () => {
    const yes = drawn("check-added", bought);
    expect(judged(yes, "Yes, your cart has 2 x Moon Lamp.")).toBe(true);
    expect(judged(yes, "Yes, the Moon Lamp is in your cart.")).toBe(false);
    const no = drawn("check-added", asked);
    expect(judged(no, "No, the Moon Lamp is not in your cart.")).toBe(true);
    expect(judged(no, "Yes, the Moon Lamp is in your cart.")).toBe(false);
    const one = drawn("check-number", bought, ({ slots }) => slots.n === "one");
    expect(judged(one, "No, your cart has 2 x Moon Lamp.")).toBe(true);
    expect(judged(one, "Yes, your cart has 2 x Moon Lamp.")).toBe(false);
  });

  test("is a question about suitability, whose answer is not known", () => {
    const turn = drawn("suitability", START, ({ slots }) => slots.name === "Moon Lamp");
    const facts = "The Moon Lamp is steel and warm and costs 70 EUR.";
    expect(judged(turn, `I don't know that. ${facts}`)).toBe(true);
    expect(judged(turn, `Yes, it does. ${facts}`)).toBe(false);
    expect(judged(turn, "I don't know that.")).toBe(false);
  });
});
