/** Wishes for a product with two attributes, or with some and without another one: a single match is added. */
import { pick } from "@waggle/environments";
import type { RandomSource } from "@waggle/protocol";
import { searchProducts } from "../../catalogue.ts";
import type { Product } from "../../catalogue-data.ts";
import { priced } from "../answers.ts";
import { type Assistant, type Hit, shown } from "../assistant.ts";
import { addedAnswer, addedOf, next } from "../scene.ts";
import type { DrawTurn, Scene, TalkKind, TalkTurn, TurnsOf } from "../talk-turn.ts";
import { pluralOf, synonym } from "../values.ts";
import { SYNONYMS } from "../../synonyms.ts";
import { factsOf } from "./range-questions.ts";

/** Results that a search shows. */
const SHOWN = 3;
/** Share of the wishes with something left out that have two attributes beside it. */
const BOTH_SHARE = 0.5;

/** Different attributes of a product. */
function drawAttributes(random: RandomSource, { attributes }: Product, count: number): string[] {
  const chosen = new Set<string>();
  while (chosen.size < count) chosen.add(pick(random, attributes));
  return [...chosen];
}

/** Products of a category with all of the attributes. `null` if a search for them finds others too. */
function having(
  goods: readonly Product[],
  category: string,
  attributes: readonly string[],
): { readonly query: string; readonly found: readonly Product[] } | null {
  const query = [...attributes, category].join(" ");
  const found = searchProducts({ query }, goods);
  const all = goods.filter(
    (item) =>
      item.category === category && attributes.every((word) => item.attributes.includes(word)),
  );
  return found.length === all.length && found.every((item) => all.includes(item))
    ? { query, found }
    : null;
}

/** The single match is added; several are listed to choose from. */
function turnOf(
  scene: Scene,
  kind: TalkKind,
  {
    slots,
    needs = [],
    query,
    matching,
    out = [],
    hits,
  }: {
    readonly slots: TalkTurn["slots"];
    readonly needs?: readonly string[];
    readonly query: string;
    readonly matching: readonly Product[];
    /** Products that were left out. */
    readonly out?: readonly Product[];
    readonly hits: (assistant: Assistant) => Promise<readonly Hit[]>;
  },
): TalkTurn | null {
  const [item, second] = matching;
  if (item === undefined || scene.cart.some(({ id }) => id === item.id)) return null;
  const conduct = async (assistant: Assistant): Promise<string> => {
    const found = await hits(assistant);
    assistant.listed = found;
    const [first] = found;
    if (first === undefined) return "";
    if (found.length === 1 || assistant.errs()) return assistant.add(first);
    return `Which one do you want: ${priced(
      found.map((hit) => shown(hit)),
      "or",
    )}?`;
  };
  if (second !== undefined) {
    return {
      kind,
      slots,
      needs,
      expected: { cart: scene.cart, form: "clarification", facts: factsOf(matching) },
      conduct,
      after: next(scene, { last: null, listed: matching.slice(0, SHOWN) }),
    };
  }
  const after = addedOf(scene, item, 1, query);
  const [wrong] = out;
  return {
    kind,
    slots,
    needs,
    expected: addedAnswer(after, item),
    conduct,
    after,
    ...(wrong === undefined ? {} : { near: { id: wrong.id } }),
  };
}

/** Words for a category and attributes. */
function said(
  random: RandomSource,
  category: string,
  attributes: { readonly [slot: string]: string | undefined },
): TalkTurn["slots"] {
  const what = synonym(random, SYNONYMS.categories, category);
  const words = Object.entries(attributes).flatMap(([slot, word]) =>
    word === undefined ? [] : [[slot, synonym(random, SYNONYMS.attributes, word)]],
  );
  return { what, category: pluralOf(what), ...Object.fromEntries(words) };
}

const both: DrawTurn = (random, scene) => {
  const item = pick(random, scene.goods);
  if (item.attributes.length < 2) return null;
  const [attribute = "", second = ""] = drawAttributes(random, item, 2);
  const wanted = having(scene.goods, item.category, [attribute, second]);
  if (wanted === null) return null;
  const { query, found } = wanted;
  const half = having(scene.goods, item.category, [attribute]);
  // With one attribute alone there would be more to choose from.
  if (half === null || half.found.length === found.length) return null;
  return turnOf(scene, "add-both", {
    slots: said(random, item.category, { attribute, second }),
    query,
    matching: found,
    out: half.found.filter((one) => !found.includes(one)),
    hits: (assistant) => assistant.search({ query: assistant.errs() ? item.category : query }),
  });
};

const without: DrawTurn = (random, scene) => {
  const bad = pick(random, scene.goods);
  const count = random() < BOTH_SHARE ? 2 : 1;
  if (bad.attributes.length <= count) return null;
  const [left = "", ...wanted] = drawAttributes(random, bad, count + 1);
  const [attribute, second] = wanted;
  const all = having(scene.goods, bad.category, wanted);
  if (all === null) return null;
  const query = `${all.query} -${left}`;
  const matching = searchProducts({ query }, scene.goods);
  return turnOf(scene, "add-without", {
    slots: said(random, bad.category, { attribute, second, without: left }),
    needs: second === undefined ? [] : ["second"],
    query,
    matching,
    out: all.found.filter((item) => !matching.includes(item)),
    hits: (assistant) => assistant.search({ query: assistant.errs() ? all.query : query }),
  });
};

export const TWO_ATTRIBUTE_TURNS: TurnsOf<"add-both" | "add-without"> = {
  "add-both": both,
  "add-without": without,
};
