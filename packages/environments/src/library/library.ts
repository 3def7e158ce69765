/**
 * A library: the facts of `lookup` as documents to search. A search finds documents that share words with
 * the query, including wrong ones: "ann boss" finds who Ann's boss is and whose boss Ann is. The verifier
 * also reports which documents were found and which ones the answer depends on.
 */
import { pick } from "../draw.ts";
import {
  type Environment,
  type Task,
  type TaskReference,
  WaggleError,
  mulberry32,
  hashText,
} from "@waggle/protocol";
import { z } from "zod";
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
} from "../lookup/lookup-instance.ts";
import { wordsFor } from "../lookup/lookup-facts.ts";
import { drawnPath, proposedQuestion } from "../lookup/lookup-proposals.ts";
import { type RunnableTools, tool } from "../runnable-tool.ts";
import {
  type Demonstrator,
  leveledReferences,
  type EnvironmentSpec,
  type JudgedEnvironment,
} from "../environment-spec.ts";
import { proposalSolver } from "../proposal-solver.ts";
import { createToolEnvironment } from "../tool-environment.ts";
import { type SearchDocument, type SearchIndex, searchIndex } from "./search-index.ts";

const NAME = "library";
/** Number of search results shown. */
const SHOWN = 2;
const FIELDS = [...RELATIONS, ATTRIBUTE] as const;

type LibraryState = {
  readonly index: SearchIndex;
  readonly documents: readonly SearchDocument[];
  /** Ids of the found documents, per turn with calls. */
  readonly found: string[][];
};

/** The lookup instance with the same seed and split. */
function instanceOf(reference: TaskReference): LookupInstance {
  if (reference.environment !== NAME) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `the task belongs to environment "${reference.environment.slice(0, 64)}", not "${NAME}"`,
    );
  }
  return lookupInstance({ ...reference, environment: LOOKUP_ENVIRONMENT });
}

function idOf(person: string, field: string): string {
  return `${person}-${field}`;
}

/** One document per fact: person, field and value. */
function documentsOf({ fact }: LookupInstance): SearchDocument[] {
  return PEOPLE.flatMap((person) =>
    FIELDS.map((field) => ({
      id: idOf(person, field),
      text: `${person} ${field} ${fact(person, field)}`,
    })),
  );
}

/** Ids of the documents that the answer depends on, in the order of the question. */
function relevantTo({ start, path, reached }: LookupInstance): string[] {
  const people = [start, ...reached];
  return [...path, ATTRIBUTE].map((field, hop) => idOf(people[hop] as string, field));
}

function shown(found: readonly SearchDocument[], { found: seen }: LibraryState): string {
  seen.at(-1)?.push(...found.map(({ id }) => id));
  if (found.length === 0) throw new WaggleError("TOOL_FAILED", "nothing found");
  return found.map(({ text }) => text).join("; ");
}

/** Four ways to find documents: by similarity, by all words, by person, and by counting. */
const TOOLS: RunnableTools<LibraryState> = {
  search: tool({
    description: "Documents like a query.",
    schema: z.strictObject({ query: z.string().max(48) }),
    run: ({ query }, library: LibraryState) => shown(library.index.ranked(query, SHOWN), library),
  }),
  find: tool({
    description: "Documents with all of these words.",
    schema: z.strictObject({ words: z.string().max(48) }),
    run: ({ words }, library: LibraryState) => shown(library.index.holding(words, SHOWN), library),
  }),
  about: tool({
    description: "Documents about a person.",
    schema: z.strictObject({ name: z.string().max(16) }),
    run: ({ name }, library: LibraryState) =>
      shown(
        library.documents.filter(({ id }) => id.split("-")[0] === name),
        library,
      ),
  }),
  count: tool({
    description: "How many documents have a word.",
    schema: z.strictObject({ word: z.string().max(16) }),
    run: ({ word }, { index, documents }: LibraryState) =>
      String(index.holding(word, documents.length).length),
  }),
};

/** The request: a question, or a text with blanks whose last one is asked for, as "ann boss _, _ city ?". */
function requestOf(instance: LookupInstance, seed: number): { template: string; request: string } {
  const { start, path } = instance;
  const isMasked = mulberry32(hashText(`words/${seed}`))() < 0.5;
  if (!isMasked) {
    const whom = path.reduce((words: string, relation) => `the ${relation} of ${words}`, start);
    return { template: "question", request: `Where does ${whom} live?` };
  }
  const fields = [...path, ATTRIBUTE];
  const blanks = fields.map(
    (field, hop) => `${hop === 0 ? start : "_"} ${field} ${hop === fields.length - 1 ? "?" : "_"}`,
  );
  return { template: "blanks", request: `Fill in: ${blanks.join(", ")}` };
}

function task(reference: TaskReference, instance = instanceOf(reference)): Task {
  return {
    ...reference,
    ...requestOf(instance, reference.seed),
    kind: `hops-${instance.path.length + 1}`,
    system: "You search documents.",
  };
}

/** A call of the careful demonstrator, with one of three suitable tools. */
function callFor(person: string, field: string, random: () => number) {
  const way = random();
  if (way < 0.6) return { name: "search", arguments: { query: `${person} ${field}` } };
  if (way < 0.8) return { name: "find", arguments: { words: `${person} ${field}` } };
  return { name: "about", arguments: { name: person } };
}

function demonstrator(
  reference: TaskReference,
  random: () => number,
  mistakes: number,
  { start, path } = instanceOf(reference),
): Demonstrator {
  let person: string = start;
  let hop = 0;
  let asked: string | null = null;
  return (observation) => {
    const result = observation?.toolResults[0];
    if (asked !== null) {
      const lines = result?.ok === true ? String(result.value).split("; ") : [];
      // A mistake reads the first line, whoever it is about.
      const isCareless = random() < mistakes / 3;
      const line = isCareless
        ? lines[0]
        : lines.find((text) => text.startsWith(`${person} ${asked} `));
      // Lists all documents about the person if the search did not show the right one.
      if (line === undefined && !isCareless) {
        return { text: "", calls: [{ name: "about", arguments: { name: person } }] };
      }
      const value = line?.split(" ")[2];
      if (asked === ATTRIBUTE) return { text: value ?? pick(random, CITIES), calls: [] };
      person = value ?? person;
    } else if (random() < mistakes / 4) {
      return { text: pick(random, CITIES), calls: [] };
    }
    const relation = path[hop];
    hop += 1;
    // Another mistake stops a hop early.
    asked = relation === undefined || random() < mistakes / 2 ? ATTRIBUTE : relation;
    return { text: "", calls: [callFor(person, asked, random)] };
  };
}

/** The environment of the documents and tools, with the record of what each turn found. */
function searchable(task: Task, instance: LookupInstance): readonly [Environment, LibraryState] {
  const documents = documentsOf(instance);
  const library: LibraryState = { index: searchIndex(documents), documents, found: [] };
  const environment = createToolEnvironment({ task, tools: TOOLS, state: library });
  const step: Environment["step"] = (action, signal) => {
    if (action.toolCalls.length > 0) library.found.push([]);
    return environment.step(action, signal);
  };
  return [{ task: environment.task, observe: () => environment.observe(), step }, library];
}

function create(reference: TaskReference, instance = instanceOf(reference)): JudgedEnvironment {
  const [environment, library] = searchable(task(reference, instance), instance);
  return {
    environment,
    judge: (finalText) => {
      const named = CITIES.filter((city) =>
        finalText
          ?.toLowerCase()
          .split(/[^a-z]+/)
          .includes(city),
      );
      const success = named.length === 1 && named[0] === instance.answer;
      return {
        reward: success ? 1 : 0,
        success,
        parts: {
          answer: instance.answer,
          found: library.found.map((ids) => ids.join(" ")).join("|"),
          relevant: relevantTo(instance).join(" "),
        },
      };
    },
  };
}

const ENVIRONMENT = {
  ...leveledReferences(NAME, LOOKUP_LEVELS),
  maxTurns: 8,
  task,
  create,
  demonstrator,
};

/** The question that a text asks about these documents; `null` if it asks none. */
function proposed(text: string, reference: TaskReference): LookupInstance | null {
  return proposedQuestion(text, { ...reference, environment: LOOKUP_ENVIRONMENT });
}

function proposerTask(reference: TaskReference): Task {
  const { start } = instanceOf(reference);
  return {
    ...reference,
    kind: "proposal",
    template: "0",
    system: "You set tasks.",
    request: `Search from ${start} and set a question.`,
  };
}

/** Reads about people along a path and asks for its end. A mistake asks before reading that far. */
function proposer(reference: TaskReference, random: () => number, mistakes: number): Demonstrator {
  const { start, fact } = instanceOf(reference);
  const path = drawnPath({ ...reference, environment: LOOKUP_ENVIRONMENT }, random);
  const people: string[] = [start];
  for (const relation of path) people.push(fact(people.at(-1) as Person, relation));
  let read = 0;
  return () => {
    if (read === people.length || random() < mistakes / 2) {
      return { text: `Where does ${wordsFor({ start, path })} live?`, calls: [] };
    }
    read += 1;
    return {
      text: "",
      calls: [{ name: "about", arguments: { name: people[read - 1] as string } }],
    };
  };
}

/** Levels are questions that need 1, 2 and 3 documents. A proposed question must be answerable from documents that the proposer read. */
export const LIBRARY: EnvironmentSpec = {
  ...ENVIRONMENT,
  features: ["search"],
  proposals: {
    proposer: {
      ...ENVIRONMENT,
      maxTurns: 5,
      task: proposerTask,
      create: (reference) => {
        const [environment, library] = searchable(proposerTask(reference), instanceOf(reference));
        return {
          environment,
          judge: (finalText) => {
            const asked = proposed(finalText ?? "", reference);
            const read = new Set(library.found.flat());
            const success = asked !== null && relevantTo(asked).every((id) => read.has(id));
            return { reward: success ? 1 : 0, success, parts: { answer: asked?.answer ?? "" } };
          },
        };
      },
      demonstrator: proposer,
    },
    solver: proposalSolver(ENVIRONMENT, proposed, { task, create, demonstrator }),
  },
};
