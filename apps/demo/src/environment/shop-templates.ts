/**
 * Templates for visitors' requests. `unseen` templates are used in held-out tasks only; no demonstration and
 * no training task contains them.
 */
import type { ShopTaskKind } from "./shop-instance.ts";

/** Templates for training, and templates for held-out tasks only. */
export type TemplateSet = { readonly usual: readonly string[]; readonly unseen: readonly string[] };

/** `{slot}` is replaced. `{limit}` is empty or begins with a space. */
export const TEMPLATES: { readonly [kind in ShopTaskKind]: TemplateSet } = {
  "add-cheapest": {
    usual: [
      "add the cheapest {what}{limit} to my cart",
      "put the cheapest {what}{limit} in my cart",
      "I want the cheapest {what}{limit}",
      "find me the lowest priced {what}{limit} and add it",
      "which {what}{limit} is the cheapest? add it to my cart",
      "please add your cheapest {what}{limit}",
    ],
    unseen: [
      "please put the lowest priced {what}{limit} in my cart",
      "find me your cheapest {what}{limit}, I want it",
    ],
  },
  "add-best-rated": {
    usual: [
      "add the best rated {what}{limit} to my cart",
      "put the best {what}{limit} in my cart",
      "I want the top rated {what}{limit}",
      "find me the highest rated {what}{limit} and add it",
      "which {what}{limit} is the best? add it to my cart",
      "please add your best rated {what}{limit}",
    ],
    unseen: [
      "please put the highest rated {what}{limit} in my cart",
      "find me your top rated {what}{limit}, I want it",
    ],
  },
  "add-quantity": {
    usual: [
      "add {n} {name} to my cart",
      "put {n} {name} in my cart",
      "I want {n} {name}",
      "I need {n} of the {name}",
      "please add {n} {name}",
      "{n} {name} please",
    ],
    unseen: ["please put {n} of the {name} in my cart", "I need {n} {name}, add it to my cart"],
  },
  "add-two": {
    usual: [
      "add the {name} and the {other} to my cart",
      "put a {name} and a {other} in my cart",
      "I want the {name} and the {other}",
      "I need a {name} and also a {other}",
      "please add {name} and {other}",
    ],
    unseen: [
      "please put the {name} and also the {other} in my cart",
      "I need {name} and {other}, add it to my cart",
    ],
  },
  remove: {
    usual: [
      "remove the {name} from my cart",
      "take the {name} out of my cart",
      "delete the {name} from my cart",
      "I do not want the {name}",
      "please remove {name}",
    ],
    unseen: ["please take the {name} out", "I do not need the {name}, delete it"],
  },
  replace: {
    usual: [
      "replace the {name} in my cart with the {other}",
      "swap the {name} for the {other}",
      "I want the {other} instead of the {name}",
      "change the {name} in my cart to the {other}",
    ],
    unseen: [
      "please swap the {name} in my cart for a {other}",
      "I need the {other} instead of the {name}",
    ],
  },
  stock: {
    usual: [
      "how many {name} are in stock?",
      "how many {name} do you have?",
      "is the {name} in stock?",
      "do you have the {name} in stock?",
      "check the stock of the {name}",
      "how many of the {name} are left?",
    ],
    unseen: ["please check how many {name} are left", "are the {name} in stock? how many?"],
  },
  "price-in-currency": {
    usual: [
      "how much is {items} in {currency}?",
      "what would {items} cost in {currency}?",
      "price of {items} in {currency}",
      "I want to know the price of {items} in {currency}",
      "tell me what {items} cost in {currency}",
    ],
    unseen: [
      "please tell me how much {items} would cost in {currency}",
      "what is the price of {items} in {currency}?",
    ],
  },
  "cart-total": {
    usual: [
      "what does my cart cost in {currency}?",
      "how much is my cart in {currency}?",
      "total of my cart in {currency}",
      "tell me the total in {currency}",
      "I want to know what my cart costs in {currency}",
    ],
    unseen: [
      "please tell me what my cart would cost in {currency}",
      "what is the total of my cart in {currency}?",
    ],
  },
};

/** Text between two wishes. */
export const JOINS: TemplateSet = {
  usual: [", then ", ". Then ", ", and then "],
  unseen: [". After that ", "; next "],
};

/** Phrases for a price limit. */
export const LIMITS: readonly string[] = [
  " under {limit}",
  " below {limit}",
  " for less than {limit} euros",
];

/** Everyday names of the currencies. */
export const CURRENCY_WORDS: { readonly [currency: string]: string } = {
  EUR: "euros",
  USD: "dollars",
  GBP: "pounds",
  JPY: "yen",
  CHF: "francs",
  SEK: "kronor",
  PLN: "zloty",
};

/** Small numbers as words. */
export const NUMBER_WORDS: readonly string[] = ["zero", "one", "two", "three", "four", "five"];
