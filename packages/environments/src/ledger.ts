/**
 * Documents about goods and prices, for a proposer that sets calculator tasks. A proposed sum is valid only
 * if all its numbers were found in the documents. The solver gets only the sum. This is not an environment
 * of its own.
 */
import { pick, integerBelow } from "./draw.ts";
import {
  type Environment,
  type Task,
  type TaskReference,
  WaggleError,
  mulberry32,
  hashText,
  type RandomSource,
} from "@waggle/protocol";
import { z } from "zod";
import { type SearchDocument, type SearchIndex, searchIndex } from "./library/search-index.ts";
import { type RunnableTools, tool } from "./runnable-tool.ts";
import type { Demonstrator, EnvironmentSpec } from "./environment-spec.ts";
import { createToolEnvironment } from "./tool-environment.ts";

const PLACES = ["mill", "farm", "port", "inn", "mine", "yard"] as const;
const GOODS = ["sacks", "crates", "barrels", "carts"] as const;
/** Number of documents about each place, and of search results. */
const PER_PLACE = 2;
/** Number of sums that a careful demonstrator tries before it proposes the last one. */
const DRAWS = 32;

type Ledger = {
  readonly index: SearchIndex;
  /** Numbers in the search results so far. */
  readonly read: Set<string>;
};

/** Whether a text is a valid sum for the reference. */
type IsSum = (text: string, reference: TaskReference) => boolean;

/** One line per sale: place, number of goods and price. */
function documentsOf({ split, seed }: TaskReference): SearchDocument[] {
  const random = mulberry32(hashText(`ledger/${split}/${seed}`));
  const number = (): number => 2 + integerBelow(random, 48);
  return PLACES.flatMap((place) =>
    Array.from({ length: PER_PLACE }, (_, i) => ({
      id: `${place}-${i}`,
      text: `${place} ${number()} ${pick(random, GOODS)} at ${number()}`,
    })),
  );
}

const TOOLS: RunnableTools<Ledger> = {
  search: tool({
    description: "Lines of the ledger like a query.",
    schema: z.strictObject({ query: z.string().max(48) }),
    run: ({ query }, { index, read }: Ledger) => {
      const found = index.ranked(query, PER_PLACE).map(({ text }) => text);
      if (found.length === 0) throw new WaggleError("TOOL_FAILED", "nothing found");
      for (const number of numbersOf(found.join(" "))) read.add(number);
      return found.join("; ");
    },
  }),
};

function numbersOf(text: string): readonly string[] {
  return text.match(/\d+/g) ?? [];
}

function placeOf({ seed }: TaskReference): string {
  return PLACES[hashText(`place/${seed}`) % PLACES.length] as string;
}

function taskOf(reference: TaskReference): Task {
  return {
    ...reference,
    kind: "proposal",
    template: "ledger",
    system: "You set tasks.",
    request: `Search for the ${placeOf(reference)} and set a sum.`,
  };
}

/** A sum of two or three of the given numbers, each used once, in random order. */
function drawnSum(numbers: readonly string[], random: RandomSource): string {
  const left = [...numbers];
  const take = (): string => left.splice(integerBelow(random, left.length), 1)[0] ?? "1";
  return Array.from({ length: 1 + integerBelow(random, 2) }).reduce<string>(
    (sum) => `${sum}${pick(random, ["+", "*"])}${take()}`,
    take(),
  );
}

/** Searches for a place and proposes a sum of the numbers it read. A mistake uses numbers it did not read. */
function demonstrator(
  reference: TaskReference,
  random: RandomSource,
  mistakes: number,
  isSum: IsSum,
): Demonstrator {
  return (observation) => {
    const result = observation?.toolResults[0];
    const guesses = random() < mistakes / 2;
    if (result === undefined && !guesses) {
      return { text: "", calls: [{ name: "search", arguments: { query: placeOf(reference) } }] };
    }
    const read = result?.ok === true && !guesses ? numbersOf(String(result.value)) : [];
    const numbers = read.length > 2 ? read : ["12", "7", "35"];
    let sum = drawnSum(numbers, random);
    for (let i = 0; i < DRAWS && !isSum(sum, reference); i += 1) sum = drawnSum(numbers, random);
    return { text: sum, calls: [] };
  };
}

/** The proposer's environment for a spec whose tasks are sums. */
export function ledgerProposer(spec: EnvironmentSpec, isSum: IsSum): EnvironmentSpec {
  return {
    ...spec,
    maxTurns: 3,
    task: taskOf,
    create: (reference) => {
      const ledger: Ledger = { index: searchIndex(documentsOf(reference)), read: new Set() };
      const environment: Environment = createToolEnvironment({
        task: taskOf(reference),
        tools: TOOLS,
        state: ledger,
      });
      return {
        environment,
        judge: (finalText) => {
          const said = finalText ?? "";
          const isRead = numbersOf(said).every((number) => ledger.read.has(number));
          const success = isSum(said, reference) && isRead;
          return { reward: success ? 1 : 0, success, parts: {} };
        },
      };
    },
    demonstrator: (reference, random, mistakes) => demonstrator(reference, random, mistakes, isSum),
  };
}
