/**
 * A tokenizer's vocabulary as a trie over symbols. Ordinary tokens are their bytes. Special tokens are not in the
 * trie, so they are never sampled inside a grammar. An added token that serves as a marker of a tool-call format
 * is a symbol of its own; all other added tokens share one symbol.
 */
import { WaggleError } from "@waggle/protocol";
import { tokenBytes } from "../token-bytes.ts";
import type { TokenizerJson } from "../tokenizer-json.ts";

/** The symbols that spell a token. */
type Symbols = Uint8Array | Uint16Array;

/** The symbol of added tokens that are neither special nor markers, such as `<think>` and runs of newlines. */
export const OTHER_ADDED_SYMBOL = 256;

/** The tokens of one model. */
export type Vocabulary = {
  /** Number of ids, and of bits in a mask. At least the tokenizer's; a model may have more. */
  readonly size: number;
  /** Number of symbols: bytes, `OTHER_ADDED_SYMBOL`, markers. */
  readonly alphabet: number;
  /** Symbols of markers that are single tokens, by text. */
  readonly markers: ReadonlyMap<string, number>;
  readonly trie: TokenTrie;
  /** Tokens of plain characters only, which are most of a vocabulary, and all other tokens. */
  readonly plain: {
    readonly bits: Uint32Array;
    /** Plain tokens by their number of characters. */
    readonly byLength: ReadonlyMap<number, TokenSet>;
    readonly others: TokenTrie;
  };
  /** Symbols of a token; `undefined` if no grammar can produce it. */
  symbolsOf(tokenId: number): Symbols | undefined;
};

/** A set of tokens: a list of ids if they are few, a bit mask if they are many. */
export type TokenSet = { readonly ids: Int32Array; readonly bits: Uint32Array | null };

/** @param words - length of a mask of the vocabulary. */
export function tokenSet(tokens: readonly number[], words: number): TokenSet {
  if (tokens.length <= words) return { ids: Int32Array.from(tokens), bits: null };
  const bits = new Uint32Array(words);
  for (const id of tokens) bits[id >> 5]! |= 1 << (id & 31);
  return { ids: new Int32Array(0), bits };
}

/**
 * All tokens in order of their symbols, one entry per node, parents before children. Node 0 is the first child of
 * the root.
 */
export type TokenTrie = {
  readonly symbols: Uint16Array;
  /** 1 for children of the root. */
  readonly depths: Uint16Array;
  /** The node after this one's subtree. */
  readonly ends: Int32Array;
  /** A token that ends at this node; -1 if there is none. */
  readonly tokens: Int32Array;
  /** Another token with the same symbols as this token id; -1 if there is none. */
  readonly twins: Int32Array;
  readonly maxDepth: number;
};

/**
 * Reads the vocabulary of a tokenizer.
 *
 * @param markers - texts that tool-call formats use. Those that are added tokens get their own symbol.
 * @param size - size of the model's vocabulary. Default: the tokenizer's.
 * @throws WaggleError `TOKENIZER_UNSUPPORTED` if a byte has no token, since a grammar could then require text
 *   that cannot be generated.
 */
export function createVocabulary(
  json: TokenizerJson,
  markers: readonly string[],
  size?: number,
): Vocabulary {
  const bytes = tokenBytes(json);
  const markerSymbols = new Map<string, number>();
  const symbols = new Map<number, Symbols>();
  for (let id = 0; id < bytes.size; id++) {
    const own = bytes.of(id);
    if (own !== undefined && own.length > 0) symbols.set(id, own);
  }
  for (const { id, content, special } of json.added_tokens ?? []) {
    symbols.delete(id);
    if (markers.includes(content)) {
      const symbol = OTHER_ADDED_SYMBOL + 1 + markerSymbols.size;
      markerSymbols.set(content, symbol);
      symbols.set(id, Uint16Array.of(symbol));
    } else if (!special) symbols.set(id, Uint16Array.of(OTHER_ADDED_SYMBOL));
  }
  requireBytes(symbols);
  const allIds = Math.max(bytes.size, size ?? 0);
  const entries = [...symbols].sort(([, a], [, b]) => compare(a, b));
  const words = (allIds + 31) >> 5;
  const bits = new Uint32Array(words);
  const byLength = new Map<number, number[]>();
  const others = entries.filter(([id, path]) => {
    const length = plainLength(path);
    if (length === null) return true;
    bits[id >> 5]! |= 1 << (id & 31);
    const same = byLength.get(length);
    if (same === undefined) byLength.set(length, [id]);
    else same.push(id);
    return false;
  });
  return {
    size: allIds,
    alphabet: OTHER_ADDED_SYMBOL + 1 + markerSymbols.size,
    markers: markerSymbols,
    trie: createTrie(entries, allIds),
    plain: {
      bits,
      byLength: new Map(Array.from(byLength, ([length, ids]) => [length, tokenSet(ids, words)])),
      others: createTrie(others, allIds),
    },
    symbolsOf: (tokenId) => symbols.get(tokenId),
  };
}

/** Characters that can begin or end something in JSON, Python, tags or markers. */
const SIGNS: ReadonlySet<number> = new Set(new TextEncoder().encode("\"'\\<>[]{}|"));

/** ASCII characters that are literal text in every format. */
export const PLAIN_ASCII: readonly number[] = Array.from(
  { length: 0x5f },
  (_, i) => 0x20 + i,
).filter((byte) => !SIGNS.has(byte));

const plainAscii = new Set(PLAIN_ASCII);

/** Number of characters if all are plain ASCII or longer than one byte; `null` for other or partial characters. */
function plainLength(path: Symbols): number | null {
  let isLong = false;
  for (const symbol of path) {
    if (symbol >= 0x80 && symbol < 256) isLong = true;
    else if (!plainAscii.has(symbol)) return null;
  }
  if (!isLong) return path.length;
  const text = decoder.decode(Uint8Array.from(path));
  return text.includes("\ufffd") ? null : Array.from(text).length;
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Bytes that never occur in UTF-8. */
const isOutsideUtf8 = (byte: number): boolean => byte === 0xc0 || byte === 0xc1 || byte > 0xf4;

function requireBytes(symbols: ReadonlyMap<number, Symbols>): void {
  const single = new Set([...symbols.values()].filter((s) => s.length === 1).map((s) => s[0]));
  for (let byte = 0; byte < 256; byte++) {
    if (single.has(byte) || isOutsideUtf8(byte)) continue;
    throw new WaggleError(
      "TOKENIZER_UNSUPPORTED",
      `the tokenizer has no token for the byte 0x${byte.toString(16)}, which grammars need; use a byte-level or byte-fallback tokenizer`,
    );
  }
}

/** @param entries - ids with their symbols, sorted by symbols. */
function createTrie(entries: readonly (readonly [number, Symbols])[], size: number): TokenTrie {
  const maxNodes = entries.reduce((sum, [, path]) => sum + path.length, 0);
  const symbols = new Uint16Array(maxNodes);
  const depths = new Uint16Array(maxNodes);
  const ends = new Int32Array(maxNodes);
  const tokens = new Int32Array(maxNodes);
  const twins = new Int32Array(size).fill(-1);
  /** Nodes on the path to the last one. */
  const open: number[] = [];
  let count = 0;
  let maxDepth = 0;
  let previous: Symbols = new Uint8Array(0);
  for (const [id, path] of entries) {
    const shared = commonLength(previous, path);
    if (shared === path.length) {
      // Equal paths are adjacent after sorting, so the last node belongs to this path.
      twins[id] = tokens[count - 1] as number;
      tokens[count - 1] = id;
      continue;
    }
    while (open.length > shared) ends[open.pop() as number] = count;
    for (let at = shared; at < path.length; at++) {
      symbols[count] = path[at] as number;
      depths[count] = at + 1;
      tokens[count] = at === path.length - 1 ? id : -1;
      open.push(count++);
    }
    maxDepth = Math.max(maxDepth, path.length);
    previous = path;
  }
  for (const node of open) ends[node] = count;
  return {
    symbols: symbols.slice(0, count),
    depths: depths.slice(0, count),
    ends: ends.slice(0, count),
    tokens: tokens.slice(0, count),
    twins,
    maxDepth,
  };
}

function compare(a: Symbols, b: Symbols): number {
  const shared = commonLength(a, b);
  if (shared === a.length || shared === b.length) return a.length - b.length;
  return (a[shared] as number) - (b[shared] as number);
}

function commonLength(a: Symbols, b: Symbols): number {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length++;
  return length;
}
