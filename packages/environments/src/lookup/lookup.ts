/**
 * Multi-hop look-up: no single call reveals the answer. The policy gets a question, asks for one field of
 * one person per call, and answers with a city. Reward is 0 or 1; a recipe may charge for calls.
 */
import { pick } from "../draw.ts";
import { mulberry32, hashText } from "@waggle/protocol";
import type { TaskReference } from "@waggle/protocol";
import {
  leveledReferences,
  type Demonstrator,
  type EnvironmentSpec,
  type JudgedEnvironment,
} from "../environment-spec.ts";
import { proposalSolver } from "../proposal-solver.ts";
import { createToolEnvironment } from "../tool-environment.ts";
import {
  ATTRIBUTE,
  CITIES,
  LOOKUP_ENVIRONMENT,
  LOOKUP_LEVELS,
  lookupInstance,
  type Person,
  RELATIONS,
} from "./lookup-instance.ts";
import { type Facts, LOOKUP_TOOLS, wordsFor } from "./lookup-facts.ts";
import { LOOKUP_PROPOSER, proposedQuestion } from "./lookup-proposals.ts";

const SYSTEM = "You look things up.";

const TEMPLATES = [
  "Which city does {whom} live in?",
  "Where does {whom} live?",
  "Tell me the city of {whom}.",
];
/** Used in held-out tasks whose seed divided by the number of levels is even. */
const UNSEEN_TEMPLATES = ["In what city is the home of {whom}?"];

function task(reference: TaskReference, instance = lookupInstance(reference)) {
  const isUnseen =
    reference.split === "heldOut" && Math.floor(reference.seed / LOOKUP_LEVELS) % 2 === 0;
  const templates = isUnseen ? UNSEEN_TEMPLATES : TEMPLATES;
  const template = pick(mulberry32(hashText(`words/${reference.seed}`)), templates);
  return {
    ...reference,
    kind: `hops-${instance.path.length + 1}`,
    template: `${isUnseen ? "unseen-" : ""}${templates.indexOf(template)}`,
    system: SYSTEM,
    request: template.replace("{whom}", wordsFor(instance)),
  };
}

/** The city that a text names; `null` if it names none or several. */
function cityIn(text: string): string | null {
  const words = text.toLowerCase().split(/[^a-z]+/);
  const named = CITIES.filter((city) => words.includes(city));
  return named.length === 1 ? (named[0] as string) : null;
}

function demonstrator(
  reference: TaskReference,
  random: () => number,
  mistakes: number,
  { start, path } = lookupInstance(reference),
): Demonstrator {
  const errs = (): boolean => random() < mistakes;
  let person: Person = start;
  let hop = 0;
  let asked: "relation" | "city" | null = null;
  return (observation) => {
    const result = observation?.toolResults[0];
    const value = result?.ok === true ? String(result.value) : null;
    if (asked === "city") return { text: value ?? pick(random, CITIES), calls: [] };
    if (asked === "relation" && value !== null) person = value as Person;
    // Mistakes: guess, stop a hop early, or follow the wrong relation.
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

function create(reference: TaskReference, instance = lookupInstance(reference)): JudgedEnvironment {
  const facts: Facts = { instance, calls: 0, said: [] };
  return {
    environment: createToolEnvironment({
      task: task(reference, instance),
      tools: LOOKUP_TOOLS,
      state: facts,
    }),
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
}

/** Levels are questions of 1, 2 and 3 look-ups. */
const ENVIRONMENT = {
  ...leveledReferences(LOOKUP_ENVIRONMENT, LOOKUP_LEVELS),
  maxTurns: 8,
  task,
  create,
  demonstrator,
};

/** The environment, including questions that a policy proposes. */
export const LOOKUP: EnvironmentSpec = {
  ...ENVIRONMENT,
  features: ["several-calls"],
  proposals: {
    proposer: { ...ENVIRONMENT, ...LOOKUP_PROPOSER },
    solver: proposalSolver(ENVIRONMENT, proposedQuestion, { task, create, demonstrator }),
  },
};
