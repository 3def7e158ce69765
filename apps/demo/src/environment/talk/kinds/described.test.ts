/** The kinds about what is described: the right conduct passes with any goods, near misses fail, and examples read by hand. */
import { mulberry32 } from "@waggle/protocol";
import { describe, expect, test } from "vitest";
import { CATALOGUE, type Product } from "../../catalogue-data.ts";
import { redrawnCatalogue } from "../../redrawn-catalogue.ts";
import { nearMisses } from "../talk-examples.ts";
import type { DrawTurn, Scene, TalkTurn } from "../talk-turn.ts";
import { fittingPatterns, isHeldOutPattern, worded } from "../wording.ts";
import { actionsOf, actionsPass, sceneOf } from "./conduct.fixture.ts";
import { DESCRIBED_CHOICE_TURNS } from "./described-choices.ts";
import { DESCRIBED_LIST_TURNS } from "./described-lists.ts";
import { DESCRIBED_QUESTION_TURNS } from "./described-questions.ts";
import { DESCRIBED_WISH_TURNS } from "./described-wishes.ts";

const TURNS: { readonly [kind in string]: DrawTurn } = {
  ...DESCRIBED_WISH_TURNS,
  ...DESCRIBED_QUESTION_TURNS,
  ...DESCRIBED_LIST_TURNS,
  ...DESCRIBED_CHOICE_TURNS,
};
const SEEDS = 40;

function named(name: string): Product {
  return CATALOGUE.find((item) => item.name === name) as Product;
}

/** A turn of a kind that fits, and where it is said: a choice comes after a question or a wish. */
function drawn(
  kind: string,
  start: Scene = sceneOf(),
  fits: (turn: TalkTurn) => boolean = () => true,
  from = 0,
): { readonly turn: TalkTurn; readonly scene: Scene; readonly before: readonly TalkTurn[] } {
  for (let seed = from; seed < from + 20_000; seed += 1) {
    const random = mulberry32(seed);
    const asked = kind === "choose-described" ? TURNS["described-add"]?.(random, start) : undefined;
    const scene = asked?.after ?? start;
    const turn = TURNS[kind]?.(random, scene) ?? null;
    if (turn !== null && fits(turn)) {
      return { turn, scene, before: asked === undefined || asked === null ? [] : [asked] };
    }
  }
  throw new Error(`no ${kind} in this scene`);
}

test.each(Object.keys(TURNS))("%s: gold passes and near misses fail", async (kind) => {
  const wrong: string[] = [];
  for (let seed = 0; seed < SEEDS; seed += 1) {
    for (const goods of [CATALOGUE, redrawnCatalogue(mulberry32(seed))]) {
      const isFilled = seed % 3 === 0 || kind === "described-swap";
      const id = goods[seed % goods.length]?.id ?? "";
      const start = sceneOf(goods, isFilled ? [{ id, quantity: 1 }] : []);
      const found = drawn(kind, start, () => true, seed * 1000);
      const { turn, scene } = found;
      const said = JSON.stringify(turn.slots);
      expect(Object.keys(turn.unseen ?? {}).every((slot) => slot in turn.slots)).toBe(true);
      const words = [false, true].map((unseen) => worded(turn, unseen, mulberry32(seed)).text);
      wrong.push(...words.filter((text) => /[{}]|undefined/.test(text)));
      const indexes = fittingPatterns(turn).map(({ index }) => index);
      if (new Set(indexes.map(isHeldOutPattern)).size < 2) wrong.push(`no pattern: ${said}`);
      const actions = await actionsOf(found.turn, found.scene, found.before);
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

/** What the assistant calls, and its answer, where its only search is this one. */
async function conductOf(kind: string, query: string, cart: Scene["cart"] = []) {
  const goods = CATALOGUE.filter(({ category }) => query.includes(category));
  const start = sceneOf(goods, cart);
  for (let from = 0; from < 4000; from += 1) {
    const found = drawn(kind, start, () => true, from);
    const actions = await actionsOf(found.turn, found.scene, found.before);
    const calls = actions.flatMap((action) => action.calls);
    const search = calls.find(({ name }) => name === "search");
    if (search?.arguments["query"] !== query || Object.keys(search.arguments).length > 1) continue;
    return { calls: calls.map(({ name }) => name), answer: actions.at(-1)?.text ?? "" };
  }
  throw new Error(`no ${kind} for ${query}`);
}

describe("what is described", () => {
  test("is added if it is the only one", async () => {
    expect(await conductOf("described-add", "warm scarf -red")).toEqual({
      calls: ["search", "add_to_cart"],
      answer: "I added the Nordic Scarf (57 EUR).",
    });
  });

  test("is asked for if there are several", async () => {
    expect(await conductOf("described-add", "red scarf -cotton")).toEqual({
      calls: ["search"],
      answer: "Which one do you want: the City Scarf (51 EUR) or the Sun Scarf (55 EUR)?",
    });
  });

  test("is left alone if there is none", async () => {
    expect(await conductOf("described-if-any", "blue mug -steel")).toEqual({
      calls: ["search"],
      answer: "We have no such mug, so I left your cart as it is.",
    });
  });

  test("is not added if only its price was asked for", async () => {
    expect(await conductOf("described-price", "warm scarf -red")).toEqual({
      calls: ["search"],
      answer: "The Nordic Scarf costs 57 EUR.",
    });
  });

  test("takes the place of what is in the cart", async () => {
    const cart = [{ id: named("City Jacket").id, quantity: 1 }];
    const { calls, answer } = await conductOf("described-swap", "waterproof jacket -wool", cart);
    expect(calls.slice(0, 4)).toEqual(["view_cart", "search", "remove_from_cart", "add_to_cart"]);
    expect(answer).toBe("I replaced the City Jacket with the Trail Jacket Pro (182 EUR).");
  });
});

test("a price in results by rating is looked up before several pieces are added", async () => {
  const isBest = ({ expected, slots }: TalkTurn) =>
    expected.cart.length === 1 && /rat(?:ed|ing)|review|star/.test(slots["described"] ?? "");
  const found = drawn("described-add-n", undefined, isBest);
  const actions = await actionsOf(found.turn, found.scene, found.before);
  const names = actions.flatMap(({ calls }) => calls.map(({ name }) => name));
  expect(names).toEqual(["search", "open", "add_to_cart", "calculate"]);
});

test("pieces of a place in an order are said as one phrase", () => {
  for (let from = 0; from < 4000; from += 100) {
    const { turn } = drawn("described-add-n", undefined, () => true, from);
    const isRanked = !("specs" in turn.slots);
    expect("head" in turn.slots).toBe(!isRanked);
  }
});

test("held-out words come with held-out patterns only", () => {
  const { turn } = drawn("described-price");
  const said = (unseen: boolean) => worded(turn, unseen, () => 0.5).text;
  const plain = (text: string | undefined) => text?.toLowerCase() ?? "none";
  expect(turn.unseen?.["described"]).not.toBe(turn.slots["described"]);
  expect(said(false).toLowerCase()).toContain(plain(turn.slots["described"]));
  expect(said(true).toLowerCase()).toContain(plain(turn.unseen?.["described"]));
});

describe("a choice of what was listed", () => {
  const listed = ["Nordic Chair", "Desk Chair", "Classic Chair"].map(named);
  const scene: Scene = { ...sceneOf(), listed, sought: { query: "wood chair" } };
  const chosen = (choice: string) => {
    for (let seed = 0; seed < 5000; seed += 1) {
      const turn = TURNS["choose-described"]?.(mulberry32(seed), scene) ?? null;
      if (turn?.slots["choice"] === choice) return turn.expected.cart.map(({ id }) => id);
    }
    throw new Error(`no ${choice}`);
  };

  test.each([
    ["the 65 euro one", "Classic Chair"],
    ["the nordic one", "Nordic Chair"],
    ["the white one", "Desk Chair"],
    ["the cheapest of those", "Classic Chair"],
    ["the most expensive of those", "Desk Chair"],
    ["the best rated of those", "Nordic Chair"],
    ["the one that's not metal", "Classic Chair"],
  ])("%s", (choice, name) => {
    expect(chosen(choice)).toEqual([named(name).id]);
  });

  test("is not drawn where another search found the list", () => {
    const other = { ...scene, sought: { query: "chair" } };
    const turns = Array.from({ length: 50 }, (_, seed) =>
      TURNS["choose-described"]?.(mulberry32(seed), other),
    );
    expect(turns.every((turn) => turn === null)).toBe(true);
  });
});
