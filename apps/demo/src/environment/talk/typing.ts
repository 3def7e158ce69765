/** How people type: typing errors, lower case, no punctuation, short forms, and polite words around a request. */
import { pick } from "@waggle/environments";
import type { RandomSource } from "@waggle/protocol";

const KEYS = ["qwertyuiop", "asdfghjkl", "zxcvbnm"];
const BEFORE = ["hi, ", "hello, ", "hey, ", "please ", "ok, ", "hi there, ", "so, "];
const AFTER = [" please", ", thanks", " thx", " pls", ", thank you"];
const SHORT: { readonly [word: string]: string } = {
  please: "pls",
  you: "u",
  your: "ur",
  are: "r",
  and: "n",
  thanks: "thx",
  what: "wat",
  because: "cos",
  with: "w/",
  something: "smth",
  tomorrow: "tmrw",
};
/** Words as some people spell them, by ear. */
const BY_EAR: { readonly [word: string]: string } = {
  cheapest: "cheepest",
  cheaper: "cheeper",
  expensive: "expencive",
  rating: "raiting",
  rated: "raited",
  available: "avalable",
  really: "realy",
  basket: "baskit",
  trolley: "trolly",
  remove: "remoove",
  instead: "insted",
  there: "their",
  your: "you're",
  would: "wud",
  could: "cud",
  please: "pleese",
  already: "allready",
  which: "wich",
  than: "then",
  cost: "kost",
  reviews: "reveiws",
  dollars: "dolars",
  total: "totel",
  together: "togather",
  actually: "actualy",
};
const ENDINGS = ["!", "!!", "...", "??", " :)", " 🙂", " 🙏", " 😅", " ^^", " !", " ?", "…"];
/** Shares of the requests. */
const SHARE = {
  polite: 0.15,
  lower: 0.4,
  plain: 0.3,
  noApostrophe: 0.15,
  short: 0.08,
  byEar: 0.06,
  errors: 0.22,
  joined: 0.02,
  ending: 0.05,
  shouted: 0.015,
};
/** Shorter words are typed right, because an error could make another word of them. */
const SHORTEST = 4;

/** Types a request as a person would. It keeps the meaning and all numbers. */
export function typed(text: string, random: RandomSource): string {
  let said = text;
  if (random() < SHARE.polite) said = polite(said, random);
  if (random() < SHARE.lower) said = said.toLowerCase();
  if (random() < SHARE.plain) said = said.replaceAll(/[?!,;:]|\.(?!\d)/g, "");
  if (random() < SHARE.short) {
    said = said.replaceAll(/\b[a-z]+\b/g, (word) => SHORT[word] ?? word);
  }
  if (random() < SHARE.noApostrophe) said = said.replaceAll(/['’]/g, "");
  if (random() < SHARE.byEar) said = said.replaceAll(/\b[a-z]+\b/g, (word) => BY_EAR[word] ?? word);
  if (random() < SHARE.errors) said = misspelled(said, 1 + Math.floor(random() * 3), random);
  if (random() < SHARE.joined) said = joined(said, random);
  if (random() < SHARE.ending) said = said.replace(/[.!?]*$/, "") + pick(random, ENDINGS);
  if (random() < SHARE.shouted) said = said.toUpperCase();
  return said.trim();
}

function polite(text: string, random: RandomSource): string {
  const isPlain = !/^(?:hi|hello|hey|please|ok|so|dear)\b/i.test(text);
  if (random() < 0.5 && isPlain) return `${pick(random, BEFORE)}${text}`;
  return /(?:please|thanks|thx|pls|thank you)\W*$/i.test(text)
    ? text
    : `${text.replace(/[.!?,]$/, "")}${pick(random, AFTER)}`;
}

function misspelled(text: string, errors: number, random: RandomSource): string {
  const parts = text.split(/([a-zA-Z]+)/);
  const words = parts.flatMap((part, at) => (at % 2 === 1 && part.length >= SHORTEST ? [at] : []));
  if (words.length === 0) return text;
  // Two errors in one word could make it unreadable.
  const wrong = new Set(Array.from({ length: errors }, () => pick(random, words)));
  return parts.map((part, at) => (wrong.has(at) ? mistyped(part, random) : part)).join("");
}

/** The first letter stays, as it mostly does when people type. */
function mistyped(word: string, random: RandomSource): string {
  const at = 1 + Math.floor(random() * (word.length - 2));
  const [before, letter, after] = [word.slice(0, at), word[at] as string, word.slice(at + 1)];
  switch (Math.floor(random() * 4)) {
    case 0:
      return `${before}${after[0] ?? ""}${letter}${after.slice(1)}`;
    case 1:
      return `${before}${after}`;
    case 2:
      return `${before}${letter}${letter}${after}`;
    default:
      return `${before}${neighbor(letter, random)}${after}`;
  }
}

function neighbor(letter: string, random: RandomSource): string {
  const row = KEYS.find((keys) => keys.includes(letter.toLowerCase())) ?? letter;
  const at = row.indexOf(letter.toLowerCase());
  const near = [row[at - 1], row[at + 1]].filter((key) => key !== undefined);
  return near.length === 0 ? letter : pick(random, near);
}

/** Leaves out one space between two words. */
function joined(text: string, random: RandomSource): string {
  const spaces = [...text.matchAll(/(?<=[a-z]) (?=[a-z])/g)];
  if (spaces.length === 0) return text;
  const { index } = pick(random, spaces);
  return text.slice(0, index) + text.slice(index + 1);
}
