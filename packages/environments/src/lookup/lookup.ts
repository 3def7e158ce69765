/**
 * Multi-hop look-up: every call costs, and the answer is in no single one. The policy is told the
 * question, asks for one field of one person a call, and says the city. Reward is 0 or 1; what calls
 * cost is the recipe's matter.
 */
import { type TaskReference, WaggleError } from "@waggle/protocol";
import { z } from "zod";
import { createRandom, hashText, pick } from "../random.ts";
import { type RunnableTools, tool } from "../runnable-tool.ts";
import { leveledReferences, type Demonstrator, type TaskFamily } from "../task-family.ts";
import { createToolWorld } from "../tool-world.ts";
import {
  ATTRIBUTE,
  CITIES,
  LOOKUP_ENVIRONMENT,
  LOOKUP_LEVELS,
  type LookupInstance,
  lookupInstance,
  PEOPLE,
  type Person,
  RELATIONS,
} from "./lookup-instance.ts";

const SYSTEM = "You look things up.";

const TEMPLATES = [
  "Which city does {whom} live in?",
  "Where does {whom} live?",
  "Tell me the city of {whom}.",
];
/** In held-out tasks whose seed divided by the levels is even. */
const UNSEEN_TEMPLATES = ["In what city is the home of {whom}?"];

type Facts = { readonly instance: LookupInstance; calls: number };

const TOOLS: RunnableTools<Facts> = {
  look: tool({
    description: "boss, friend or city of a person.",
    schema: z.strictObject({ name: z.string().max(16), field: z.string().max(16) }),
    run: ({ name, field }, facts: Facts) => {
      facts.calls += 1;
      const person = PEOPLE.find((other) => other === name);
      const known = ([...RELATIONS, ATTRIBUTE] as const).find((other) => other === field);
      if (person === undefined) throw new WaggleError("TOOL_FAILED", "nobody of that name");
      if (known === undefined) throw new WaggleError("TOOL_FAILED", "no such field");
      return facts.instance.fact(person, known);
    },
  }),
};

/** The word for whom a question asks about: "the boss of ann". */
function wordsFor({ start, path }: LookupInstance): string {
  return path.reduce((whom: string, relation) => `the ${relation} of ${whom}`, start);
}

function task(reference: TaskReference) {
  const instance = lookupInstance(reference);
  const isUnseen =
    reference.split === "heldOut" && Math.floor(reference.seed / LOOKUP_LEVELS) % 2 === 0;
  const templates = isUnseen ? UNSEEN_TEMPLATES : TEMPLATES;
  const template = pick(createRandom(hashText(`words/${reference.seed}`)), templates);
  return {
    ...reference,
    family: `hops-${instance.path.length + 1}`,
    template: `${isUnseen ? "unseen-" : ""}${templates.indexOf(template)}`,
    system: SYSTEM,
    request: template.replace("{whom}", wordsFor(instance)),
  };
}

/** The only city that a text names, or `null`. */
function cityIn(text: string): string | null {
  const words = text.toLowerCase().split(/[^a-z]+/);
  const named = CITIES.filter((city) => words.includes(city));
  return named.length === 1 ? (named[0] as string) : null;
}

function demonstrator(
  reference: TaskReference,
  random: () => number,
  mistakes: number,
): Demonstrator {
  const { start, path } = lookupInstance(reference);
  const errs = (): boolean => random() < mistakes;
  let person: Person = start;
  let hop = 0;
  let asked: "relation" | "city" | null = null;
  return (observation) => {
    const result = observation?.toolResults[0];
    const value = result?.ok === true ? String(result.value) : null;
    if (asked === "city") return { text: value ?? pick(random, CITIES), calls: [] };
    if (asked === "relation" && value !== null) person = value as Person;
    // A careless one guesses, stops a hop early, or follows the wrong relation.
    if (asked === null && random() < mistakes / 4) return { text: pick(random, CITIES), calls: [] };
    const relation = path[hop];
    if (relation === undefined || errs()) {
      asked = "city";
      return { text: "", calls: [{ name: "look", arguments: { name: person, field: ATTRIBUTE } }] };
    }
    hop += 1;
    asked = "relation";
    const field = random() < mistakes / 2 ? pick(random, RELATIONS) : relation;
    return { text: "", calls: [{ name: "look", arguments: { name: person, field } }] };
  };
}

/** Levels are questions of 1, 2 and 3 look-ups. */
export const LOOKUP: TaskFamily = {
  ...leveledReferences(LOOKUP_ENVIRONMENT, LOOKUP_LEVELS),
  maxTurns: 8,
  task,
  world: (reference) => {
    const instance = lookupInstance(reference);
    const facts: Facts = { instance, calls: 0 };
    return {
      environment: createToolWorld({ task: task(reference), tools: TOOLS, state: facts }),
      judge: (finalText) => {
        const said = finalText === null ? null : cityIn(finalText);
        const success = said === instance.answer;
        return {
          reward: success ? 1 : 0,
          success,
          parts: { said: said ?? "", answer: instance.answer, calls: facts.calls },
        };
      },
    };
  },
  demonstrator,
};
