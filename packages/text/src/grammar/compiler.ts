/**
 * `GrammarCompiler` for a model's tokenizer files: turns a grammar spec into masks over the vocabulary. Pure
 * TypeScript without `eval` or WebAssembly, so that pages, workers and the trainer compute the same masks.
 *
 * web-xgrammar 0.1.27 is not used because it accepts schemas that it does not enforce (28 of 58 in
 * `docs/evidence/appendix/grammar.md`: number bounds, `multipleOf`, `uniqueItems`, `not`, merged schemas), which
 * gives invalid texts. It also cannot tell how many tokens a state still needs, which is required to close a text
 * within a budget.
 */
import { canonicalJson, sha256, WaggleError } from "@waggle/protocol";
import type {
  CompiledGrammar,
  GrammarCompiler,
  GrammarMatcher,
  GrammarSpec,
} from "@waggle/protocol";
import { readTokenizerJson } from "../tokenizer-files.ts";
import { Automaton, DEAD } from "./automaton.ts";
import { buildGrammar } from "./build-grammar.ts";
import type { ebnfExpression } from "./ebnf.ts";
import { Expressions } from "./expression.ts";
import { TokenAutomaton } from "./token-automaton.ts";
import { createVocabulary } from "./vocabulary.ts";
import type { Vocabulary } from "./vocabulary.ts";
import { TOOL_CALL_MARKERS } from "../tool-calls/markers.ts";

/** Overrides for a model. */
export type GrammarCompilerOptions = {
  /** Number of the model's logits, if larger than the tokenizer's vocabulary. */
  readonly vocabularySize?: number;
  /**
   * Tokens allowed once the grammar is complete. Default: those of the chat format, whose code is then loaded too.
   */
  readonly stopTokenIds?: readonly number[];
  /** Given where code cannot be loaded on demand. */
  readonly ebnf?: typeof ebnfExpression;
};

/** Number of compiled grammars in the cache (least recently used are dropped). */
const KEPT_GRAMMARS = 32;

/**
 * Creates a compiler for the tokenizer of a Hugging Face folder, given the files that `readChatFormat` reads, by
 * path. Files are read at the first `compile`.
 */
export function createGrammarCompiler(
  files: ReadonlyMap<string, Uint8Array>,
  options: GrammarCompilerOptions = {},
): GrammarCompiler {
  let loaded: Promise<TokenizerParts> | null = null;
  /** A rollout passes the same object at every turn. */
  const ids = new WeakMap<GrammarSpec, Promise<string>>();
  const idOf = (spec: GrammarSpec): Promise<string> => {
    const id = grammarId(spec);
    ids.set(spec, id);
    return id;
  };
  let kept = new Map<string, Promise<CompiledGrammar>>();
  let isDisposed = false;

  const load = async (): Promise<TokenizerParts> => {
    const json = readTokenizerJson(files);
    return {
      vocabulary: createVocabulary(json, TOOL_CALL_MARKERS, options.vocabularySize),
      stopTokenIds: options.stopTokenIds ?? (await stopTokensOf(files)),
    };
  };
  const parts = (): Promise<TokenizerParts> => {
    const loading = (loaded ??= load());
    loading.catch(() => (loaded = null));
    return loading;
  };

  const buildLoaded = async (spec: GrammarSpec, id: string): Promise<CompiledGrammar> => {
    const tokenizer = await parts();
    if (spec.kind !== "ebnf") return build(spec, id, tokenizer, null);
    const ebnf = options.ebnf ?? (await import("./ebnf.ts")).ebnfExpression;
    return build(spec, id, tokenizer, ebnf);
  };

  const compile = async (spec: GrammarSpec): Promise<CompiledGrammar> => {
    if (isDisposed) throw new WaggleError("DISPOSED", "the grammar compiler was disposed");
    const id = await (ids.get(spec) ?? idOf(spec));
    const known = kept.get(id);
    kept.delete(id);
    const compiled = known ?? buildLoaded(spec, id);
    kept.set(id, compiled);
    compiled.catch(() => kept.delete(id));
    for (const oldest of kept.keys()) {
      if (kept.size <= KEPT_GRAMMARS) break;
      kept.delete(oldest);
    }
    return compiled;
  };

  return {
    compile,
    dispose: () => {
      isDisposed = true;
      loaded = null;
      kept = new Map();
    },
  };
}

/** Id of a grammar: the SHA-256 of the spec's canonical JSON, in hex. */
export function grammarId(spec: GrammarSpec): Promise<string> {
  return sha256(canonicalJson(spec));
}

type TokenizerParts = {
  readonly vocabulary: Vocabulary;
  readonly stopTokenIds: readonly number[];
};

async function stopTokensOf(files: ReadonlyMap<string, Uint8Array>): Promise<readonly number[]> {
  const { readChatFormat } = await import("../model-chat-format.ts");
  return readChatFormat(files).stopTokenIds;
}

function build(
  spec: GrammarSpec,
  id: string,
  { vocabulary, stopTokenIds }: TokenizerParts,
  ebnf: typeof ebnfExpression | null,
): CompiledGrammar {
  const e = new Expressions();
  const root = buildGrammar(e, spec, vocabulary, ebnf);
  e.refuseLeftRecursion();
  const automaton = new Automaton(e, root, vocabulary.alphabet);
  if (automaton.shortestLength(automaton.start) === Infinity) {
    const why = [...new Set(e.contradictions)].slice(0, 3).join("; ");
    throw new WaggleError(
      "GRAMMAR_UNSUPPORTED",
      `${spec.kind === "tool-calls" ? "no tool call is valid" : "the grammar matches no text"}: ${why || "check for a schema that contains itself without an end, or a rule that never ends"}`,
    );
  }
  const tokens = new TokenAutomaton(automaton, vocabulary, !e.isNested);
  return { id, createMatcher: () => createMatcher(tokens, vocabulary.size, stopTokenIds) };
}

function createMatcher(
  tokens: TokenAutomaton,
  vocabularySize: number,
  stopTokenIds: readonly number[],
): GrammarMatcher {
  const words = new Uint32Array((vocabularySize + 31) >> 5);
  let state = tokens.start;
  let isDisposed = false;
  const requireLive = () => {
    if (isDisposed) throw new WaggleError("DISPOSED", "the grammar matcher was disposed");
  };

  return {
    nextMask: (remainingTokens) => {
      requireLive();
      words.fill(0);
      const any = state !== DEAD && tokens.mask(state, remainingTokens, words);
      const mayStop = state !== DEAD && remainingTokens > 0 && tokens.isAccepting(state);
      if (mayStop) for (const id of stopTokenIds) words[id >> 5]! |= 1 << (id & 31);
      if (any || mayStop) return words;
      throw new WaggleError(
        "INVALID_ARGUMENT",
        state === DEAD
          ? "the generation has already ended with its stop token"
          : `the grammar needs at least ${tokens.shortestCompletion(state)} more tokens (including the stop token), and ${remainingTokens} remain; raise maxTokens`,
      );
    },
    accept: (tokenId) => {
      requireLive();
      const isStop = stopTokenIds.includes(tokenId) && state !== DEAD && tokens.isAccepting(state);
      const next = isStop || state === DEAD ? DEAD : tokens.step(state, tokenId);
      if (next === DEAD && !isStop) {
        throw new WaggleError(
          "INVALID_ARGUMENT",
          `the mask does not allow token ${tokenId}; sample under the mask`,
        );
      }
      state = next;
    },
    get isComplete() {
      return state === DEAD || (tokens.isAccepting(state) && tokens.isFinished(state));
    },
    dispose: () => {
      isDisposed = true;
    },
  };
}
