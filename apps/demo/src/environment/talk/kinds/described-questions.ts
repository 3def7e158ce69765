/** Questions about what is described: which one it is, what it costs, whether there is any. The cart stays as it is. */
import type { RandomSource } from "@waggle/protocol";
import { priced } from "../answers.ts";
import { type Assistant, type Hit, shown } from "../assistant.ts";
import {
  type Described,
  drawDescribed,
  meantAmong,
  searchOf,
  SHOWN,
} from "../described/description.ts";
import { askedAbout, next } from "../scene.ts";
import type { DrawTurn, Expectation, Scene, TalkTurn, TurnsOf } from "../talk-turn.ts";
import { NOTHING, said } from "./described-wishes.ts";
import { factsOf } from "./range-questions.ts";

/** Shares of the questions that ask for a place in an order, and of those that nothing fits. */
const RANKED_SHARE = 0.6;
const NONE_SHARE = 0.3;

/** A description of several things, in the slot of a plural. */
function severalOf(described: Described, random: RandomSource) {
  const { slots, unseen } = said(described, { isOpen: true }, random);
  return { slots: { several: slots.described }, unseen: { several: unseen.described } };
}

/** A description of one thing that is known, in the slot of a noun phrase. */
function oneOf(described: Described, random: RandomSource) {
  const { slots, unseen } = said(described, { isKnown: true }, random);
  return { slots: { described: slots.described }, unseen: { described: unseen.described } };
}

/** Lists what fits. A mistake adds it. */
async function list(assistant: Assistant, described: Described, before: string): Promise<string> {
  const hits = await assistant.search(searchOf(assistant, described));
  const [first] = hits;
  if (first === undefined) return `We have no such ${described.category}.`;
  assistant.listed = hits;
  return assistant.answered(first, `${before} ${priced(hits.map((hit) => shown(hit)))}.`);
}

/** What an answer that lists what fits must contain, and where the talk stands after it. */
function listed(
  scene: Scene,
  { matching, search, item }: Described,
): { readonly expected: Expectation; readonly after: Scene } {
  const facts = matching.length === 0 ? [NOTHING] : factsOf(matching);
  const found = { listed: matching.slice(0, SHOWN), sought: search };
  return {
    expected: {
      cart: scene.cart,
      form: "answer",
      facts,
      never: matching.length === 0 ? [] : ["no such"],
    },
    after:
      item === null ? next(scene, { last: null, ...found }) : askedAbout(scene, item, search.query),
  };
}

const which: DrawTurn = (random, scene): TalkTurn | null => {
  if (random() >= RANKED_SHARE) {
    const described = drawDescribed(
      random,
      scene.goods,
      ({ matching, rank }) => rank === null && matching.length > 0,
    );
    if (described === null) return null;
    return {
      kind: "described-which",
      ...severalOf(described, random),
      ...listed(scene, described),
      conduct: (assistant) => list(assistant, described, "We have"),
    };
  }
  const described = drawDescribed(random, scene.goods, ({ rank }) => rank !== null);
  const item = described?.item ?? null;
  if (described === null || item === null) return null;
  const field = described.search.sort ?? "price";
  return {
    kind: "described-which",
    ...oneOf(described, random),
    expected: { cart: scene.cart, form: "answer", facts: [[item.name], item[field]] },
    conduct: async (assistant) => {
      const hits = await assistant.search(searchOf(assistant, described));
      const [hit] = meantAmong(hits, described);
      if (hit === undefined) return "";
      const value = field === "price" ? `at ${hit.price} EUR` : `with ${hit.rating} of 5`;
      return assistant.answered(hit, `That is the ${hit.name} ${value}.`);
    },
    after: askedAbout(scene, item, described.search.query),
  };
};

const price: DrawTurn = (random, scene) => {
  const described = drawDescribed(random, scene.goods, ({ item }) => item !== null);
  const item = described?.item ?? null;
  if (described === null || item === null) return null;
  return {
    kind: "described-price",
    ...oneOf(described, random),
    expected: { cart: scene.cart, form: "answer", facts: [[item.name], item.price] },
    conduct: async (assistant) => {
      const hits = await assistant.search(searchOf(assistant, described));
      const [found] = meantAmong(hits, described);
      if (found === undefined) return "";
      const hit: Hit = await assistant.withPrice(found);
      return assistant.answered(hit, `The ${hit.name} costs ${hit.price} EUR.`);
    },
    after: askedAbout(scene, item, described.search.query),
  };
};

const isThere: DrawTurn = (random, scene) => {
  const isNone = random() < NONE_SHARE;
  const described = drawDescribed(
    random,
    scene.goods,
    ({ matching, rank }) => rank === null && (matching.length === 0) === isNone,
  );
  if (described === null) return null;
  const one = said(described, {}, random);
  const several = severalOf(described, random);
  return {
    kind: "described-is-there",
    slots: { described: one.slots.described, what: one.slots.what, ...several.slots },
    unseen: { described: one.unseen.described, what: one.unseen.what, ...several.unseen },
    ...listed(scene, described),
    conduct: (assistant) => list(assistant, described, "Yes, we have"),
  };
};

export const DESCRIBED_QUESTION_TURNS: TurnsOf<
  "described-which" | "described-price" | "described-is-there"
> = {
  "described-which": which,
  "described-price": price,
  "described-is-there": isThere,
};
