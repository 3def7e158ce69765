/** The further kinds: the right conduct passes with any goods, near misses fail, and each kind has an example judged by hand. */
import { mulberry32, type RandomSource } from "@waggle/protocol";
import { describe, expect, test } from "vitest";
import { CATALOGUE, type Product } from "../../catalogue-data.ts";
import { redrawnCatalogue } from "../../redrawn-catalogue.ts";
import type { CartLine } from "../../shop.ts";
import { sameCart } from "../talk-judge.ts";
import { FURTHER_KINDS } from "../talk-plans.ts";
import type { DrawTurn, Scene, TalkTurn } from "../talk-turn.ts";
import { drawProducts } from "../values.ts";
import { fittingPatterns, isHeldOutPattern } from "../wording.ts";
import { CART_FACT_TURNS } from "./cart-facts.ts";
import { CART_LINE_TURNS } from "./cart-lines.ts";
import { conduct, type Conduct, passes, sceneOf } from "./conduct.fixture.ts";
import { RELATIVE_NUMBER_TURNS } from "./relative-numbers.ts";
import { SEVERAL_CHANGES_TURNS } from "./several-changes.ts";
import { SWAP_TURNS } from "./swaps.ts";
import { UNKNOWN_THING_TURNS } from "./unknown-things.ts";

const TURNS: { readonly [kind in string]: DrawTurn } = {
  ...CART_LINE_TURNS,
  ...RELATIVE_NUMBER_TURNS,
  ...SWAP_TURNS,
  ...CART_FACT_TURNS,
  ...UNKNOWN_THING_TURNS,
  ...SEVERAL_CHANGES_TURNS,
};
const KINDS = [...new Set(FURTHER_KINDS)].filter((kind) => kind in TURNS);
const SEEDS = 40;

function sceneWith(cart: readonly CartLine[], goods?: readonly Product[]): Scene {
  return { ...sceneOf(goods, cart), began: "filled" };
}

function drawScene(random: RandomSource, goods: readonly Product[]): Scene {
  const items = drawProducts(random, 1 + Math.floor(random() * 3), { goods });
  const cart = items.map(({ id, stock }) => ({
    id,
    quantity: Math.min(stock, 1 + Math.floor(random() * 4)),
  }));
  return sceneWith(cart, goods);
}

/** The first turn of a kind that these draws give. */
function drawn(kind: string, random: RandomSource, goods: readonly Product[]) {
  for (let draw = 0; draw < 5000; draw += 1) {
    const scene = drawScene(random, goods);
    const turn = TURNS[kind]?.(random, scene) ?? null;
    if (turn !== null) return { scene, turn };
  }
  throw new Error(`no ${kind}`);
}

/** The first turn of a kind in one scene. */
function drawnIn(scene: Scene, kind: string, fits: (turn: TalkTurn) => boolean = () => true) {
  for (let seed = 0; seed < 5000; seed += 1) {
    const turn = TURNS[kind]?.(mulberry32(seed), scene) ?? null;
    if (turn !== null && fits(turn)) return turn;
  }
  throw new Error(`no ${kind} in this scene`);
}

/** Conduct that is nearly right. */
function nearMisses(turn: TalkTurn, scene: Scene, gold: Conduct): Conduct[] {
  const changes = !sameCart(scene.cart, turn.expected.cart);
  const [first, ...rest] = gold.cart;
  const known = [...scene.cart, ...turn.expected.cart];
  const foreign = scene.goods.find(({ id }) => !known.some((line) => line.id === id));
  return [
    { ...gold, text: "" },
    { ...gold, text: `${gold.text} <tool_call>` },
    { ...gold, text: "Done." },
    { ...gold, text: `${gold.text} The ${foreign?.name ?? ""} is nice too.` },
    { ...gold, cart: [...gold.cart, { id: foreign?.id ?? "", quantity: 1 }] },
    { ...gold, cart: rest },
    { ...gold, cart: [{ id: first?.id ?? "", quantity: (first?.quantity ?? 0) + 1 }, ...rest] },
    ...(changes
      ? [{ ...gold, cart: scene.cart }]
      : [{ ...gold, text: `I removed it. ${gold.text}` }]),
    ...(turn.expected.facts.some((fact) => typeof fact === "number")
      ? [{ ...gold, text: gold.text.replaceAll(/\d+/g, "7777") }]
      : []),
  ];
}

const SHOPS: readonly (readonly [string, (seed: number) => readonly Product[]])[] = [
  ["the catalogue", () => CATALOGUE],
  ["a redrawn catalogue", (seed) => redrawnCatalogue(mulberry32(seed))],
];
const CASES = KINDS.flatMap((kind) => SHOPS.map(([shop, goods]) => [kind, shop, goods] as const));

test.each(CASES)("%s in %s: gold passes and near misses fail", async (kind, _, goodsOf) => {
  const wrong: string[] = [];
  for (let seed = 0; seed < SEEDS; seed += 1) {
    const { scene, turn } = drawn(kind, mulberry32(seed + 1000), goodsOf(seed));
    const gold = await conduct(turn, scene);
    if (!passes(turn, scene, gold)) wrong.push(`${seed}: ${gold.text}`);
    for (const [at, miss] of nearMisses(turn, scene, gold).entries()) {
      if (passes(turn, scene, miss)) wrong.push(`${seed}, miss ${at}: ${miss.text}`);
    }
  }
  expect(wrong).toEqual([]);
});

test.each(KINDS)("%s: an assistant with mistakes fails often", async (kind) => {
  let failures = 0;
  for (let seed = 0; seed < SEEDS; seed += 1) {
    const { scene, turn } = drawn(kind, mulberry32(seed), CATALOGUE);
    if (!passes(turn, scene, await conduct(turn, scene, 1))) failures += 1;
  }
  expect(failures).toBeGreaterThan(SEEDS / 2);
});

test.each(KINDS)("%s can be said in training and in held-out tasks", (kind) => {
  for (let seed = 0; seed < SEEDS; seed += 1) {
    const { turn } = drawn(kind, mulberry32(seed), CATALOGUE);
    const isHeldOut = fittingPatterns(turn).map(({ index }) => isHeldOutPattern(index));
    expect(new Set(isHeldOut)).toEqual(new Set([true, false]));
  }
});

const idOf = (name: string) => CATALOGUE.find((item) => item.name === name)?.id ?? "";
const lineOf = (name: string, quantity = 1): CartLine => ({ id: idOf(name), quantity });

describe("a line that is named by its category", () => {
  const scene = sceneWith([lineOf("Nordic Mug", 2), lineOf("Moon Lamp"), lineOf("Nordic Hat")]);

  test("is removed, and nothing else", async () => {
    const turn = drawnIn(scene, "remove-by-category", ({ slots }) => slots["line"] === "mugs");
    expect(turn.expected.cart).toEqual([lineOf("Moon Lamp"), lineOf("Nordic Hat")]);
    const gold = await conduct(turn, scene);
    expect(gold.text).toBe("I removed 2 x Nordic Mug.");
    const wrongLine = [lineOf("Nordic Mug", 2), lineOf("Nordic Hat")];
    expect(passes(turn, scene, { ...gold, cart: wrongLine })).toBe(false);
    expect(passes(turn, scene, { ...gold, text: "The Nordic Mug is not in your cart." })).toBe(
      false,
    );
  });

  test("is kept, and everything else is removed", async () => {
    const turn = drawnIn(scene, "keep-by-category", ({ slots }) => slots["line"] === "lamp");
    expect(turn.expected.cart).toEqual([lineOf("Moon Lamp")]);
    const gold = await conduct(turn, scene);
    expect(gold.text).toBe("I removed the Nordic Mug and the Nordic Hat. The Moon Lamp stays.");
    const wrongLine = [lineOf("Nordic Mug", 2), lineOf("Nordic Hat")];
    expect(passes(turn, scene, { ...gold, cart: wrongLine })).toBe(false);
  });

  test("is alone in its category", () => {
    const both = sceneWith([lineOf("Nordic Mug"), lineOf("City Mug")]);
    expect(() => drawnIn(both, "remove-by-category")).toThrow("no remove-by-category");
    expect(() => drawnIn(both, "keep-by-category")).toThrow("no keep-by-category");
  });
});

describe("a number relative to the cart", () => {
  const scene = sceneWith([lineOf("City Mug", 4), lineOf("Moon Lamp")]);
  const changed = (pattern: string, n?: string) =>
    drawnIn(
      scene,
      "relative-number",
      ({ slots, patterns }) =>
        slots["line"] === "mugs" && slots["n"] === n && patterns?.includes(pattern) === true,
    );

  test.each([
    ["{n} more {pieces}", "1", 5],
    ["cut my {line} by {n}", "1", 3],
    ["halve the {line} in my cart", undefined, 2],
    ["double the {line}", undefined, 8],
    ["cap my {line} at {n} pls", "2", 2],
    ["make it {n} {pieces}", "6", 6],
  ])("%s with %s", async (pattern, n, wanted) => {
    const turn = changed(pattern, n);
    expect(turn.expected.cart).toEqual([lineOf("City Mug", wanted), lineOf("Moon Lamp")]);
    const gold = await conduct(turn, scene);
    expect(gold.text).toBe(`Your cart now has ${wanted} x City Mug (22 EUR each).`);
    expect(passes(turn, scene, gold)).toBe(true);
    expect(passes(turn, scene, { ...gold, text: "Your cart has the City Mug." })).toBe(false);
  });

  test("says one piece in the singular", () => {
    expect(changed("{n} more {pieces}", "1").slots["pieces"]).toBe("mug");
    expect(changed("{n} more {pieces}", "2").slots["pieces"]).toBe("mugs");
  });
});

describe("several changes", () => {
  const scene = sceneWith([lineOf("Nordic Mug", 2), lineOf("Moon Lamp")]);
  const turn = drawnIn(
    scene,
    "several-changes",
    ({ slots }) =>
      slots["changes"]?.includes("my mugs") === true && slots["changes"].includes("a dozen "),
  );

  test("are all made: a line named by its category goes, and a dozen are twelve", async () => {
    const added = turn.expected.cart.filter(({ id }) => id !== idOf("Moon Lamp"));
    expect(turn.expected.cart).toContainEqual(lineOf("Moon Lamp"));
    expect(added.map(({ quantity }) => quantity)).toContain(12);
    expect(added.map(({ id }) => id)).not.toContain(idOf("Nordic Mug"));
    const gold = await conduct(turn, scene);
    expect(gold.text).toMatch(/^I added .*12 x .* I removed the Nordic Mug\.$/);
    expect(passes(turn, scene, { ...gold, cart: [...added, ...scene.cart] })).toBe(false);
  });
});

describe("a swap", () => {
  const scene = sceneWith([lineOf("Storm Jacket"), lineOf("City Mug", 2)]);
  const swapped = (pattern: string, attribute?: string) =>
    drawnIn(
      scene,
      "swap-by-category",
      ({ slots, patterns }) =>
        slots["attribute"] === attribute && patterns?.includes(pattern) === true,
    );

  test.each([
    ["swap my {line} for the cheapest one", undefined, "Classic Jacket", 64],
    ["have my {line} swapped for the best rated of its kind", undefined, "City Jacket", 169],
    [
      "please swap the {line}: I want a {attribute} one, the cheapest there is",
      "waterproof",
      "Classic Jacket",
      64,
    ],
    [
      "swap it, my {line}, for something {attribute}, and the best rated at that",
      "waterproof",
      "Trail Jacket Pro",
      182,
    ],
  ])("%s, %s: takes the %s", async (pattern, attribute, name, price) => {
    const turn = swapped(pattern, attribute);
    expect(turn.expected.cart).toEqual([lineOf("City Mug", 2), lineOf(name)]);
    const gold = await conduct(turn, scene);
    expect(gold.text).toBe(`I replaced the Storm Jacket with the ${name} (${price} EUR).`);
    const both = [...scene.cart, lineOf(name)];
    expect(passes(turn, scene, { ...gold, cart: both })).toBe(false);
    const second = [lineOf("City Mug", 2), { id: turn.near?.id ?? "", quantity: 1 }];
    expect(passes(turn, scene, { ...gold, cart: second })).toBe(false);
  });
});

describe("a question about a thing in the cart", () => {
  const scene = sceneWith([lineOf("City Jacket"), lineOf("City Mug", 3)]);
  const about = (kind: string, line: string, pattern?: string) =>
    drawnIn(
      scene,
      kind,
      ({ slots, patterns }) =>
        slots["line"] === line && (pattern === undefined || patterns?.includes(pattern) === true),
    );

  test.each([
    ["how well is the {line} in my cart rated?", "jacket", "The City Jacket is rated 4.7 of 5."],
    ["what did the {line} cost again?", "jacket", "The City Jacket costs 169 EUR."],
    ["how many {line} are in my cart?", "mugs", "Your cart has 3 x City Mug."],
  ])("%s %s", async (pattern, line, answer) => {
    const turn = about("in-cart-fact", line, pattern);
    const gold = await conduct(turn, scene);
    expect(gold.text).toBe(answer);
    expect(passes(turn, scene, gold)).toBe(true);
    const other = "The City Jacket costs 168 EUR, is rated 4.6 of 5, and City Mug: 2.";
    expect(passes(turn, scene, { ...gold, text: other })).toBe(false);
  });

  test("is what the rest costs, and nothing is removed", async () => {
    const turn = about("total-without", "jacket");
    const gold = await conduct(turn, scene);
    expect(gold.text).toBe("Without the City Jacket, your cart would cost 66 EUR.");
    expect(passes(turn, scene, gold)).toBe(true);
    expect(passes(turn, scene, { ...gold, cart: [lineOf("City Mug", 3)] })).toBe(false);
    const mugs = about("total-without", "mugs");
    expect((await conduct(mugs, scene)).text).toBe(
      "Without the City Mug, your cart would cost 169 EUR.",
    );
  });
});
