/** Samples texts under masks and validates them with an independent validator. */
import { Validator } from "@cfworker/json-schema";
import type { JsonSchema } from "@waggle/protocol";
import type { Compiled, Matcher } from "./masker.ts";
import type { BenchVocabulary } from "./vocabularies.ts";

/** Token budget of one draw. */
export const DRAW_BUDGET = 160;

/** Results of several draws. */
export type Draws = {
  /** Texts that ended within the budget and are valid. */
  readonly valid: readonly string[];
  readonly invalid: readonly string[];
  readonly unfinished: number;
};

/** Draws uniformly among the allowed tokens. */
export async function draw(
  compiled: Compiled,
  vocabulary: BenchVocabulary,
  options: {
    readonly count: number;
    readonly schema: JsonSchema;
    readonly random: () => number;
    readonly budget?: number;
  },
): Promise<Draws> {
  const { count, schema, random, budget = DRAW_BUDGET } = options;
  const valid: string[] = [];
  const invalid: string[] = [];
  let unfinished = 0;
  for (let i = 0; i < count; i++) {
    const text = await drawOne(compiled, vocabulary, budget, random);
    if (text === null) unfinished++;
    else (isValidText(schema, text) ? valid : invalid).push(text);
  }
  return { valid, invalid, unfinished };
}

async function drawOne(
  compiled: Compiled,
  vocabulary: BenchVocabulary,
  budget: number,
  random: () => number,
): Promise<string | null> {
  const matcher = await compiled.createMatcher();
  const ids: number[] = [];
  try {
    for (let left = budget; left > 0; left--) {
      const allowed = idsOf(await matcher.mask(left), vocabulary.tokens.length);
      if (allowed.length === 0) return null;
      const id = allowed[Math.floor(random() * allowed.length)] as number;
      if (vocabulary.stopTokenIds.includes(id)) return vocabulary.decode(ids);
      matcher.accept(id);
      ids.push(id);
    }
    return null;
  } finally {
    matcher.dispose();
  }
}

function idsOf(mask: ArrayLike<number>, size: number): number[] {
  const ids: number[] = [];
  for (let id = 0; id < size; id++) if (allows(mask, id)) ids.push(id);
  return ids;
}

/** Whether a mask allows a token. */
export function allows(mask: ArrayLike<number>, id: number): boolean {
  return ((mask[id >> 5] ?? 0) & (1 << (id & 31))) !== 0;
}

function isValidText(schema: JsonSchema, text: string): boolean {
  try {
    return new Validator(structuredClone(schema), "2020-12").validate(JSON.parse(text)).valid;
  } catch {
    return false;
  }
}

/** Whether a text can be generated, including its end. */
export async function accepts(
  compiled: Compiled,
  vocabulary: BenchVocabulary,
  text: string,
): Promise<boolean> {
  const ids = vocabulary.encode(text);
  const matcher: Matcher = await compiled.createMatcher();
  try {
    // Far more than needed, so that the budget forbids nothing.
    let left = ids.length + 10_000;
    for (const id of ids) {
      if (!allows(await matcher.mask(left--), id) || !matcher.accept(id)) return false;
    }
    const last = await matcher.mask(left);
    return vocabulary.stopTokenIds.some((id) => allows(last, id));
  } finally {
    matcher.dispose();
  }
}
