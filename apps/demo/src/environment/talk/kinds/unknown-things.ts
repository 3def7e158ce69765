/** Requests for things that the shop does not have. Many are named by invented words. */
import { pick } from "@waggle/environments";
import type { RandomSource } from "@waggle/protocol";
import { searchProducts } from "../../catalogue.ts";
import type { Product } from "../../catalogue-data.ts";
import type { DrawTurn, TurnsOf } from "../talk-turn.ts";
import { pluralOf } from "../values.ts";
import { THINGS } from "../wordings/index.ts";
import { refusedThing } from "./small-talk.ts";

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
  return refusedThing("unknown-thing", { thing }, thing, scene);
};

export const UNKNOWN_THING_TURNS: TurnsOf<"unknown-thing"> = { "unknown-thing": unknownThing };
