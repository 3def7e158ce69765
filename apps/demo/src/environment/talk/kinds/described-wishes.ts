/** Wishes for what is described: one or several pieces, if there is any, or in place of what is in the cart. */
import { pick } from "@waggle/environments";
import type { RandomSource } from "@waggle/protocol";
import { priced } from "../answers.ts";
import { addCall, type Assistant, type Hit, removeCall, shown } from "../assistant.ts";
import {
  type Described,
  drawDescribed,
  meantAmong,
  searchOf,
  SHOWN,
} from "../described/description.ts";
import { type Form, type Phrase, phraseOf } from "../described/phrase.ts";
import { addedOf, next, singleLines, withPieces } from "../scene.ts";
import type { DrawTurn, Expectation, Fact, Scene, TalkTurn, TurnsOf } from "../talk-turn.ts";
import { categoryWords } from "../values.ts";
import { factsOf } from "./range-questions.ts";

/** Most pieces of one thing. */
const MOST = 6;
/** Shares of the wishes that nothing fits, and of those with several products to choose from. */
const NONE_SHARE = 0.08;
const NONE_IF_ANY_SHARE = 0.45;
const SEVERAL_SHARE = 0.3;
/** Share of the swaps within a category, and of these the share that says "one" for the new thing. */
const SAME_SHARE = 0.75;
const ONE_SHARE = 0.6;

/** What an answer says if nothing fits. */
export const NOTHING: Fact = ["nothing", "none", "no ", "not"];

/** A description in words that training has, and in words of which some are held out. */
export function said(
  described: Described,
  form: Form,
  random: RandomSource,
): { readonly slots: Phrase; readonly unseen: Phrase } {
  return {
    slots: phraseOf(described, form, random, false),
    unseen: phraseOf(described, form, random, true),
  };
}

/** Whether a thing that is meant is not in the cart yet. */
export function isNew({ item }: Described, { cart }: Pick<Scene, "cart">): boolean {
  return item !== null && !cart.some(({ id }) => id === item.id);
}

/** Draws how many products fit: none, several, or the one that is meant. */
function drawOutcome(
  random: RandomSource,
  scene: Scene,
  noneShare: number,
): (described: Described) => boolean {
  if (random() < noneShare) return ({ matching }) => matching.length === 0;
  if (random() < SEVERAL_SHARE) return ({ matching, rank }) => matching.length > 1 && rank === null;
  return (described) => isNew(described, scene);
}

/** Adds what is meant, asks which one of several, or says that there is none. */
async function fulfil(
  assistant: Assistant,
  described: Described,
  count: number,
  ifNone: string,
): Promise<string> {
  const hits = meantAmong(await assistant.search(searchOf(assistant, described)), described);
  const [first] = hits;
  if (first === undefined) return ifNone;
  if (hits.length > 1 && !assistant.errs()) {
    assistant.listed = hits;
    return `Which one do you want: ${priced(
      hits.map((hit) => shown(hit)),
      "or",
    )}?`;
  }
  return assistant.add(count > 1 ? await assistant.withPrice(first) : first, count);
}

/** What must be true after a wish for pieces of what is described. */
function outcomeOf(
  scene: Scene,
  { item, matching, search }: Described,
  count: number,
): { readonly expected: Expectation; readonly after: Scene } {
  if (item !== null) {
    const after = addedOf(scene, item, count, search.query);
    const { price } = item;
    const facts = count > 1 ? [[item.name], count, price, count * price] : [[item.name], price];
    return { expected: { cart: after.cart, form: "answer", facts }, after };
  }
  const { cart } = scene;
  if (matching.length === 0) {
    return {
      expected: { cart, form: "answer", facts: [NOTHING] },
      after: next(scene, { last: null }),
    };
  }
  return {
    expected: { cart, form: "clarification", facts: factsOf(matching) },
    after: next(scene, { last: null, listed: matching.slice(0, SHOWN), sought: search }),
  };
}

function wish(
  kind: "described-add" | "described-add-n" | "described-if-any",
  noneShare: number,
): DrawTurn {
  return (random, scene): TalkTurn | null => {
    const count = kind === "described-add-n" ? 2 + Math.floor(random() * (MOST - 1)) : 1;
    const described = drawDescribed(random, scene.goods, drawOutcome(random, scene, noneShare));
    if (described === null) return null;
    const { item, other, category } = described;
    if (item !== null && item.stock < count) return null;
    const ifNone =
      kind === "described-if-any"
        ? `We have no such ${category}, so I left your cart as it is.`
        : `We have no such ${category}.`;
    const { slots, unseen } = said(described, { count }, random);
    // "Two hats, the cheapest" could be two different hats.
    const isOnePhrase = count > 1 && described.rank !== null;
    return {
      kind,
      slots: isOnePhrase ? { described: slots.described } : slots,
      unseen: isOnePhrase ? { described: unseen.described } : unseen,
      ...outcomeOf(scene, described, count),
      conduct: (assistant) => fulfil(assistant, described, count, ifNone),
      ...(item === null || other === null ? {} : { near: { id: other.id } }),
    };
  };
}

const swap: DrawTurn = (random, scene) => {
  const single = singleLines(scene).filter(({ quantity }) => quantity === 1);
  if (single.length === 0) return null;
  const { item: old } = pick(random, single);
  const isSame = random() < SAME_SHARE;
  const described = drawDescribed(
    random,
    scene.goods,
    (drawn) => isNew(drawn, scene) && (drawn.category === old.category) === isSame,
    isSame ? [old.category] : undefined,
  );
  const item = described?.item ?? null;
  if (described === null || item === null) return null;
  const { other } = described;
  const cart = withPieces(withPieces(scene.cart, old, 0), item, 1);
  const form = isSame && random() < ONE_SHARE ? { noun: "one" } : {};
  const { slots, unseen } = said(described, form, random);
  return {
    kind: "described-swap",
    slots: { line: categoryWords(old, random).one, described: slots.described },
    unseen: { described: unseen.described },
    expected: { cart, form: "answer", facts: [[old.name], [item.name], item.price] },
    conduct: async (assistant) => {
      const search = searchOf(assistant, described);
      const [view, results] = await assistant.act(["view_cart", {}], ["search", search]);
      const { lines } = view as Awaited<ReturnType<Assistant["cart"]>>;
      const line = assistant.choose(lines, old);
      const [hit] = meantAmong(results as readonly Hit[], described);
      if (hit === undefined) return "";
      const out = assistant.errs() ? [] : [removeCall(line)];
      const look = hit.price === undefined ? [["open", { id: hit.id }] as const] : [];
      const done = await assistant.act(...out, addCall(hit, 1), ...look);
      const price = hit.price ?? (done.at(-1) as { price: number }).price;
      return `I replaced the ${line.name} with the ${hit.name} (${price} EUR).`;
    },
    after: next(scene, { cart, last: null }),
    ...(other === null || other === old ? {} : { near: { id: other.id } }),
  };
};

export const DESCRIBED_WISH_TURNS: TurnsOf<
  "described-add" | "described-add-n" | "described-if-any" | "described-swap"
> = {
  "described-add": wish("described-add", NONE_SHARE),
  "described-add-n": wish("described-add-n", NONE_SHARE),
  "described-if-any": wish("described-if-any", NONE_IF_ANY_SHARE),
  "described-swap": swap,
};
