/** Values that a person mentions: invented words, names, codes, numbers, prices, dates and notes. */
import type { RandomSource } from "@waggle/protocol";
import { integerBelow, pick } from "../draw.ts";
import { chance, type Drawing, drawOfSplit, pickOfSplit } from "./drawing.ts";
import * as lists from "./word-lists.ts";

/** A value as a call has it, and as the user writes it. */
export type Value = { readonly argument: string | number | boolean; readonly said: string };

const ONSETS = [
  ..."b c d f g h j k l m n p r s t v w z".split(" "),
  ..."b d f g k l m n p r s t v z".split(" "),
  ..."bl br ch cl cr dr fl gr kl kr pl pr qu sh sk sl sp st th tr x y zw".split(" "),
];
const VOWELS = "a e i o u a e i o u a e i o u ai ea io oo".split(" ");
const CODAS = ["", "", "", ..."k d f g l m n n nd p r r s t t x".split(" ")];
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
const plain = (argument: string | number): Value => ({ argument, said: String(argument) });

/** Only the last syllable may end with a consonant, and sometimes the first. */
function syllables(random: RandomSource, count: number): string {
  const syllable = (_: unknown, i: number) =>
    pick(random, ONSETS) +
    pick(random, VOWELS) +
    (i === count - 1 || random() < 0.3 ? pick(random, CODAS) : "");
  return Array.from({ length: count }, syllable).join("");
}

/** An invented word in lower case, of one to three syllables. */
export function inventedWord(drawing: Drawing): string {
  return drawOfSplit(drawing, (random) => {
    const word = syllables(random, pick(random, [1, 2, 2, 2, 3]));
    return word.length < 3 ? word + syllables(random, 1) : word;
  });
}

/** A name that something can have: invented, of two words, or with a number. */
export function properName(drawing: Drawing): string {
  const { random } = drawing;
  const invented = () => capitalized(inventedWord(drawing));
  const thing = () => capitalized(pickOfSplit(drawing, lists.THINGS));
  const adjective = () => capitalized(pickOfSplit(drawing, lists.ADJECTIVES));
  return pick(random, [
    invented,
    invented,
    () => `${invented()} ${invented()}`,
    () => `${adjective()} ${thing()}`,
    () => `${invented()} ${thing()}`,
    () => `${thing()} ${1 + integerBelow(random, 99)}`,
    () => `${invented()} ${1 + integerBelow(random, 99)}`,
    () => `${adjective()} ${invented()}`,
    () => `The ${adjective()} ${thing()}`,
    () => `${pickOfSplit(drawing, lists.CITIES)} ${thing()}`,
    () => `${thing()} of ${invented()}`,
    thing,
  ])();
}

export function person(drawing: Drawing): Value {
  const first = chance(drawing, 0.8)
    ? pickOfSplit(drawing, lists.FIRST_NAMES)
    : capitalized(inventedWord(drawing));
  if (chance(drawing, 0.35)) return plain(first);
  const last = chance(drawing, 0.6)
    ? pickOfSplit(drawing, lists.LAST_NAMES)
    : capitalized(inventedWord(drawing));
  return plain(`${first} ${last}`);
}

export function place(drawing: Drawing): Value {
  const { random } = drawing;
  const named = () => capitalized(inventedWord(drawing));
  return plain(
    pick(random, [
      () => pickOfSplit(drawing, lists.CITIES),
      named,
      () => `${named()} ${pick(random, ["Street", "Hall", "Square", "Park", "Tower", "House"])}`,
      () => `${named()} ${1 + integerBelow(random, 120)}`,
    ])(),
  );
}

const WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split(" ");

/** A text in quotation marks, or as it is. */
function mentioned(drawing: Drawing, argument: string, quoted: number): Value {
  if (!chance(drawing, quoted)) return plain(argument);
  return {
    argument,
    said: pick(drawing.random, [`"${argument}"`, `'${argument}'`, `“${argument}”`]),
  };
}

export function name(drawing: Drawing): Value {
  return mentioned(drawing, properName(drawing), 0.35);
}

/** A short note, always in quotation marks. */
export function note(drawing: Drawing): Value {
  const { random } = drawing;
  const thing = () => pickOfSplit(drawing, lists.THINGS);
  const adjective = () => pickOfSplit(drawing, lists.ADJECTIVES);
  const verb = () => pickOfSplit(drawing, lists.NOTE_VERBS);
  const text = pick(random, [
    () => `${verb()} the ${thing()}`,
    () => `${verb()} the ${adjective()} ${thing()}`,
    () => `${adjective()} ${thing()} for ${String(person(drawing).argument)}`,
    () => `no ${thing()} today`,
    () => `${verb()} ${inventedWord(drawing)} first`,
    () => `ask ${String(person(drawing).argument)} about ${inventedWord(drawing)}`,
    () => `please ${verb()} the ${thing()} by ${pick(random, WEEKDAYS)}`,
    () => `the ${thing()} is ${adjective()}`,
    () => `too ${adjective()} for ${String(person(drawing).argument)}`,
    () => `${thing()} and ${thing()} are missing`,
    () => `do not ${verb()} it before ${pick(random, WEEKDAYS)}`,
    () => `needs the ${adjective()} ${thing()}`,
    () => `${String(person(drawing).argument)} will ${verb()} it`,
    () => `see ${inventedWord(drawing)} ${1 + integerBelow(random, 99)}`,
  ])();
  return mentioned(drawing, text, 1);
}

/** A word for a category, a group or a tag. */
export function tag(drawing: Drawing): Value {
  const word = chance(drawing, 0.5) ? inventedWord(drawing) : pickOfSplit(drawing, lists.THINGS);
  return mentioned(drawing, word, 0.3);
}

/** A code such as `QX-4471`. */
export function code(drawing: Drawing): Value {
  const argument = drawOfSplit(drawing, (random) => {
    const letters = (count: number) =>
      Array.from({ length: count }, () => LETTERS[integerBelow(random, 26)]).join("");
    const digits = (count: number) =>
      Array.from({ length: count }, () => integerBelow(random, 10)).join("");
    return pick(random, [
      () => `${letters(2)}-${digits(4)}`,
      () => `${letters(1)}${digits(3)}`,
      () => `${letters(3)}-${digits(2)}`,
      () => `${letters(2)}${digits(2)}${letters(1)}`,
      () => `${digits(3)}-${letters(2)}`,
      () => `${letters(1).toLowerCase()}${digits(2)}-${digits(2)}`,
    ])();
  });
  return plain(argument);
}

/** A number of an invoice or a ticket. */
export function numericId(drawing: Drawing): Value {
  return plain(Number(drawOfSplit(drawing, (random) => String(20 + integerBelow(random, 9980)))));
}

const NUMBER_WORDS = (
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen " +
  "seventeen eighteen nineteen twenty"
).split(" ");
const TENS: { readonly [ten: number]: string } = {
  30: "thirty",
  40: "forty",
  50: "fifty",
  60: "sixty",
  70: "seventy",
  80: "eighty",
  90: "ninety",
  100: "a hundred",
};

/** An integer in [from, to]. Small ones are sometimes written as words. Numbers above 12 belong to a split. */
export function integer(drawing: Drawing, from: number, to: number): Value {
  const { random } = drawing;
  const draw = () => from + integerBelow(random, to - from + 1);
  let argument = draw();
  if (argument > 12) {
    argument = Number(drawOfSplit(drawing, () => String(Math.max(13, draw()))));
  }
  const word = NUMBER_WORDS[argument] ?? TENS[argument];
  if (word !== undefined && chance(drawing, 0.4)) return { argument, said: word };
  return plain(argument);
}

export function price(drawing: Drawing): Value {
  return plain(
    Number(
      drawOfSplit(drawing, (random) =>
        random() < 0.4
          ? String(13 + integerBelow(random, 900))
          : (1 + integerBelow(random, 200) + integerBelow(random, 100) / 100).toFixed(2),
      ),
    ),
  );
}

export function email(drawing: Drawing): Value {
  const { random } = drawing;
  const first = () => pickOfSplit(drawing, lists.FIRST_NAMES).toLowerCase();
  const last = () => pickOfSplit(drawing, lists.LAST_NAMES).toLowerCase();
  const owner = pick(random, [
    first,
    () => inventedWord(drawing),
    () => `${first()}.${last()}`,
    () => `${first().charAt(0)}.${last()}`,
    () => pick(random, ["info", "office", "sales", "hello", "support", "team"]),
    () => `${first()}${1 + integerBelow(random, 99)}`,
  ])();
  return plain(`${owner}@${inventedWord(drawing)}.${pick(random, ["example", "example", "test"])}`);
}

/** A phone number: `0441 93 82`, `+49 30 5512`. */
export function phone(drawing: Drawing): Value {
  return plain(
    drawOfSplit(drawing, (random) => {
      const digits = (count: number) =>
        Array.from({ length: count }, () => integerBelow(random, 10)).join("");
      return pick(random, [
        () => `0${digits(3)} ${digits(2)} ${digits(2)}`,
        () => `+${20 + integerBelow(random, 70)} ${digits(2)} ${digits(4)}`,
        () => `555-${digits(4)}`,
        () => `0${digits(2)}-${digits(5)}`,
      ])();
    }),
  );
}

export const website = (drawing: Drawing): Value =>
  plain(
    pick(drawing.random, [
      `www.${inventedWord(drawing)}.example`,
      `${inventedWord(drawing)}.example/${inventedWord(drawing)}`,
      `https://${inventedWord(drawing)}.test`,
    ]),
  );

export const language = ({ random }: Drawing): Value => plain(pick(random, lists.LANGUAGES));
export const country = (drawing: Drawing): Value => plain(pickOfSplit(drawing, lists.COUNTRIES));
export const material = ({ random }: Drawing): Value => plain(pick(random, lists.MATERIALS));
export const job = (drawing: Drawing): Value => plain(pickOfSplit(drawing, lists.JOBS));

export function color(drawing: Drawing): Value {
  return plain(pickOfSplit(drawing, lists.COLORS));
}

/** Letters and digits without a pattern, for copying drills. It is never a number. */
export function scrap(drawing: Drawing): Value {
  const part = () =>
    drawOfSplit(drawing, (random) => {
      const pool = pick(random, [LETTERS, LETTERS.toLowerCase(), "mixed", "mixed"]);
      const length = 2 + integerBelow(random, 11);
      const all = `${LETTERS}${LETTERS.toLowerCase()}${LETTERS.toLowerCase()}0123456789`;
      const from = pool === "mixed" ? all : pool;
      const first = LETTERS[integerBelow(random, 26)] as string;
      const rest = Array.from(
        { length: length - 1 },
        () => from[integerBelow(random, from.length)],
      );
      // It begins with a letter, so that it is no number.
      return (pool === LETTERS || random() < 0.5 ? first : first.toLowerCase()) + rest.join("");
    });
  const word = () =>
    chance(drawing, 0.5) ? inventedWord(drawing) : capitalized(inventedWord(drawing));
  const one = () => (chance(drawing, 0.5) ? part() : word());
  return mentioned(drawing, chance(drawing, 0.3) ? `${one()} ${one()}` : one(), 0.35);
}
