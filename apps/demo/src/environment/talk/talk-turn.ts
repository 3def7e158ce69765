/** What a visitor's turn is: the values of its slots, what must be true after it, and the right conduct. */
import type { RandomSource } from "@waggle/protocol";
import type { Product } from "../catalogue-data.ts";
import type { CartLine } from "../shop.ts";
import type { Assistant, Search } from "./assistant.ts";
import type { WordingKind } from "./wordings/index.ts";

/** A kind of request. Random letters have no wordings. */
export type TalkKind = WordingKind | "gibberish";

/** What an answer must contain: a number as a whole word, or one of several phrases, without case. */
export type Fact = number | readonly string[];

/** The form of an answer. A refusal and small talk come without any call. */
export type AnswerForm = "answer" | "refusal" | "clarification" | "small-talk";

/** What must be true after a turn. */
export type Expectation = {
  readonly cart: readonly CartLine[];
  readonly form: AnswerForm;
  readonly facts: readonly Fact[];
  /** Phrases that would say the opposite. */
  readonly never?: readonly string[];
  /** Wishes of the message; default 1. An answer to several may have more numbers. */
  readonly wishes?: number;
  /** Products that the answer may name beside those in the facts. */
  readonly mentions?: readonly Product[];
};

/** The product that the talk was last about. */
type Referent = {
  readonly item: Product;
  /** Pieces that the last turn put into the cart; 0 if it was only asked about. */
  readonly added: number;
  /** The description that led to it, such as "wood lamp". */
  readonly what: string;
};

/** Where the talk stands before a turn. */
export type Scene = {
  /** What the shop has. */
  readonly goods: readonly Product[];
  readonly cart: readonly CartLine[];
  readonly last: Referent | null;
  /** Products that the assistant listed to choose from. */
  readonly listed: readonly Product[];
  /** The search that found them. */
  readonly sought?: Search;
  /** Number of turns so far. */
  readonly turns: number;
  /** Whether everything in the cart was put there in this talk. */
  readonly began: "empty" | "filled";
};

/** The values of a pattern's slots. A pattern fits if it has no other slots. */
type Slots = { readonly [slot in string]?: string };

/** One turn of a visitor. */
export type TalkTurn = {
  readonly kind: TalkKind;
  readonly slots: Slots;
  /** Values of some slots for held-out patterns, in words that training does not have. */
  readonly unseen?: Slots;
  /** Slots that the pattern must have. */
  readonly needs?: readonly string[];
  /** Patterns to choose from. Default: all of the kind. */
  readonly patterns?: readonly string[];
  readonly expected: Expectation;
  /** The scripted right conduct. @returns the answer. */
  readonly conduct: (assistant: Assistant) => string | Promise<string>;
  /** Arguments with which putting something into the cart is nearly right, to test the verifier with. */
  readonly near?: { readonly id?: string; readonly quantity?: number };
  /** Where the talk stands after it. */
  readonly after: Scene;
};

/** Draws a turn that makes sense in the scene; `null` if these draws give none. */
export type DrawTurn = (random: RandomSource, scene: Scene) => TalkTurn | null;

/** Ways to draw the turns of some kinds. */
export type TurnsOf<Kind extends TalkKind> = { readonly [kind in Kind]: DrawTurn };
