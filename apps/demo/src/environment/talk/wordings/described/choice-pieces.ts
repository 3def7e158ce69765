/** How people choose one of a few products that were listed. `{a}` is an adjective, `{m}` a material, `{w}` a word of a name. */
import type { AttributeClass } from "./attribute-pieces.ts";

/** By an attribute that only one of them has. */
export const CHOICE_BY_ATTRIBUTE: { readonly [of in AttributeClass | "any"]: readonly string[] } = {
  any: [
    "the {a} one",
    "the {a} one",
    "the one that's {a}",
    "the {a} one",
    "the one which is {a}",
    "whichever is {a}",
    "the one that is {a}",
    "the single {a} one",
    "the {a} one of those",
    "that {a} one",
    "the one you'd call {a}",
    "the only {a} one",
    "the {a}",
    "the one thats {a}",
    "the {a} one of them",
    "the 1 thats {a}",
  ],
  color: [
    "the one in {a}",
    "the one with {a} on it",
    "the one with {a} in it",
    "the one in {a}",
    "the one that comes in {a}",
    "the one that has {a} on it",
    "whichever comes in {a}",
    "the one in the colour {a}",
  ],
  material: [
    "the one with {m}",
    "the one made of {m}",
    "the one with {m} in it",
    "the one that has {m}",
    "the one in {m}",
    "the one that's made from {m}",
    "the {m} version",
    "whichever contains {m}",
  ],
  property: [
    "the one that's properly {a}",
    "the version that is {a}",
    "the one described as {a}",
    "the properly {a} one",
    "the really {a} one",
    "the {a} version",
    "the {a} kind",
    "whichever of them is {a}",
  ],
};

/** By an attribute that only one of them lacks. */
export const CHOICE_BY_LACK: readonly string[] = [
  "the one that's not {a}",
  "the one that isn't {a}",
  "the only one that's not {a}",
  "the one which is not {a}",
  "whichever isn't {a}",
  "the one that is not {a}",
  "the non-{a} one",
  "the one thats not {a}",
];

/** By a word that only one of the names has. */
export const CHOICE_BY_NAME: readonly string[] = [
  "the {w} one",
  "the {w}",
  "that {w} one",
  "the {w} one",
  "the one called {w}",
  "the one named {w} something",
  "{w}",
  "the one with {w} in the name",
  "the {w} one from your list",
  "the one that says {w}",
  "{w} one",
  "the one that starts with {w}, or however it goes",
];

/** By the price. `{p}` is it. */
export const CHOICE_BY_PRICE: readonly string[] = [
  "the {p} euro one",
  "the one for {p} euros",
  "the one at {p}",
  "the {p} EUR one",
  "the one that costs {p}",
  "the {p}€ one",
  "the one priced {p} euros",
  "the one for {p}",
  "the one at {p} euros",
  "the {p} one",
  "that {p} euro one",
  "whichever costs {p} euros",
  "the one that's {p} euros",
  "the one you have for {p}",
  "the one with {p} on the price tag",
  "the one you want {p} EUR for",
];

/** By the order of what was listed; the first for two, the second for more. */
export const CHOICE_BY_ORDER: {
  readonly [order in "cheapest" | "dearest" | "best"]: readonly [
    readonly string[],
    readonly string[],
  ];
} = {
  cheapest: [
    [
      "the cheaper one",
      "the cheaper of the two",
      "the less expensive one",
      "the one that costs less",
      "whichever is cheaper",
      "the cheaper one of those",
      "the lower priced one",
      "the more affordable one",
    ],
    [
      "the cheapest of those",
      "the cheapest one",
      "the cheapest of the three",
      "the least expensive one",
      "whichever of those costs the least",
      "the cheapest of them",
      "the lowest priced of these",
      "the one with the lowest price",
    ],
  ],
  dearest: [
    [
      "the more expensive one",
      "the pricier of the two",
      "the dearer one",
      "the one that costs more",
      "the more expensive of the two",
      "the higher priced one",
      "the pricier one",
      "whichever costs more",
    ],
    [
      "the most expensive of those",
      "the priciest one",
      "the dearest of the three",
      "the one that costs the most",
      "the most expensive one",
      "the priciest of them",
      "whichever of these costs the most",
      "the one with the highest price",
    ],
  ],
  best: [
    [
      "the better rated one",
      "the better reviewed of the two",
      "whichever has the better reviews",
      "the higher rated one",
      "the one with the better rating",
      "the one people rate higher",
      "the better rated of the two",
      "the one with more stars",
    ],
    [
      "the best rated of those",
      "the best reviewed one",
      "whichever has the best reviews",
      "the top rated of them",
      "the one with the best rating",
      "the highest rated of these",
      "the best rated one",
      "the one with the most stars",
    ],
  ],
};
