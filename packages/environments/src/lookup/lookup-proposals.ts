/**
 * Questions that somebody sets about an environment of people: who asks looks the answer up first, and only a
 * question whose answer is among what was looked up is one that can be answered.
 */
import type { Task, TaskReference } from "@waggle/protocol";
import { isOfSplit } from "../environment-task.ts";
import { pick } from "../random.ts";
import type { Demonstrator, EnvironmentSpec } from "../environment-spec.ts";
import { createToolEnvironment } from "../tool-environment.ts";
import { type Facts, LOOKUP_TOOLS, wordsFor } from "./lookup-facts.ts";
import {
  ATTRIBUTE,
  keyOf,
  type LookupInstance,
  lookupInstance,
  PEOPLE,
  type Person,
  RELATIONS,
} from "./lookup-instance.ts";

/** Most relations of a question. */
const MOST_HOPS = 2;
const QUESTION = /^Where does ((?:the (?:boss|friend) of )*)([a-z]+) live\?$/;

/** The question that a text asks, in the environment of the reference; `null` where it asks none. */
export function proposedQuestion(text: string, reference: TaskReference): LookupInstance | null {
  const [, relations = "", name] = QUESTION.exec(text.trim()) ?? [];
  const start = PEOPLE.find((person) => person === name);
  // Said from the outside in: the boss of the friend of ann begins with her friend.
  const path = relations
    .split("the ")
    .flatMap((part) => RELATIONS.filter((relation) => part.startsWith(relation)))
    .toReversed();
  if (start === undefined || path.length > MOST_HOPS) return null;
  const { fact, instance } = lookupInstance(reference);
  // Held-out questions cannot be set in training.
  if (!isOfSplit(reference, keyOf({ start, path, instance }))) return null;
  const reached: Person[] = [];
  for (const relation of path) reached.push(fact(reached.at(-1) ?? start, relation) as Person);
  return { start, path, instance, reached, fact, answer: fact(reached.at(-1) ?? start, ATTRIBUTE) };
}

function task(reference: TaskReference): Task {
  const { start } = lookupInstance(reference);
  const request = `Look around from ${start} and set a question.`;
  return { ...reference, family: "proposal", template: "0", system: "You set tasks.", request };
}

/** A path from the start of this environment that may be asked for; where there is none, what is set is refused. */
export function drawnPath(
  reference: TaskReference,
  random: () => number,
): (typeof RELATIONS)[number][] {
  const { start, instance } = lookupInstance(reference);
  const drawn = (): (typeof RELATIONS)[number][] =>
    Array.from({ length: Math.floor(random() * (MOST_HOPS + 1)) }, () => pick(random, RELATIONS));
  let path = drawn();
  // One person is enough for most environments.
  for (let i = 0; i < 32 && !isOfSplit(reference, keyOf({ start, path, instance })); i += 1) {
    path = drawn();
  }
  return path;
}

/** Follows a path and asks for where it ended; a careless one asks for what it did not look up. */
function demonstrator(
  reference: TaskReference,
  random: () => number,
  mistakes: number,
): Demonstrator {
  const { start } = lookupInstance(reference);
  const path = drawnPath(reference, random);
  let person: string = start;
  let asked = 0;
  return (observation) => {
    const result = observation?.toolResults[0];
    if (asked > 0 && asked <= path.length && result?.ok === true) person = String(result.value);
    const field = asked < path.length ? (path[asked] as string) : ATTRIBUTE;
    asked += 1;
    if (asked > path.length + 1 || random() < mistakes / 2) {
      return { text: `Where does ${wordsFor({ start, path })} live?`, calls: [] };
    }
    return { text: "", calls: [{ name: "look", arguments: { name: person, field } }] };
  };
}

export const LOOKUP_PROPOSER: Pick<
  EnvironmentSpec,
  "maxTurns" | "task" | "create" | "demonstrator"
> = {
  maxTurns: MOST_HOPS + 3,
  task,
  create: (reference) => {
    const facts: Facts = { instance: lookupInstance(reference), calls: 0, said: [] };
    return {
      environment: createToolEnvironment({
        task: task(reference),
        tools: LOOKUP_TOOLS,
        state: facts,
      }),
      judge: (finalText) => {
        const asked = proposedQuestion(finalText ?? "", reference);
        const success = asked !== null && facts.said.includes(asked.answer);
        return { reward: success ? 1 : 0, success, parts: { answer: asked?.answer ?? "" } };
      },
    };
  },
  demonstrator,
};
