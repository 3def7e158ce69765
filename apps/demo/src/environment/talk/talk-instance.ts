/**
 * The talks of the shop: single turns, two wishes in one message, and several turns. The values of all turns
 * determine the split of a talk, so that no held-out talk is ever one of training.
 */
import { isOfSplit, pick } from "@waggle/environments";
import {
  hashText,
  mulberry32,
  type RandomSource,
  type TaskReference,
  WaggleError,
} from "@waggle/protocol";
import { CATALOGUE, type Product } from "../catalogue-data.ts";
import { redrawnCatalogue } from "../redrawn-catalogue.ts";
import type { CartLine } from "../shop.ts";
import { ADDITION_TURNS } from "./kinds/additions.ts";
import { CART_FACT_TURNS } from "./kinds/cart-facts.ts";
import { CART_LINE_TURNS } from "./kinds/cart-lines.ts";
import { CART_TURNS } from "./kinds/cart-turns.ts";
import { DESCRIBED_CHOICE_TURNS } from "./kinds/described-choices.ts";
import { DESCRIBED_LIST_TURNS } from "./kinds/described-lists.ts";
import { DESCRIBED_QUESTION_TURNS } from "./kinds/described-questions.ts";
import { DESCRIBED_WISH_TURNS } from "./kinds/described-wishes.ts";
import { DEPENDENT_TURNS } from "./kinds/dependent-wishes.ts";
import { EITHER_OR_TURNS } from "./kinds/either-or.ts";
import { EXCLUSION_TURNS } from "./kinds/exclusions.ts";
import { FOLLOW_QUESTION_TURNS } from "./kinds/follow-questions.ts";
import { FOLLOW_UP_TURNS } from "./kinds/follow-ups.ts";
import { LIST_TURNS } from "./kinds/lists.ts";
import { MIXED_WISH_TURNS } from "./kinds/mixed-wishes.ts";
import { OTHER_REQUEST_TURNS } from "./kinds/other-requests.ts";
import { PRODUCT_TURNS } from "./kinds/product-questions.ts";
import { RANGE_TURNS } from "./kinds/range-questions.ts";
import { RANK_TURNS } from "./kinds/ranks.ts";
import { RELATIVE_NUMBER_TURNS } from "./kinds/relative-numbers.ts";
import { SELF_CORRECTION_TURNS } from "./kinds/self-corrections.ts";
import { SEVERAL_CHANGES_TURNS } from "./kinds/several-changes.ts";
import { SMALL_TALK_TURNS } from "./kinds/small-talk.ts";
import { SUM_TURNS } from "./kinds/sums.ts";
import { SWAP_TURNS } from "./kinds/swaps.ts";
import { TWO_ATTRIBUTE_TURNS } from "./kinds/two-attributes.ts";
import { UNCHANGED_TURNS } from "./kinds/unchanged.ts";
import { UNKNOWN_THING_TURNS } from "./kinds/unknown-things.ts";
import { EVERYDAY } from "./everyday.ts";
import {
  isSingle,
  FURTHER_KINDS,
  FURTHER_PATHS,
  JOINABLE,
  LEVEL_OF_FURTHER_TALK,
  LEVEL_OF_REDRAWN_TALK,
  LEVEL_OF_TALK,
  PATHS,
  READING_KINDS,
  SINGLE_KINDS,
} from "./talk-plans.ts";
import type { DrawTurn, Scene, TalkKind, TalkTurn } from "./talk-turn.ts";
import { drawProducts } from "./values.ts";
import { fittingPatterns, isHeldOutPattern } from "./wording.ts";

/** Kinds about one line of the cart. */
const LINE_TURNS = {
  ...CART_LINE_TURNS,
  ...RELATIVE_NUMBER_TURNS,
  ...SWAP_TURNS,
  ...CART_FACT_TURNS,
};

/** How to draw each kind. */
const TURNS: { readonly [kind in TalkKind]: DrawTurn } = {
  ...PRODUCT_TURNS,
  ...RANGE_TURNS,
  ...CART_TURNS,
  ...LINE_TURNS,
  ...ADDITION_TURNS,
  ...SELF_CORRECTION_TURNS,
  ...EXCLUSION_TURNS,
  ...DEPENDENT_TURNS,
  ...LIST_TURNS,
  ...UNCHANGED_TURNS,
  ...FOLLOW_UP_TURNS,
  ...SMALL_TALK_TURNS,
  ...EITHER_OR_TURNS,
  ...RANK_TURNS,
  ...SUM_TURNS,
  ...TWO_ATTRIBUTE_TURNS,
  ...UNKNOWN_THING_TURNS,
  ...SEVERAL_CHANGES_TURNS,
  ...FOLLOW_QUESTION_TURNS,
  ...OTHER_REQUEST_TURNS,
  ...MIXED_WISH_TURNS,
  ...DESCRIBED_WISH_TURNS,
  ...DESCRIBED_LIST_TURNS,
  ...DESCRIBED_QUESTION_TURNS,
  ...DESCRIBED_CHOICE_TURNS,
};

/** Kinds of wishes by message. */
type Plan = readonly (readonly TalkKind[])[];

/** Messages of a visitor, each with one to three wishes. */
export type Talk = {
  /** What the shop has. */
  readonly goods: readonly Product[];
  readonly cart: readonly CartLine[];
  readonly messages: readonly (readonly TalkTurn[])[];
};

/** The level of a reference. @throws WaggleError `INVALID_ARGUMENT` for one of another environment. */
export function talkLevel({ environment }: TaskReference): number {
  return levelIn(LEVEL_OF_TALK, environment);
}

/** The level of a reference to a talk in a shop with a redrawn catalogue. @throws WaggleError as `talkLevel`. */
export function redrawnTalkLevel({ environment }: TaskReference): number {
  return levelIn(LEVEL_OF_REDRAWN_TALK, environment);
}

/** The level of a reference to a further talk. @throws WaggleError as `talkLevel`. */
export function furtherTalkLevel({ environment }: TaskReference): number {
  return levelIn(LEVEL_OF_FURTHER_TALK, environment);
}

function levelIn(names: readonly string[], environment: string): number {
  const level = names.indexOf(environment);
  if (level >= 0) return level;
  throw new WaggleError(
    "INVALID_ARGUMENT",
    `the task belongs to environment "${environment.slice(0, 64)}", not to ${names.join(" or ")}`,
  );
}

/** Share of the talks of level 1 that are one message with several wishes. */
const SHARED_SHARE = 0.45;
/** Share of the further talks with several messages. */
const FURTHER_PATH_SHARE = 0.25;
/** Share of these with three wishes. */
const THREE_SHARE = 0.25;
/** Kinds whose conduct is long. */
const LONG_KINDS: ReadonlySet<string> = new Set([
  "add-two",
  "add-list",
  "add-more",
  "set-number",
  "replace",
]);
/** Share of these that end with a question about the total. */
const TOTAL_SHARE = 0.1;
/** Share of the everyday talks that have one message with one wish. */
const SINGLE_SHARE = 0.6;

/** The talk of a level that an everyday one is, so that what is held out of one is held out of the other. */
function leveled(reference: TaskReference): TaskReference {
  if (reference.environment !== EVERYDAY) return reference;
  const { split, seed } = reference;
  const random = mulberry32(hashText(`${EVERYDAY}/${split}/${seed}`));
  const level = random() < SINGLE_SHARE ? 0 : 1;
  return { environment: LEVEL_OF_TALK[level] ?? "", split, seed };
}

const drawn = new WeakMap<TaskReference, Talk>();

/** The talk of a reference. Deterministic. */
export function talkOf(reference: TaskReference): Talk {
  const known = drawn.get(reference);
  if (known !== undefined) return known;
  const talk = drawTalk(leveled(reference));
  drawn.set(reference, talk);
  return talk;
}

/** What the talks of an environment are drawn from. */
function rangeOf(reference: TaskReference): {
  readonly isRedrawn: boolean;
  readonly drawPlan: (random: RandomSource) => Plan;
} {
  const { environment } = reference;
  if (LEVEL_OF_FURTHER_TALK.includes(environment)) {
    return { isRedrawn: furtherTalkLevel(reference) === 1, drawPlan: furtherPlan };
  }
  return LEVEL_OF_REDRAWN_TALK.includes(environment)
    ? {
        isRedrawn: true,
        drawPlan: redrawnTalkLevel(reference) === 0 ? singlePlan(READING_KINDS) : longerPlan,
      }
    : {
        isRedrawn: false,
        drawPlan: talkLevel(reference) === 0 ? singlePlan(SINGLE_KINDS) : longerPlan,
      };
}

/** A training task's level, kinds and values all come from its seed. */
function drawTalk(reference: TaskReference): Talk {
  const { environment, split, seed } = reference;
  const { isRedrawn, drawPlan } = rangeOf(reference);
  const random = mulberry32(hashText(`${environment}/${split}/${seed}`));
  const goods = isRedrawn ? redrawnCatalogue(random) : CATALOGUE;
  const plan = drawPlan(random);
  for (;;) {
    const talk = follow(plan, goods, random);
    if (talk === null) continue;
    const key = keyOf(talk);
    if (key === "" || isOfSplit(reference, key)) return talk;
  }
}

/** One message with one wish. */
function singlePlan(kinds: readonly TalkKind[]): (random: RandomSource) => Plan {
  return (random) => [[pick(random, kinds)]];
}

/** Two or three wishes in one message, or kinds that follow each other. */
function longerPlan(random: RandomSource): Plan {
  return random() < SHARED_SHARE ? [drawShared(random)] : pathPlan(PATHS, random);
}

/** One of the further kinds, or kinds that follow each other. */
function furtherPlan(random: RandomSource): Plan {
  return random() < FURTHER_PATH_SHARE
    ? pathPlan(FURTHER_PATHS, random)
    : [[pick(random, FURTHER_KINDS)]];
}

function pathPlan(paths: typeof PATHS, random: RandomSource): Plan {
  return pick(random, paths).map((step) => [typeof step === "string" ? step : pick(random, step)]);
}

/** Different kinds that share a message. */
function drawShared(random: RandomSource): readonly TalkKind[] {
  const count = random() < THREE_SHARE ? 3 : 2;
  const kinds: TalkKind[] = [];
  while (kinds.length < count) {
    const isLast = kinds.length === count - 1;
    const kind = isLast && random() < TOTAL_SHARE ? "cart-total" : pick(random, JOINABLE);
    // Three long conducts would not fit into the context.
    if (count === 3 && LONG_KINDS.has(kind)) continue;
    if (!kinds.includes(kind)) kinds.push(kind);
  }
  return kinds;
}

function follow(plan: Plan, goods: readonly Product[], random: RandomSource): Talk | null {
  const cart = drawCart(random, goods, needsCart(plan));
  let scene: Scene = {
    goods,
    cart,
    last: null,
    listed: [],
    turns: 0,
    began: cart.length === 0 ? "empty" : "filled",
  };
  const messages: TalkTurn[][] = [];
  for (const kinds of plan) {
    const message: TalkTurn[] = [];
    for (const kind of kinds) {
      const turn = TURNS[kind](random, scene);
      if (turn === null || !hasPatterns(turn)) return null;
      message.push(turn);
      scene = turn.after;
    }
    if (areAboutOne(message) || contradicts(message)) return null;
    messages.push(message);
  }
  return { goods, cart, messages };
}

/** Whether two wishes of one message are about the same product, which makes no sense. */
function areAboutOne(message: readonly TalkTurn[]): boolean {
  const named = message.flatMap(({ expected }) =>
    expected.facts.flatMap((fact) => (typeof fact === "number" ? [] : fact)),
  );
  return message.length > 1 && new Set(named).size < named.length;
}

/** Whether one wish of a message must be answered with what another one forbids. */
function contradicts(message: readonly TalkTurn[]): boolean {
  const forbidden = message.flatMap(({ expected: { never = [] } }) => never);
  return message.some(({ expected: { facts } }) =>
    facts.some((fact) => typeof fact !== "number" && fact.some((text) => forbidden.includes(text))),
  );
}

/** Every turn can be said in training and in held-out tasks. */
function hasPatterns(turn: TalkTurn): boolean {
  const indexes = fittingPatterns(turn).map(({ index }) => index);
  return turn.kind === "gibberish" || indexes.some((index) => !isHeldOutPattern(index));
}

/** Whether a turn of this kind is about what is in the cart. */
function isAboutCart(kind: TalkKind): boolean {
  if (kind in CART_TURNS || kind in LINE_TURNS) return true;
  return kind === "list-and-remove" || kind === "add-more" || kind === "described-swap";
}

/** Number of lines that the plan needs in the cart. */
function needsCart(plan: Plan): number {
  const kinds = plan.flat();
  if (kinds.some((kind) => kind === "all-except" || kind in LINE_TURNS)) return 2;
  return kinds.some((kind) => !isSingle(kind) || isAboutCart(kind)) ? 1 : 0;
}

/** An empty cart or one with up to three lines. */
function drawCart(random: RandomSource, goods: readonly Product[], atLeast: number): CartLine[] {
  const count = random() < 0.35 ? 0 : Math.max(atLeast, Math.floor(random() * 4));
  return drawProducts(random, count, { goods }).map(({ id, stock }) => ({
    id,
    quantity: random() < 0.6 ? 1 : Math.min(stock, 2 + Math.floor(random() * 3)),
  }));
}

/** The values of a talk; empty if it has none. */
function keyOf({ messages, cart }: Talk): string {
  const turns = messages.flat();
  const values = turns.flatMap(({ slots, patterns, kind }) => [
    ...Object.values(slots).map((value) => `${value}`.toLowerCase()),
    ...(kind === "gibberish" ? (patterns ?? []) : []),
  ]);
  const seesCart = turns.some(({ kind }) => isAboutCart(kind));
  const lines = seesCart ? cart.map(({ id, quantity }) => `${id}x${quantity}`) : [];
  const all = [...values, ...lines];
  return all.length === 0 ? "" : [...turns.map(({ kind }) => kind), ...all].join("|");
}
