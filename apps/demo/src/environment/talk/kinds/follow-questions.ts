/** Turns about what was last spoken of, without its name: a question about it, or some pieces more or fewer. */
import { pick } from "@waggle/environments";
import type { RandomSource } from "@waggle/protocol";
import type { Product } from "../../catalogue-data.ts";
import { convertCurrency } from "../../currency.ts";
import { series } from "../answers.ts";
import type { Assistant, Hit } from "../assistant.ts";
import { next, withPieces } from "../scene.ts";
import type { DrawTurn, Fact, TalkTurn, TurnsOf } from "../talk-turn.ts";
import { attributeWord, countOf, drawCurrency } from "../values.ts";
import { FOLLOW_CHANGES, FOLLOW_QUESTIONS } from "../wordings/index.ts";
import { setPieces } from "./cart-turns.ts";

/** What a question about one product expects, and how its answer is found. */
type Question = {
  readonly slots: TalkTurn["slots"];
  readonly facts: readonly Fact[];
  readonly never?: readonly string[];
  readonly conduct: (assistant: Assistant, hit: Hit) => Promise<string>;
};

type Page = { readonly price: number; readonly rating: number };

async function opened(assistant: Assistant, { id }: Hit): Promise<Page> {
  const [page] = await assistant.act(["open", { id }]);
  return page as Page;
}

/** Attributes that are asked about although a product may lack them. */
const ASKED = ["waterproof", "wool", "leather", "wood", "steel", "black", "red", "small", "warm"];

const QUESTIONS: {
  readonly [about in keyof typeof FOLLOW_QUESTIONS]: (
    item: Product,
    random: RandomSource,
  ) => Question;
} = {
  price: ({ price }) => ({
    slots: {},
    facts: [price],
    conduct: async (assistant, hit) => {
      const page = await opened(assistant, hit);
      return `The ${hit.name} costs ${page.price} EUR.`;
    },
  }),
  rating: ({ rating }) => ({
    slots: {},
    facts: [rating],
    conduct: async (assistant, hit) => {
      const page = await opened(assistant, hit);
      return `The ${hit.name} is rated ${page.rating} of 5.`;
    },
  }),
  stock: ({ stock }) => ({
    slots: {},
    facts: [stock],
    conduct: async (assistant, hit) => {
      const [left] = await assistant.act(["check_stock", { id: hit.id }]);
      return `We have ${String(left)} of the ${hit.name} in stock.`;
    },
  }),
  details: ({ attributes, rating, price }) => ({
    slots: {},
    facts: [...attributes.map((word): Fact => [word]), rating, price],
    conduct: async (assistant, hit) => {
      const page = await opened(assistant, hit);
      return `The ${hit.name} is ${series(attributes)}, is rated ${page.rating} and costs ${page.price} EUR.`;
    },
  }),
  has: (item, random) => {
    const attribute = pick(random, random() < 0.5 ? item.attributes : ASKED);
    const has = item.attributes.includes(attribute);
    return {
      slots: { attribute: attributeWord(attribute, random) },
      facts: [[has ? `is ${attribute}` : `not ${attribute}`]],
      never: [has ? `not ${attribute}` : `is ${attribute}`],
      conduct: async (assistant, hit) => {
        await opened(assistant, hit);
        const says = assistant.errs() ? !has : has;
        return `${says ? "Yes" : "No"}, the ${hit.name} is${says ? "" : " not"} ${attribute}.`;
      },
    };
  },
  currency: ({ price }, random) => {
    const { code, said } = drawCurrency(random);
    return {
      slots: { currency: said },
      facts: [convertCurrency(price, "EUR", code)],
      conduct: async (assistant, hit) => {
        const page = await opened(assistant, hit);
        const [converted] = await assistant.act([
          "convert_currency",
          { amount: page.price, to: code },
        ]);
        return `The ${hit.name} costs ${String(converted)} ${code}.`;
      },
    };
  },
};

const question: DrawTurn = (random, scene) => {
  const { last } = scene;
  if (last === null) return null;
  const about = pick(random, Object.keys(QUESTIONS) as (keyof typeof QUESTIONS)[]);
  const { slots, facts, never = [], conduct } = QUESTIONS[about](last.item, random);
  return {
    kind: "follow-question",
    slots,
    patterns: FOLLOW_QUESTIONS[about],
    expected: { cart: scene.cart, form: "answer", facts: [[last.item.name], ...facts], never },
    conduct: async (assistant) => {
      const hit = assistant.last as Hit;
      const answer = await conduct(assistant, hit);
      return assistant.answered(hit, answer);
    },
    after: next(scene, { last }),
  };
};

const change: DrawTurn = (random, scene) => {
  const { last } = scene;
  if (last === null || last.added === 0) return null;
  const isMore = random() < 0.5 || last.added === 1;
  const n = random() < 0.5 ? 1 : 2 + Math.floor(random() * 3);
  const wanted = last.added + (isMore ? n : -n);
  if (wanted < 1 || wanted > last.item.stock) return null;
  const cart = withPieces(scene.cart, last.item, wanted);
  const patterns = isMore
    ? FOLLOW_CHANGES[n === 1 ? "oneMore" : "more"]
    : FOLLOW_CHANGES[n === 1 ? "oneFewer" : "fewer"];
  return {
    kind: "follow-relative",
    slots: { n: countOf(n, random) },
    patterns,
    expected: { cart, form: "answer", facts: [[last.item.name], wanted, wanted * last.item.price] },
    conduct: (assistant) => setPieces(assistant, assistant.last as Hit, last.added, wanted),
    after: next(scene, { cart, last: { ...last, added: wanted } }),
  };
};

export const FOLLOW_QUESTION_TURNS: TurnsOf<"follow-question" | "follow-relative"> = {
  "follow-question": question,
  "follow-relative": change,
};
