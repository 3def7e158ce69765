/**
 * The catalogue with other goods: each product keeps its id, category and stock and gets the name of an invented brand, and
 * another price, rating and attributes. The shop of a training task of `new-products` has such goods. The edge knows the
 * stock by id, so its tool answers as in the shop that visitors see.
 */
import { pick } from "@waggle/environments";
import type { RandomSource } from "@waggle/protocol";
import { CATALOGUE } from "./catalogue-data.ts";
import type { Product } from "./catalogue-data.ts";

const ONSETS =
  "b bl br c ch cl d dr f fl g gr h j k kl l m n pl pr r s sh sk sp st t tr v w z".split(" ");
const VOWELS = "a ai e ea i o oo u y".split(" ");
const CODAS = " d ck g l lm m n nd p r rd rk s ss st t th x".split(" ");
const SIZES = ["Mini", "Large", "Pro", "Wide", "Long"];
const ATTRIBUTES = [...new Set(CATALOGUE.flatMap(({ attributes }) => attributes))];

/** Invented goods, in the order of the catalogue. */
export function inventedCatalogue(random: RandomSource): readonly Product[] {
  return CATALOGUE.map(({ id, category, stock }) => {
    const size = random() < 0.2 ? ` ${pick(random, SIZES)}` : "";
    return {
      id,
      name: `${brand(random)} ${capital(category)}${size}`,
      category,
      price: 6 + Math.floor(random() * (random() < 0.6 ? 60 : 220)),
      rating: (33 + Math.floor(random() * 17)) / 10,
      stock,
      attributes: [...new Set(Array.from({ length: 3 }, () => pick(random, ATTRIBUTES)))],
    };
  });
}

/** One or two syllables, such as Blean or Torspix. */
function brand(random: RandomSource): string {
  const syllable = () => `${pick(random, ONSETS)}${pick(random, VOWELS)}${pick(random, CODAS)}`;
  return capital(random() < 0.3 ? syllable() : `${syllable()}${syllable()}`);
}

function capital(word: string): string {
  return `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`;
}
