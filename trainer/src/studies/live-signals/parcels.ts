/** The site `parcels`: people ask how to send a thing to a town. Which way they want depends on the thing. No tools. */
import { pick } from "@waggle/environments";
import { type StudySite, studySite } from "./study-site.ts";

/** Things with the way in which people want to send them, and the author's guess. */
const KINDS = [
  {
    kind: "paper",
    way: "post",
    guess: "post",
    things: ["contract", "poster", "photo", "map"],
  },
  {
    kind: "fragile",
    way: "courier",
    guess: "freight",
    things: ["vase", "lamp", "mirror", "clock"],
  },
  {
    kind: "heavy",
    way: "freight",
    guess: "courier",
    things: ["stove", "bench", "piano", "bathtub"],
  },
  {
    kind: "fresh",
    way: "express",
    guess: "express",
    things: ["cheese", "cake", "salad", "fish"],
  },
];
const WAYS = KINDS.map(({ way }) => way);
const TOWNS = ["Bern", "Basel", "Lugano", "Chur", "Luzern", "Olten", "Zug", "Brig", "Thun"];
const QUESTIONS = [
  "How do I send the {thing} to {town}?",
  "The {thing} must go to {town}.",
  "Please take the {thing} to {town}.",
  "What is best for the {thing} to {town}?",
  "I have a {thing} for {town}.",
];

export const PARCELS: StudySite = studySite({
  name: "parcels",
  draw: (random) => {
    const { kind, way, guess, things } = pick(random, KINDS);
    const [thing, town] = [pick(random, things), pick(random, TOWNS)];
    const request = pick(random, QUESTIONS).replace("{thing}", thing).replace("{town}", town);
    const by = (one: string): string => `${kind}, by ${one}`;
    return { request, kind, answers: WAYS.map(by), wanted: by(way), guessed: by(guess) };
  },
  naming: ["No, {answer}.", "Rather {answer}.", "It is {answer}."],
});
