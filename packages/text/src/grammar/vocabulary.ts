/**
 * A tokenizer's vocabulary as a trie over symbols. Ordinary tokens are their bytes. Special tokens
 * have no place in it and so can never be sampled inside a grammar; an added token that a tool-call
 * format uses as a marker is one symbol of its own, other added tokens share one.
 */
import { WaggleError } from "@waggle/protocol";
import { tokenBytes } from "../token-bytes.ts";
import type { TokenizerJson } from "../tokenizer-json.ts";

/** What a token is spelled with. */
type Symbols = Uint8Array | Uint16Array;

/** Any added token that is not special and no marker: `<think>`, runs of newlines. */
export const OTHER_ADDED_SYMBOL = 256;

export type Vocabulary = {
  /** Ids are below it; bits of a mask. At least the tokenizer's, a model's may be larger. */
  readonly size: number;
  /** Number of symbols: bytes, `OTHER_ADDED_SYMBOL`, markers. */
  readonly alphabet: number;
  /** The symbol of a marker that is one token, by its text. */
  readonly markers: ReadonlyMap<string, number>;
  readonly trie: TokenTrie;
  /** Tokens of plain characters alone, most of a vocabulary; and all the others. */
  readonly plain: {
    readonly bits: Uint32Array;
    /** The same by how many characters they have. */
    readonly byLength: ReadonlyMap<number, TokenSet>;
    readonly others: TokenTrie;
  };
  /** Symbols of a token; `undefined` for one that no grammar can give. */
  symbolsOf(tokenId: number): Symbols | undefined;
};

/** Tokens: ids where they are few, bits where they are many. */
export type TokenSet = { readonly ids: Int32Array; readonly bits: Uint32Array | null };

/** @param words - of a mask of the vocabulary. */
export function tokenSet(tokens: readonly number[], words: number): TokenSet {
  if (tokens.length <= words) return { ids: Int32Array.from(tokens), bits: null };
  const bits = new Uint32Array(words);
  for (const id of tokens) bits[id >> 5]! |= 1 << (id & 31);
  return { ids: new Int32Array(0), bits };
}

/**
 * All tokens in the order of their symbols, one entry a node, parents before children. Node 0 is
 * the first child of the root.
 */
export type TokenTrie = {
  readonly symbols: Uint16Array;
  /** 1 for children of the root. */
  readonly depths: Uint16Array;
  /** The node after everything below this one. */
  readonly ends: Int32Array;
  /** A token that ends here, -1 for none. */
  readonly tokens: Int32Array;
  /** Another token with the same symbols as token id, -1 for none. */
  readonly twins: Int32Array;
  readonly maxDepth: number;
};

/**
 * @param markers - texts that tool-call formats use; those that are added tokens get a symbol.
 * @param size - the model's vocabulary; absent = the tokenizer's.
 * @throws WaggleError `TOKENIZER_UNSUPPORTED` where a byte that text can have has no token: a
 *   grammar could then ask for what cannot be said.
 */
export function createVocabulary(
  json: TokenizerJson,
  markers: readonly string[],
  size?: number,
): Vocabulary {
  const bytes = tokenBytes(json);
  const markerSymbols = new Map<string, number>();
  const symbols = new Map<number, Symbols>();
  for (const [id, own] of bytes) if (own.length > 0) symbols.set(id, own);
  for (const { id, content, special } of json.added_tokens ?? []) {
    symbols.delete(id);
    if (markers.includes(content)) {
      const symbol = OTHER_ADDED_SYMBOL + 1 + markerSymbols.size;
      markerSymbols.set(content, symbol);
      symbols.set(id, Uint16Array.of(symbol));
    } else if (!special) symbols.set(id, Uint16Array.of(OTHER_ADDED_SYMBOL));
  }
  const known = [...bytes.keys()].reduce((a, b) => Math.max(a, b + 1), 0);
  requireBytes(symbols);
  const allIds = Math.max(known, size ?? 0);
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

/** Signs that end or begin something in JSON, Python, tags or markers. */
const SIGNS: ReadonlySet<number> = new Set(new TextEncoder().encode("\"'\\<>[]{}|"));

/** ASCII that stands for itself in texts of every format. */
export const PLAIN_ASCII: readonly number[] = Array.from(
  { length: 0x5f },
  (_, i) => 0x20 + i,
).filter((byte) => !SIGNS.has(byte));

const plainAscii = new Set(PLAIN_ASCII);

/** How many characters: plain ASCII, and whatever is longer than a byte. `null`: others, or parts. */
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

/** Bytes that UTF-8 never has. */
const isOutsideUtf8 = (byte: number): boolean => byte === 0xc0 || byte === 0xc1 || byte > 0xf4;

function requireBytes(symbols: ReadonlyMap<number, Symbols>): void {
  const single = new Set([...symbols.values()].filter((s) => s.length === 1).map((s) => s[0]));
  for (let byte = 0; byte < 256; byte++) {
    if (single.has(byte) || isOutsideUtf8(byte)) continue;
    throw new WaggleError(
      "TOKENIZER_UNSUPPORTED",
      `a grammar needs a token for every byte, got none for 0x${byte.toString(16)}; use a byte-level or byte-fallback tokenizer`,
    );
  }
}

/** @param entries - ids and their symbols, in the order of symbols. */
function createTrie(entries: readonly (readonly [number, Symbols])[], size: number): TokenTrie {
  const most = entries.reduce((sum, [, path]) => sum + path.length, 0);
  const symbols = new Uint16Array(most);
  const depths = new Uint16Array(most);
  const ends = new Int32Array(most);
  const tokens = new Int32Array(most);
  const twins = new Int32Array(size).fill(-1);
  /** Nodes on the way to the last one. */
  const open: number[] = [];
  let count = 0;
  let maxDepth = 0;
  let previous: Symbols = new Uint8Array(0);
  for (const [id, path] of entries) {
    const shared = commonLength(previous, path);
    if (shared === path.length) {
      // Sorting puts equal paths side by side, so the last node is theirs.
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
