/** A small tokenizer and a sampler under masks, for tests of grammars. */
import type { CompiledGrammar, GrammarMatcher, GrammarSpec } from "@waggle/protocol";
import { BYTE_CHARACTERS } from "../byte-level.ts";
import { createGrammarCompiler } from "./compiler.ts";

/** Ids 0 and 1 are the control tokens that a chat format needs. */
export const STOP = 0;
const SPECIAL: readonly string[] = ["<|im_end|>", "<|im_start|>"];

const TEMPLATE =
  "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}";

/** Files of a byte-level tokenizer: control tokens, the bytes, then `words`. */
export function tokenizerFiles(
  words: readonly string[],
  added: readonly { readonly content: string; readonly special: boolean }[] = [],
): Map<string, Uint8Array> {
  const encoder = new TextEncoder();
  const spell = (word: string) =>
    Array.from(encoder.encode(word), (byte) => BYTE_CHARACTERS[byte]).join("");
  const tokens = [...SPECIAL, ...BYTE_CHARACTERS, ...words.map(spell)];
  const vocab = Object.fromEntries(tokens.map((token, id) => [token, id]));
  const all = [...SPECIAL.map((content) => ({ content, special: true })), ...added];
  const json = {
    model: { type: "BPE", vocab, merges: [] },
    decoder: { type: "ByteLevel" },
    pre_tokenizer: { type: "ByteLevel", add_prefix_space: false, use_regex: false },
    added_tokens: all.map((token, at) => ({
      ...token,
      id: at < SPECIAL.length ? at : tokens.length + at - SPECIAL.length,
    })),
  };
  const file = (value: unknown) => encoder.encode(JSON.stringify(value));
  return new Map([
    ["tokenizer.json", file(json)],
    ["tokenizer_config.json", file({ eos_token: "<|im_end|>", chat_template: TEMPLATE })],
  ]);
}

export const compile = (
  spec: GrammarSpec,
  words: readonly string[] = [],
): Promise<CompiledGrammar> => createGrammarCompiler(tokenizerFiles(words)).compile(spec);

/** Ids whose bits are set. */
export function idsOf(mask: Uint32Array | null): number[] {
  const ids: number[] = [];
  mask?.forEach((word, at) => {
    for (let bit = 0; bit < 32; bit++) if (word & (1 << bit)) ids.push(at * 32 + bit);
  });
  return ids;
}

/** Whether a grammar allows a whole text. */
export async function allows(spec: GrammarSpec, text: string): Promise<boolean> {
  const matcher = (await compile(spec)).createMatcher();
  const isAllowed = (id: number): boolean => idsOf(matcher.nextMask(10_000)).includes(id);
  for (const byte of new TextEncoder().encode(text)) {
    const id = SPECIAL.length + byte;
    if (!isAllowed(id)) return false;
    matcher.accept(id);
  }
  return isAllowed(STOP);
}

/** The smallest possible budget, taken from the error for a budget of 0. */
export function shortestBudget(grammar: CompiledGrammar): number {
  try {
    grammar.createMatcher().nextMask(0);
  } catch (error) {
    return Number(/at least (\d+)/.exec(String(error))?.[1]);
  }
  throw new Error("a budget of 0 was accepted");
}

/** Samples uniformly under the masks until the stop token. Returns the ids without it. */
export function sample(
  grammar: CompiledGrammar,
  maxTokens: number,
  random: () => number,
  stop: number = STOP,
): number[] {
  const matcher: GrammarMatcher = grammar.createMatcher();
  const ids: number[] = [];
  for (let left = maxTokens; left > 0; left--) {
    const allowed = idsOf(matcher.nextMask(left));
    const id = allowed[Math.floor(random() * allowed.length)] as number;
    matcher.accept(id);
    if (id === stop) return ids;
    ids.push(id);
  }
  throw new Error(`no stop token within ${maxTokens}`);
}
