/**
 * Questions that a policy proposes about a `lookup` environment. The proposer looks the answer up first: a
 * question is valid only if its answer is among the values that were looked up.
 */
import { pick } from "../draw.ts";
import type { Task, TaskReference } from "@waggle/protocol";
import { isOfSplit } from "../environment-task.ts";
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

/** Maximum number of relations in a question. */
const MAX_HOPS = 2;
const QUESTION = /^Where does ((?:the (?:boss|friend) of )*)([a-z]+) live\?$/;

/** The question that a text asks about the reference's people; `null` if it asks none. */
export function proposedQuestion(text: string, reference: TaskReference): LookupInstance | null {
  const [, relations = "", name] = QUESTION.exec(text.trim()) ?? [];
  const start = PEOPLE.find((person) => person === name);
  // Read from the outside in: "the boss of the friend of ann" starts with her friend.
  const path = relations
    .split("the ")
    .flatMap((part) => RELATIONS.filter((relation) => part.startsWith(relation)))
    .toReversed();
  if (start === undefined || path.length > MAX_HOPS) return null;
  const { fact, instance } = lookupInstance(reference);
  // A question of the other split is refused, so that held-out questions are never trained on.
  if (!isOfSplit(reference, keyOf({ start, path, instance }))) return null;
  const reached: Person[] = [];
  for (const relation of path) reached.push(fact(reached.at(-1) ?? start, relation) as Person);
  return { start, path, instance, reached, fact, answer: fact(reached.at(-1) ?? start, ATTRIBUTE) };
}

function task(reference: TaskReference): Task {
  const { start } = lookupInstance(reference);
  const request = `Look around from ${start} and set a question.`;
  return { ...reference, kind: "proposal", template: "0", system: "You set tasks.", request };
}

/** A random path from the start that belongs to the reference's split, if one is found in 32 draws. */
export function drawnPath(
  reference: TaskReference,
  random: () => number,
): (typeof RELATIONS)[number][] {
  const { start, instance } = lookupInstance(reference);
  const drawn = (): (typeof RELATIONS)[number][] =>
    Array.from({ length: Math.floor(random() * (MAX_HOPS + 1)) }, () => pick(random, RELATIONS));
  let path = drawn();
  // For most environments one start has a valid path.
  for (let i = 0; i < 32 && !isOfSplit(reference, keyOf({ start, path, instance })); i += 1) {
    path = drawn();
  }
  return path;
}

/** Follows a path and asks for its end. A mistake asks for something it did not look up. */
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

/** The proposer's part of the environment. */
export const LOOKUP_PROPOSER: Pick<
  EnvironmentSpec,
  "maxTurns" | "task" | "create" | "demonstrator"
> = {
  maxTurns: MAX_HOPS + 3,
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
