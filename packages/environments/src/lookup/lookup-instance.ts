/**
 * Questions that take several look-ups: "Where does the boss of the friend of Ann live?" Who is whose
 * boss depends on the seed, so nothing can be known by heart. No wording here.
 */
import type { TaskReference } from "@waggle/protocol";
import { drawInstance, integerBelow } from "../environment-task.ts";
import { createRandom, hashText, pick } from "../random.ts";

/** Name of this environment in a task reference. */
export const LOOKUP_ENVIRONMENT = "lookup";

export const PEOPLE = [
  "ann",
  "ben",
  "cleo",
  "dan",
  "eve",
  "finn",
  "gus",
  "hal",
  "ida",
  "jon",
  "kim",
  "lee",
  "mia",
  "ned",
  "ola",
  "pat",
] as const;
export const CITIES = ["rome", "oslo", "bern", "lima", "kiev", "cork", "bonn", "nice"] as const;

/** Fields whose value is a person: what a question hops along. */
export const RELATIONS = ["boss", "friend"] as const;
/** The field that is asked for at the end. */
export const ATTRIBUTE = "city";

export type Person = (typeof PEOPLE)[number];
type Relation = (typeof RELATIONS)[number];

export type LookupInstance = {
  readonly start: Person;
  /** From the start outward: `[boss, friend]` asks for the friend of the boss. */
  readonly path: readonly Relation[];
  /** Who is reached after each step of the path; the start is not among them. */
  readonly reached: readonly Person[];
  readonly answer: string;
  /** Which of all environments. */
  readonly instance: number;
  /** Value of any field of anybody in this environment. */
  readonly fact: (person: Person, field: Relation | typeof ATTRIBUTE) => string;
};

/** Levels: questions of 1, 2 and 3 look-ups. */
export const LOOKUP_LEVELS = 3;

/** @throws WaggleError `INVALID_ARGUMENT` for a reference of another environment. */
export function lookupInstance(reference: TaskReference): LookupInstance {
  const { start, path, instance } = drawInstance(
    LOOKUP_ENVIRONMENT,
    reference,
    (random) => ({
      start: pick(random, PEOPLE),
      path: Array.from({ length: reference.seed % LOOKUP_LEVELS }, () => pick(random, RELATIONS)),
      instance: integerBelow(random, 2 ** 32),
    }),
    keyOf,
  );
  const fact: LookupInstance["fact"] = (person, field) =>
    pick(
      createRandom(hashText(`${instance}/${person}/${field}`)),
      field === ATTRIBUTE ? CITIES : PEOPLE.filter((other) => other !== person),
    );
  const reached: Person[] = [];
  for (const relation of path) {
    reached.push(fact(reached.at(-1) ?? start, relation) as Person);
  }
  return { start, path, instance, reached, fact, answer: fact(reached.at(-1) ?? start, ATTRIBUTE) };
}

/** What an instance is told apart by: who and how, and in which environment. */
export function keyOf({
  start,
  path,
  instance,
}: Pick<LookupInstance, "start" | "path" | "instance">): string {
  return `${start}/${path.join("/")}/${instance}`;
}
