/** Requests that must be refused, and those of which a part must be refused. Gold and near misses: further-choices.test.ts. */
import { mulberry32 } from "@waggle/protocol";
import { describe, expect, test } from "vitest";
import { CATALOGUE } from "../../catalogue-data.ts";
import { redrawnCatalogue } from "../../redrawn-catalogue.ts";
import { REFUSAL } from "../answers.ts";
import { FURTHER_KINDS } from "../talk-plans.ts";
import { FURTHER_SHOP_TALK } from "../talk-spec.ts";
import type { DrawTurn, Scene, TalkTurn } from "../talk-turn.ts";
import { fittingPatterns, isHeldOutPattern } from "../wording.ts";
import { nounOf, OTHER_SUBJECTS, SHOP_SERVICES, WORDINGS } from "../wordings/index.ts";
import { conduct, passes, sceneOf } from "./conduct.fixture.ts";
import { MIXED_WISH_TURNS } from "./mixed-wishes.ts";
import { OTHER_REQUEST_TURNS } from "./other-requests.ts";
import { RANGE_TURNS } from "./range-questions.ts";

const SEEDS = 40;
const TURNS: { readonly [kind in string]: DrawTurn } = {
  ...OTHER_REQUEST_TURNS,
  ...MIXED_WISH_TURNS,
  "half-word": RANGE_TURNS["half-word"],
};

/** The first turn of a kind that fits. */
function drawn(
  kind: string,
  fits: (turn: TalkTurn) => boolean = () => true,
  scene: Scene = sceneOf(),
  from = 0,
): TalkTurn {
  for (let seed = from; seed < from + 20_000; seed += 1) {
    const turn = TURNS[kind]?.(mulberry32(seed), scene) ?? null;
    if (turn !== null && fits(turn)) return turn;
  }
  throw new Error(`no ${kind}`);
}

// A search for what is not sold mostly finds nothing that a mistake could add.
const MISTAKABLE = Object.keys(TURNS).filter((kind) => kind !== "not-sold-one");

test.each(MISTAKABLE)("%s: an assistant with mistakes fails often", async (kind) => {
  let failures = 0;
  for (let seed = 0; seed < SEEDS; seed += 1) {
    const scene = sceneOf(seed % 2 === 0 ? CATALOGUE : redrawnCatalogue(mulberry32(seed)));
    const turn = drawn(kind, () => true, scene, seed * 1000);
    if (!passes(turn, scene, await conduct(turn, scene, 1))) failures += 1;
  }
  expect(failures).toBeGreaterThan(SEEDS / 2);
});

describe("a request that is refused", () => {
  test.each([
    ["other-subject", "category"],
    ["other-subject", "place"],
    ["shop-service", "name"],
    ["shop-service", "payment"],
  ])("%s, about a %s, calls nothing, even if it names a product", async (kind, slot) => {
    const turn = drawn(kind, ({ slots }) => slots[slot] !== undefined);
    const gold = await conduct(turn);
    expect(gold).toEqual({ text: REFUSAL, calls: [], cart: [] });
    expect(passes(turn, sceneOf(), gold)).toBe(true);
    expect(passes(turn, sceneOf(), { ...gold, calls: ["search"] })).toBe(false);
    expect(passes(turn, sceneOf(), { ...gold, text: "We have the Nordic Mug (12 EUR)." })).toBe(
      false,
    );
  });

  test("is drawn for each subject, and each subject can be held out", () => {
    for (const [kind, subjects] of [
      ["other-subject", OTHER_SUBJECTS],
      ["shop-service", SHOP_SERVICES],
    ] as const) {
      for (const { slot, patterns } of subjects) {
        const turn = drawn(kind, ({ slots }) => slots[slot] !== undefined);
        const fitting = fittingPatterns(turn);
        expect(fitting.map(({ pattern }) => pattern)).toEqual(patterns);
        const heldOut = fitting.map(({ index }) => isHeldOutPattern(index));
        expect(new Set(heldOut)).toEqual(new Set([true, false]));
      }
    }
  });

  test("has in held-out talks a value that no talk of training has", () => {
    const said = (split: "train" | "heldOut") =>
      new Set(
        Array.from({ length: 1500 }, (_, seed) =>
          FURTHER_SHOP_TALK.task(FURTHER_SHOP_TALK.reference(seed, split, 0)),
        )
          .filter(({ kind }) => kind === "not-sold-one")
          .map(({ request }) => request),
      );
    const known = said("train");
    expect(known.size).toBeGreaterThan(10);
    expect([...said("heldOut")].filter((request) => known.has(request))).toEqual([]);
  });
});

describe("one thing that is not sold", () => {
  test.each([
    ["a pair of jeans", "jeans"],
    ["an iron", "iron"],
    ["a kettle", "kettle"],
  ])("%s is searched for as %s, and nothing is added", async (one, noun) => {
    expect(nounOf(one)).toBe(noun);
    const turn = drawn("not-sold-one", ({ slots }) => slots["one"] === one);
    const gold = await conduct(turn);
    expect(gold).toEqual({
      text: `We have no ${noun}. I can look for something else.`,
      calls: ["search"],
      cart: [],
    });
    expect(passes(turn, sceneOf(), gold)).toBe(true);
    expect(passes(turn, sceneOf(), { ...gold, text: `We have ${one}.` })).toBe(false);
  });
});

describe("a message of which a part can be done", () => {
  test("is one in both orders", () => {
    const first = WORDINGS["mixed-wishes"].filter(
      (pattern) => pattern.indexOf("{wish}") < pattern.indexOf("{foreign}"),
    );
    const share = first.length / WORDINGS["mixed-wishes"].length;
    expect(share).toBeGreaterThan(0.4);
    expect(share).toBeLessThan(0.6);
  });

  test("has it done and the rest refused", async () => {
    const turn = drawn("mixed-wishes", ({ expected }) => expected.cart.length === 1);
    const gold = await conduct(turn);
    expect(gold.text).toMatch(/^I added .* I can't help with the rest\.$/);
    expect(passes(turn, sceneOf(), gold)).toBe(true);
    expect(passes(turn, sceneOf(), { ...gold, text: REFUSAL, cart: [], calls: [] })).toBe(false);
    const silent = gold.text.replace(" I can't help with the rest.", "");
    expect(passes(turn, sceneOf(), { ...gold, text: silent })).toBe(false);
  });
});

test("half a word is read as its category", async () => {
  const turn = drawn("half-word", ({ slots }) => slots["half"] === "umbrell");
  const gold = await conduct(turn);
  expect(gold.text).toMatch(/^We have the \w+ Umbrella/);
  expect(gold.cart).toEqual([]);
});

test("a bit less than a third of the further talks has something to refuse", () => {
  const refusals = new Set([
    "other-subject",
    "shop-service",
    "mixed-wishes",
    "not-sold-one",
    "fragment",
    "out-of-scope",
    "mixed-scope",
    "not-sold",
    "missing-referent",
    "other-language",
  ]);
  const share = FURTHER_KINDS.filter((kind) => refusals.has(kind)).length / FURTHER_KINDS.length;
  expect(share).toBeGreaterThan(0.25);
  expect(share).toBeLessThan(1 / 3);
});
