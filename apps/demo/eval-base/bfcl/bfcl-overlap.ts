/** What the training data of an environment shares with the leaderboard's cases. It must share nothing. */
import type { EnvironmentSpec } from "@waggle/environments";
import { derivedSeed, seededRandom } from "@waggle/protocol";
import type { Observation } from "@waggle/protocol";
import { readBfclCases, toolName } from "./bfcl-cases.ts";
import type { BfclCase, BfclSchema } from "./bfcl-cases.ts";

/** Names and wordings that both have. */
export type BfclOverlap = {
  /** Function names, as the name of a tool or, if no ordinary word, anywhere in a text. */
  readonly names: readonly string[];
  /** Eight words in a row, without regard to case and punctuation. */
  readonly grams: readonly string[];
};

const GRAM = 8;
const MISTAKES = 0.3;

/** Compares `count` training tasks with their demonstrations; every other demonstration makes mistakes. */
export async function bfclOverlap(
  spec: EnvironmentSpec,
  count: number,
  { seed = 1, cases = readBfclCases() }: { seed?: number; cases?: readonly BfclCase[] } = {},
): Promise<BfclOverlap> {
  const known = knownOf(cases);
  const names = new Set<string>();
  const grams = new Set<string>();
  for (let nth = 0; nth < count; nth += 1) {
    const { tools, texts } = await trainingText(spec, nth, seed);
    for (const name of tools) if (known.names.has(name)) names.add(name);
    for (const text of texts) {
      for (const word of text.match(/\w+(?:\.\w+)*/g) ?? []) {
        if (known.names.has(word) && /[a-z][A-Z]|[._]/.test(word)) names.add(word);
      }
      for (const gram of gramsOf(text)) if (known.grams.has(gram)) grams.add(gram);
    }
  }
  return { names: [...names].sort(), grams: [...grams].sort() };
}

function knownOf(cases: readonly BfclCase[]): {
  readonly names: ReadonlySet<string>;
  readonly grams: ReadonlySet<string>;
} {
  const functions = cases.flatMap((one) => one.functions);
  const texts = [
    ...cases.map(({ question }) => question),
    ...functions.flatMap(({ description, parameters }) => [description, ...textsOf(parameters)]),
  ];
  return {
    names: new Set(functions.flatMap(({ name }) => [name, toolName(name)])),
    grams: new Set(texts.flatMap(gramsOf)),
  };
}

function textsOf({ description, items, properties = {} }: BfclSchema): string[] {
  const inner = [...Object.values(properties), ...(items === undefined ? [] : [items])];
  return [...(description === undefined ? [] : [description]), ...inner.flatMap(textsOf)];
}

function gramsOf(text: string): string[] {
  const words = text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return words
    .slice(0, Math.max(0, words.length - GRAM + 1))
    .map((_, start) => words.slice(start, start + GRAM).join(" "));
}

/** Everything that a model reads or learns to say in one training task. */
async function trainingText(
  spec: EnvironmentSpec,
  nth: number,
  seed: number,
): Promise<{ readonly tools: readonly string[]; readonly texts: readonly string[] }> {
  const reference = spec.reference(derivedSeed(seed, nth), "train", nth % spec.levels);
  const random = seededRandom(seed, nth);
  const act = await spec.demonstrator(reference, random, nth % 2 === 0 ? 0 : MISTAKES);
  const { environment } = spec.create(reference);
  const { system, tools, userMessage } = await environment.observe();
  const texts = [system, userMessage, ...tools.map((tool) => JSON.stringify(tool))];
  const { signal } = new AbortController();
  let heard: Observation | null = null;
  for (let turn = 0; turn < spec.maxTurns && heard?.terminated !== true; turn += 1) {
    const { text, calls } = act(heard);
    const toolCalls = calls.map((call, at) => ({ id: `c${turn}-${at}`, ...call }));
    heard = await environment.step({ text, toolCalls }, signal);
    const { toolResults, userMessage: reply = "" } = heard;
    texts.push(text, JSON.stringify(calls), JSON.stringify(toolResults), reply);
  }
  return { tools: tools.map(({ name }) => name), texts };
}
