/** Further choices, drawn alone with the catalogue and with redrawn ones: the right conduct passes and near misses fail. */
import { mulberry32 } from "@waggle/protocol";
import { describe, expect, test } from "vitest";
import { CATALOGUE, type Product } from "../../catalogue-data.ts";
import { redrawnCatalogue } from "../../redrawn-catalogue.ts";
import { nearMisses } from "../talk-examples.ts";
import type { DrawTurn, Scene, TalkTurn } from "../talk-turn.ts";
import { isHeldOutPattern, fittingPatterns } from "../wording.ts";
import { actionsOf, actionsPass, sceneOf } from "./conduct.fixture.ts";
import { EITHER_OR_TURNS } from "./either-or.ts";
import { MIXED_WISH_TURNS } from "./mixed-wishes.ts";
import { OTHER_REQUEST_TURNS } from "./other-requests.ts";
import { RANGE_TURNS } from "./range-questions.ts";
import { RANK_TURNS } from "./ranks.ts";
import { SUM_TURNS } from "./sums.ts";
import { TWO_ATTRIBUTE_TURNS } from "./two-attributes.ts";

const TURNS: { readonly [kind in string]: DrawTurn } = {
  ...EITHER_OR_TURNS,
  ...RANK_TURNS,
  ...SUM_TURNS,
  ...TWO_ATTRIBUTE_TURNS,
  ...OTHER_REQUEST_TURNS,
  ...MIXED_WISH_TURNS,
  "half-word": RANGE_TURNS["half-word"],
};
const SEEDS = 40;

/** The first turn of a kind that fits. */
function drawn(
  kind: string,
  scene: Scene = sceneOf(),
  fits: (turn: TalkTurn) => boolean = () => true,
  from = 0,
): TalkTurn {
  for (let seed = from; seed < from + 20_000; seed += 1) {
    const turn = TURNS[kind]?.(mulberry32(seed), scene) ?? null;
    if (turn !== null && fits(turn)) return turn;
  }
  throw new Error(`no ${kind} in this scene`);
}

test.each(Object.keys(TURNS))("%s: gold passes and near misses fail", async (kind) => {
  const wrong: string[] = [];
  for (let seed = 0; seed < SEEDS; seed += 1) {
    for (const goods of [CATALOGUE, redrawnCatalogue(mulberry32(seed))]) {
      const [line] = goods.slice(seed % goods.length);
      const scene = sceneOf(goods, seed % 3 === 0 ? [{ id: line?.id ?? "", quantity: 1 }] : []);
      const turn = drawn(kind, scene, () => true, seed * 1000);
      const said = JSON.stringify(turn.slots);
      const indexes = fittingPatterns(turn).map(({ index }) => index);
      if (new Set(indexes.map(isHeldOutPattern)).size < 2) wrong.push(`no pattern: ${said}`);
      const actions = await actionsOf(turn, scene);
      if (!(await actionsPass(turn, scene, actions)))
        wrong.push(`${said}: ${actions.at(-1)?.text ?? ""}`);
      const talk = { goods, cart: scene.cart, messages: [[turn]] };
      for (const [at, miss] of nearMisses(actions, talk).entries()) {
        if (await actionsPass(turn, scene, miss)) wrong.push(`miss ${at}: ${said}`);
      }
    }
  }
  expect(wrong).toEqual([]);
});

/** What the scripted assistant calls in each step, and its answer. */
async function conductOf(turn: TalkTurn, scene: Scene = sceneOf()) {
  const actions = await actionsOf(turn, scene);
  return {
    calls: actions.map(({ calls }) => calls.map(({ name }) => name)).filter((step) => step[0]),
    answer: actions.at(-1)?.text,
  };
}

function named(name: string): Product {
  return CATALOGUE.find((item) => item.name === name) as Product;
}

/** A cart with one piece of a product. */
function one(name: string): Scene["cart"] {
  return [{ id: named(name).id, quantity: 1 }];
}

describe("the one of two products that wins", () => {
  const pair = (more: string) =>
    drawn(
      "whichever",
      sceneOf([named("Moon Lamp"), named("Desk Lamp")]),
      ({ slots }) => slots["name"] === "Moon Lamp" && slots["more"] === more,
    );

  test("is added if it is cheaper", async () => {
    const turn = pair("cheaper");
    expect(turn.slots).toMatchObject({ other: "Desk Lamp", wins: "costs less" });
    expect(turn.expected.cart).toEqual(one("Desk Lamp"));
    expect(turn.near).toEqual({ id: named("Moon Lamp").id });
    expect(await conductOf(turn)).toEqual({
      calls: [["search", "search"], ["add_to_cart"]],
      answer:
        "The Moon Lamp costs 70 EUR and the Desk Lamp 25 EUR. I added the Desk Lamp (25 EUR).",
    });
  });

  test("is added if it is rated better", async () => {
    const turn = pair("better rated");
    expect(turn.expected.cart).toEqual(one("Moon Lamp"));
    expect(await conductOf(turn)).toEqual({
      calls: [["search", "search"], ["open", "open"], ["add_to_cart"]],
      answer: "The Moon Lamp is rated 4.4 and the Desk Lamp 3.5. I added the Moon Lamp (70 EUR).",
    });
  });
});

describe("a place in an order", () => {
  const second = (kind: string, rank: string) =>
    drawn(kind, undefined, ({ slots }) => slots["rank"] === rank && slots["what"] === "lamp");

  test("is asked for, which adds nothing", async () => {
    const turn = second("rank-question", "second cheapest");
    expect(turn.expected).toEqual({ cart: [], form: "answer", facts: [["Desk Lamp"], 25] });
    expect(await conductOf(turn)).toEqual({
      calls: [["search"]],
      answer: "The second cheapest is the Desk Lamp at 25 EUR.",
    });
  });

  test("is added", async () => {
    const turn = second("add-by-rank", "third best rated");
    expect(turn.expected.cart).toEqual(one("Moon Lamp Mini"));
    expect(turn.near).toEqual({ id: named("Garden Lamp").id });
    expect(await conductOf(turn)).toEqual({
      calls: [["search"], ["add_to_cart", "open"]],
      answer: "I added the Moon Lamp Mini (75 EUR).",
    });
  });

  test("is not drawn where two products share it", () => {
    const goods = ["Moon Bottle", "Sun Bottle", "Sea Bottle"].map((name, at) => ({
      ...named("Moon Lamp"),
      id: `q${at}`,
      name,
    }));
    expect(() => drawn("add-by-rank", sceneOf(goods))).toThrow("no add-by-rank");
  });

  test("is the first by rating within a limit", async () => {
    const turn = drawn(
      "best-under-question",
      undefined,
      ({ slots }) => slots["limit"] === "50" && slots["what"] === "scarf",
    );
    expect(turn.expected.facts).toEqual([["Garden Scarf"], 4.5]);
    expect(await conductOf(turn)).toEqual({
      calls: [["search"]],
      answer: "The best rated under 50 EUR is the Garden Scarf with 4.5 of 5.",
    });
  });
});

test("a sum counts the pieces of each product and adds nothing", async () => {
  const goods = [named("Trail Bottle"), named("Moon Notebook"), named("Sun Hat")];
  const turn = drawn(
    "sum-question",
    sceneOf(goods),
    ({ expected: { facts } }) =>
      facts.length === 3 && facts.join(" ") === "Trail Bottle Moon Notebook 90",
  );
  expect(turn.expected.cart).toEqual([]);
  expect(await conductOf(turn, sceneOf(goods))).toEqual({
    calls: [["search", "search"], ["calculate"]],
    answer: "Together, 2 x Trail Bottle and the Moon Notebook cost 90 EUR.",
  });
});

describe("two attributes", () => {
  const wish = (kind: string, slots: { readonly [slot: string]: string }) =>
    drawn(kind, undefined, (turn) =>
      Object.entries(slots).every(([slot, word]) => turn.slots[slot] === word),
    );

  test("that one product has lead to this product", async () => {
    const turn = wish("add-both", { what: "scarf", attribute: "red", second: "cotton" });
    expect(turn.expected.cart).toEqual(one("Classic Scarf"));
    expect(await conductOf(turn)).toEqual({
      calls: [["search"], ["add_to_cart"]],
      answer: "I added the Classic Scarf (65 EUR).",
    });
  });

  test("that several products have lead to a question", async () => {
    const turn = wish("add-both", { what: "scarf", attribute: "red", second: "warm" });
    expect(turn.expected.cart).toEqual([]);
    expect(await conductOf(turn)).toEqual({
      calls: [["search"]],
      answer: "Which one do you want: the City Scarf (51 EUR) or the Sun Scarf (55 EUR)?",
    });
  });

  test("leave out a third one", async () => {
    const turn = wish("add-without", {
      what: "mug",
      attribute: "large",
      second: "glass",
      without: "red",
    });
    expect(turn.expected.cart).toEqual(one("Garden Mug"));
    expect(turn.near).toEqual({ id: named("Morning Mug Large").id });
    expect(turn.needs).toEqual(["second"]);
    expect(await conductOf(turn)).toEqual({
      calls: [["search"], ["add_to_cart"]],
      answer: "I added the Garden Mug (10 EUR).",
    });
  });
});

describe("a condition with a second choice", () => {
  const scene = sceneOf([named("Garden Umbrella"), named("Sun Umbrella")]);
  const first = (fits: string) =>
    drawn(
      "add-or-else",
      scene,
      ({ slots }) => slots["name"] === "Garden Umbrella" && slots["fits"] === fits,
    );

  test("adds the second product if the rating of the first is too low", async () => {
    const turn = first("is rated over 3.5");
    expect(turn.slots).toMatchObject({ fails: "is rated under 3.5", other: "Sun Umbrella" });
    expect(turn.expected.cart).toEqual(one("Sun Umbrella"));
    expect(await conductOf(turn, scene)).toEqual({
      calls: [["search", "search"], ["open"], ["add_to_cart"]],
      answer: "The Garden Umbrella is rated 3.3. I added the Sun Umbrella (28 EUR).",
    });
  });

  test("adds the first product if its price is low enough", async () => {
    const turn = first("costs less than 50");
    expect(turn.expected.cart).toEqual(one("Garden Umbrella"));
    expect(await conductOf(turn, scene)).toEqual({
      calls: [["search", "search"], ["add_to_cart"]],
      answer: "I added the Garden Umbrella (41 EUR).",
    });
  });

  test("adds the second product if the first has an attribute that is not wanted", async () => {
    const turn = first("is not red");
    expect(turn.expected.cart).toEqual(one("Sun Umbrella"));
    expect(turn.expected.never).toEqual(["not red"]);
    expect((await conductOf(turn, scene)).answer).toBe(
      "The Garden Umbrella is red. I added the Sun Umbrella (28 EUR).",
    );
  });
});
