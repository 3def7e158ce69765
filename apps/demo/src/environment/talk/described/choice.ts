/** Choices of one of a few products that were listed, by what only one of them is. */
import { pick } from "@waggle/environments";
import type { RandomSource } from "@waggle/protocol";
import { searchProducts } from "../../catalogue.ts";
import type { Product } from "../../catalogue-data.ts";
import type { Search } from "../assistant.ts";
import type { Scene } from "../talk-turn.ts";
import { SHOWN } from "./description.ts";
import {
  CHOICE_BY_ATTRIBUTE,
  CHOICE_BY_LACK,
  CHOICE_BY_NAME,
  CHOICE_BY_ORDER,
  CHOICE_BY_PRICE,
} from "../wordings/described/choice-pieces.ts";
import { classOf, filled, piece } from "./phrase.ts";

/** What is chosen, how it is said, and what finds it if the list does not show it. */
export type Choice = {
  readonly item: Product;
  readonly say: (unseen: boolean) => string;
  readonly search?: Search;
};

type DrawChoice = (
  random: RandomSource,
  listed: readonly Product[],
  sought: Search,
  goods: readonly Product[],
) => Choice | null;

const byAttribute: DrawChoice = (random, listed, sought, goods) => {
  const attribute = pick(random, pick(random, listed).attributes);
  const search = { ...sought, query: `${attribute} ${sought.query}` };
  const having = listed.filter(({ attributes }) => attributes.includes(attribute));
  const found = searchProducts(search, goods);
  const [item] = having;
  if (item === undefined || having.length > 1 || found.length > 1 || found[0] !== item) return null;
  const { any, [classOf(attribute)]: ofClass } = CHOICE_BY_ATTRIBUTE;
  const pieces = random() < 0.5 ? any : ofClass;
  return {
    item,
    search,
    say: (unseen) => filled(piece(random, pieces, unseen), random, { attribute }),
  };
};

const byLack: DrawChoice = (random, listed, sought, goods) => {
  const attribute = pick(random, pick(random, listed).attributes);
  const search = { ...sought, query: `${sought.query} -${attribute}` };
  const lacking = listed.filter(({ attributes }) => !attributes.includes(attribute));
  const found = searchProducts(search, goods);
  const [item] = lacking;
  if (item === undefined || lacking.length > 1 || found.length > 1 || found[0] !== item)
    return null;
  const say = (unseen: boolean) =>
    filled(piece(random, CHOICE_BY_LACK, unseen), random, { attribute });
  return { item, search, say };
};

const byName: DrawChoice = (random, listed) => {
  const item = pick(random, listed);
  const words = item.name.split(" ").filter((word) => word.toLowerCase() !== item.category);
  const word = pick(random, words);
  if (listed.some((one) => one !== item && one.name.split(" ").includes(word))) return null;
  // "The large one" could be about an attribute that another one has.
  const isAttribute = listed.some(({ attributes }) => attributes.includes(word.toLowerCase()));
  if (isAttribute && !item.attributes.includes(word.toLowerCase())) return null;
  const said = random() < 0.5 ? word : word.toLowerCase();
  return { item, say: (unseen) => piece(random, CHOICE_BY_NAME, unseen).replace("{w}", said) };
};

const byPrice: DrawChoice = (random, listed) => {
  const item = pick(random, listed);
  const { price } = item;
  if (listed.some((one) => one !== item && one.price === price)) return null;
  return {
    item,
    say: (unseen) => piece(random, CHOICE_BY_PRICE, unseen).replace("{p}", String(price)),
  };
};

const byOrder: DrawChoice = (random, listed, sought, goods) => {
  const order = pick(random, ["cheapest", "dearest", "best"] as const);
  const field = order === "best" ? "rating" : "price";
  const sorted = listed.toSorted((a, b) =>
    order === "cheapest" ? a.price - b.price : b[field] - a[field],
  );
  const [item, second] = sorted;
  if (item === undefined || item[field] === second?.[field]) return null;
  const pieces = CHOICE_BY_ORDER[order][listed.length === 2 ? 0 : 1];
  const say = (unseen: boolean) => piece(random, pieces, unseen);
  // "The cheapest" could be one that was not listed.
  if (searchProducts(sought, goods).length > listed.length) return null;
  return order === "best" ? { item, say, search: { ...sought, sort: "rating" } } : { item, say };
};

const DRAWS: readonly DrawChoice[] = [byAttribute, byAttribute, byLack, byName, byPrice, byOrder];

/** A choice of what was listed last. `null` if these draws give none. */
export function drawChoice(
  random: RandomSource,
  { listed, sought, goods }: Pick<Scene, "listed" | "sought" | "goods">,
): Choice | null {
  if (sought === undefined || listed.length < 2) return null;
  const found = searchProducts(sought, goods).slice(0, SHOWN);
  if (found.length !== listed.length || found.some((item, at) => item !== listed[at])) return null;
  return pick(random, DRAWS)(random, listed, sought, goods);
}
