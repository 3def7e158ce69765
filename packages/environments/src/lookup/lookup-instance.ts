/**
 * Questions that take several look-ups: "Where does the boss of the friend of Ann live?" All relations are
 * drawn from the seed, so nothing can be memorized. Wording is elsewhere.
 */
import { pick, integerBelow } from "../draw.ts";
import { mulberry32, hashText } from "@waggle/protocol";
import type { TaskReference } from "@waggle/protocol";
import { drawInstance } from "../environment-task.ts";

/** Name of this environment in task references. */
export const LOOKUP_ENVIRONMENT = "lookup";

/** All people. */
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
/** All cities. */
export const CITIES = ["rome", "oslo", "bern", "lima", "kiev", "cork", "bonn", "nice"] as const;

/** Fields whose value is another person; a question follows them hop by hop. */
export const RELATIONS = ["boss", "friend"] as const;
/** The field that is asked for at the last hop. */
export const ATTRIBUTE = "city";

/** Name of a person. */
export type Person = (typeof PEOPLE)[number];
type Relation = (typeof RELATIONS)[number];

/** One question and the facts it is asked about. */
export type LookupInstance = {
  readonly start: Person;
  /** From the start: `[boss, friend]` asks for the friend of the boss. */
  readonly path: readonly Relation[];
  /** The person reached after each hop, without the start. */
  readonly reached: readonly Person[];
  readonly answer: string;
  /** Seed of all facts. */
  readonly instance: number;
  /** The value of a person's field. */
  readonly fact: (person: Person, field: Relation | typeof ATTRIBUTE) => string;
};

/** Levels: questions of 1, 2 and 3 look-ups. */
export const LOOKUP_LEVELS = 3;

/** The instance of a reference. @throws WaggleError `INVALID_ARGUMENT` for a reference of another environment. */
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
      mulberry32(hashText(`${instance}/${person}/${field}`)),
      field === ATTRIBUTE ? CITIES : PEOPLE.filter((other) => other !== person),
    );
  const reached: Person[] = [];
  for (const relation of path) {
    reached.push(fact(reached.at(-1) ?? start, relation) as Person);
  }
  return { start, path, instance, reached, fact, answer: fact(reached.at(-1) ?? start, ATTRIBUTE) };
}

/** Identifies an instance, so that it can be assigned to a split. */
export function keyOf({
  start,
  path,
  instance,
}: Pick<LookupInstance, "start" | "path" | "instance">): string {
  return `${start}/${path.join("/")}/${instance}`;
}
