/**
 * The site `repairs`: people ask when they can bring a thing. Which time they want depends on the thing. No tools.
 */
import { pick } from "@waggle/environments";
import { type StudySite, studySite } from "./study-site.ts";

/** Things with the time at which people want to bring them, and the author's guess. */
const KINDS = [
  { kind: "wheels", time: "morning", guess: "noon", things: ["bike", "scooter", "trailer"] },
  { kind: "kitchen", time: "evening", guess: "evening", things: ["oven", "kettle", "toaster"] },
  { kind: "desk", time: "noon", guess: "noon", things: ["laptop", "printer", "screen"] },
  { kind: "garden", time: "Saturday", guess: "morning", things: ["mower", "saw", "pump"] },
  { kind: "music", time: "Sunday", guess: "Sunday", things: ["guitar", "violin", "drum"] },
  { kind: "clothes", time: "noon", guess: "Saturday", things: ["coat", "boot", "bag"] },
];
const TIMES = ["morning", "noon", "evening", "Saturday", "Sunday"];
const QUESTIONS = [
  "When can I bring my {thing}?",
  "My {thing} is broken.",
  "Can you repair a {thing} for {name}?",
  "The {thing} of {name} needs help.",
  "I am {name}, and have a {thing} to repair.",
];
const NAMES = ["Ada", "Ben", "Cleo", "Dan", "Eva", "Finn", "Gus", "Ida"];

export const REPAIRS: StudySite = studySite({
  name: "repairs",
  draw: (random) => {
    const { kind, time, guess, things } = pick(random, KINDS);
    const question = pick(random, QUESTIONS).replace("{thing}", pick(random, things));
    const request = question.replace("{name}", pick(random, NAMES));
    const at = (one: string): string => `${kind}, ${one}`;
    return { request, kind, answers: TIMES.map(at), wanted: at(time), guessed: at(guess) };
  },
  naming: ["No, {answer}.", "Rather {answer}.", "It is {answer}."],
});
