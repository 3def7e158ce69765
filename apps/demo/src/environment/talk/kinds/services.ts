/** Requests outside of what the assistant can do, and for things with names that nobody knows. */
import { pick } from "@waggle/environments";
import type { RandomSource } from "@waggle/protocol";
import { searchProducts } from "../../catalogue.ts";
import type { Product } from "../../catalogue-data.ts";
import { REFUSAL } from "../answers.ts";
import { next } from "../scene.ts";
import type { DrawTurn, Scene, TalkKind, TalkTurn, TurnsOf } from "../talk-turn.ts";
import { nameOf, pluralOf, synonym } from "../values.ts";
import { SERVICE_REQUESTS, SERVICE_WORDS, THINGS, TOPIC_WORDS } from "../wordings/index.ts";
import { SYNONYMS } from "../../synonyms.ts";
import { notSold, partlyDone, say } from "./small-talk.ts";

/** A word for each slot. */
function drawWords(
  random: RandomSource,
  words: { readonly [slot: string]: readonly string[] },
): { [slot: string]: string } {
  return Object.fromEntries(
    Object.entries(words).map(([slot, choices]) => [slot, pick(random, choices)]),
  );
}

/** A turn that is refused without any call. @param query - what an assistant with mistakes looks for */
function refused(kind: TalkKind, slots: TalkTurn["slots"], scene: Scene, query: string): TalkTurn {
  return {
    kind,
    slots,
    expected: { cart: scene.cart, form: "refusal", facts: [] },
    conduct: (assistant) => say(assistant, REFUSAL, query),
    after: next(scene, { last: null }),
  };
}

const offTopic: DrawTurn = (random, scene) =>
  refused("off-topic", drawWords(random, TOPIC_WORDS), scene, "");

const service: DrawTurn = (random, scene) => {
  const item: Product = pick(random, scene.goods);
  const what = synonym(random, SYNONYMS.categories, item.category);
  const slots = {
    ...drawWords(random, SERVICE_WORDS),
    name: nameOf(item, random, scene.goods),
    what,
    category: pluralOf(what),
  };
  return refused("shop-service", slots, scene, item.name);
};

const ONSETS = "b br cl d dr f fl g gr k l m n p pl qu r s sn st sw t tr v w z".split(" ");
const VOWELS = "a e i o u oo ea ai".split(" ");
const CODAS = "b ck d g ld ll m mp n nd ng nt p rb rk rt sk t x zz".split(" ");

/** A word that sounds like an English plural, and that no product has. */
function inventedThing(random: RandomSource, goods: readonly Product[]): string {
  for (;;) {
    const syllable = (): string => pick(random, ONSETS) + pick(random, VOWELS);
    const word = `${random() < 0.6 ? syllable() : ""}${syllable()}${pick(random, CODAS)}`;
    const thing = pluralOf(word);
    if (searchProducts({ query: thing }, goods).length === 0) return thing;
  }
}

/** Share of the unknown things that are invented. The others exist, and the shop does not sell them. */
const INVENTED_SHARE = 0.6;

const unknownThing: DrawTurn = (random, scene) => {
  const isInvented = random() < INVENTED_SHARE;
  const thing = isInvented ? inventedThing(random, scene.goods) : pick(random, THINGS);
  return notSold("unknown-thing", thing, scene);
};

export const SERVICE_TURNS: TurnsOf<
  "off-topic" | "shop-service" | "mixed-service" | "unknown-thing"
> = {
  "off-topic": offTopic,
  "shop-service": service,
  "mixed-service": (random, scene) =>
    partlyDone("mixed-service", random, scene, { rest: pick(random, SERVICE_REQUESTS) }),
  "unknown-thing": unknownThing,
};
