/** Lists of products with their numbers in one message, also beside a removal, and more pieces of what is in the cart. */
import { pick } from "@waggle/environments";
import type { RandomSource } from "@waggle/protocol";
import type { Product } from "../../catalogue-data.ts";
import { added, removed } from "../answers.ts";
import { addCall, type Assistant, type Hit, removeCall, searchFor, shown } from "../assistant.ts";
import { linesOf, next, withPieces } from "../scene.ts";
import type { DrawTurn, Fact, Scene, TurnsOf } from "../talk-turn.ts";
import { countOf, drawProducts, type Meant, meant, nameOf } from "../values.ts";
import { setPieces } from "./cart-turns.ts";

/** One entry of a list: what is meant, and how many pieces. */
type Entry = { readonly item: Meant; readonly count: number };
type List = { readonly entries: readonly Entry[]; readonly said: string };

/** Ways to say one piece, and several; the first are the most frequent ones. */
const ONE: readonly string[] = ["a {name}", "the {name}", "one {name}", "{name}", "1 {name}"];
const SEVERAL: readonly string[] = [
  "{n} {name}",
  "{n} {name}s",
  "{n} of the {name}",
  "{n}x {name}",
  "{n} x {name}",
  "{name} x{n}",
  "{n} times the {name}",
  "{name} ({n})",
];
const JOINTS: readonly string[] = [" and ", ", and ", " plus ", " and also ", " + ", ", "];
/** Share of the lists in which all entries are said in the same way. */
const UNIFORM_SHARE = 0.5;
/** Share of the entries with one piece, and of the other ones with more than five. */
const ONE_SHARE = 0.55;
const MANY_SHARE = 0.15;

/** A number of pieces that the shop has. */
function drawCount(item: Product, random: RandomSource): number {
  if (random() < ONE_SHARE) return 1;
  const count =
    random() < MANY_SHARE ? 6 + Math.floor(random() * 10) : 2 + Math.floor(random() * 4);
  return Math.min(count, item.stock);
}

/** Different products that are not in the cart, with their numbers, as a person lists them. */
export function drawList(random: RandomSource, scene: Scene, most: number): List {
  // Shorter lists are more frequent.
  const size = 2 + Math.floor(random() * random() * (most - 1));
  const meanings = drawProducts(random, size, scene).map((item) =>
    meant(item, random, scene.goods),
  );
  const isUniform = random() < UNIFORM_SHARE;
  const [one, several] = [pick(random, ONE), pick(random, SEVERAL)];
  const entries = meanings.map(({ item }) => ({ item, count: drawCount(item, random) }));
  const parts = meanings.map(({ said }, at) => {
    const count = entries[at]?.count ?? 1;
    const form =
      count === 1
        ? isUniform
          ? one
          : pick(random, ONE)
        : isUniform
          ? several
          : pick(random, SEVERAL);
    const number = form.includes("x") ? String(count) : countOf(count, random);
    return form.replace("{name}", said).replace("{n}", number);
  });
  const joint = pick(random, JOINTS);
  const between = joint === " + " ? joint : ", ";
  return { entries, said: parts.slice(0, -1).join(between) + joint + (parts.at(-1) ?? "") };
}

function cartWith(scene: Scene, { entries }: List): Scene["cart"] {
  return entries.reduce((cart, { item, count }) => withPieces(cart, item, count), scene.cart);
}

function factsOf({ entries }: List): Fact[] {
  return entries.flatMap(({ item, count }): Fact[] => [
    [item.name],
    item.price,
    ...(count > 1 ? [count] : []),
  ]);
}

/** The calls that add a list, and how the answer shows it. A mistake forgets what comes after the first. */
function additions(assistant: Assistant, hits: readonly Hit[], { entries }: List) {
  const kept = assistant.errs() ? hits.slice(0, 1) : hits;
  const pieces = kept.map((_, at) => assistant.pieces(entries[at]?.count ?? 1));
  return {
    calls: kept.map((hit, at) => addCall(hit, pieces[at] as number)),
    text: added(kept.map((hit, at) => shown(hit, pieces[at]))),
  };
}

const addList: DrawTurn = (random, scene) => {
  const list = drawList(random, scene, 4);
  const cart = cartWith(scene, list);
  return {
    kind: "add-list",
    slots: { list: list.said },
    expected: { cart, form: "answer", facts: factsOf(list) },
    conduct: async (assistant) => {
      const hits = await assistant.find(...list.entries.map(({ item }) => item));
      const { calls, text } = additions(assistant, hits, list);
      await assistant.act(...calls);
      return text;
    },
    after: next(scene, { cart, last: null }),
  };
};

const listAndRemove: DrawTurn = (random, scene) => {
  if (scene.cart.length === 0) return null;
  const list = drawList(random, scene, 3);
  const gone = pick(random, linesOf(scene)).item;
  const cart = withPieces(cartWith(scene, list), gone, 0);
  return {
    kind: "list-and-remove",
    slots: { list: list.said, gone: nameOf(gone, random, scene.goods) },
    expected: { cart, form: "answer", facts: [...factsOf(list), [gone.name]] },
    conduct: async (assistant) => {
      const items = list.entries.map(({ item }) => item);
      const [view, ...results] = await assistant.act(["view_cart", {}], ...items.map(searchFor));
      const { lines } = view as Awaited<ReturnType<Assistant["cart"]>>;
      const line = assistant.choose(lines, gone);
      const hits = items.map((item, at) => assistant.choose(results[at] as readonly Hit[], item));
      const { calls, text } = additions(assistant, hits, list);
      await assistant.act(...calls, ...(assistant.errs() ? [] : [removeCall(line)]));
      return `${text} ${removed([{ name: line.name }])}`;
    },
    after: next(scene, { cart, last: null }),
  };
};

const addMore: DrawTurn = (random, scene) => {
  if (scene.cart.length === 0) return null;
  const { item, quantity } = pick(random, linesOf(scene));
  const n = random() < 0.4 ? 1 : 2 + Math.floor(random() * 4);
  const all = quantity + n;
  if (all > item.stock) return null;
  const more =
    n === 1
      ? pick(random, ["another", "one more", "1 more"])
      : pick(random, [`${countOf(n, random)} more`, `another ${countOf(n, random)}`]);
  const cart = withPieces(scene.cart, item, all);
  return {
    kind: "add-more",
    slots: { name: nameOf(item, random, scene.goods), more },
    expected: { cart, form: "answer", facts: [[item.name], all, all * item.price] },
    conduct: async (assistant) => {
      const [view, hits] = await assistant.act(["view_cart", {}], searchFor(item));
      const { lines } = view as Awaited<ReturnType<Assistant["cart"]>>;
      const has = lines.find(({ name }) => name === item.name)?.quantity ?? 0;
      return setPieces(assistant, assistant.choose(hits as readonly Hit[], item), has, has + n);
    },
    after: next(scene, { cart, last: null }),
  };
};

export const LIST_TURNS: TurnsOf<"add-list" | "list-and-remove" | "add-more"> = {
  "add-list": addList,
  "list-and-remove": listAndRemove,
  "add-more": addMore,
};
