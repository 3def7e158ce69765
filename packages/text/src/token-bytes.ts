/**
 * The bytes of tokens in a `tokenizer.json`, for byte-level BPE (Qwen, Llama 3, SmolLM, LFM2, ours) and
 * SentencePiece BPE with byte fallback (Gemma, Llama 2, Mistral).
 */
import { isObject } from "@waggle/protocol";
import { fromByteCharacters } from "./byte-level.ts";
import type { TokenizerJson } from "./tokenizer-json.ts";

/** How tokens represent bytes. */
export type VocabularyKind = "byte-level" | "byte-fallback";

/** The kind of a vocabulary; `null` if it is neither. */
export function vocabularyKind(json: TokenizerJson): VocabularyKind | null {
  if ((json.model?.type ?? "BPE") !== "BPE") return null;
  const types = decoderParts(json.decoder).map(({ type }) => type);
  if (types.includes("ByteLevel")) return "byte-level";
  return types.includes("ByteFallback") ? "byte-fallback" : null;
}

/** Bytes of each token by id. Added tokens have the bytes of the text that they decode to. */
export function tokenBytes(json: TokenizerJson): Map<number, Uint8Array> {
  const read = readerOf(json);
  const bytes = new Map<number, Uint8Array>();
  for (const [token, id] of Object.entries(json.model.vocab)) bytes.set(id, read.token(token));
  for (const { id, content } of json.added_tokens ?? []) bytes.set(id, read.added(content));
  return bytes;
}

/** As `tokenBytes`, for one token at a time. Reads the vocabulary with the first token. */
export function createByteReader(json: TokenizerJson): (id: number) => Uint8Array | undefined {
  const read = readerOf(json);
  const added = new Map((json.added_tokens ?? []).map(({ id, content }) => [id, content]));
  let tokens: string[] | undefined;
  return (id) => {
    const content = added.get(id);
    if (content !== undefined) return read.added(content);
    tokens ??= tokensById(json);
    const token = tokens[id];
    return token === undefined ? undefined : read.token(token);
  };
}

/** 1 + the largest id. */
export function vocabularySize(json: TokenizerJson): number {
  let size = 0;
  for (const token in json.model.vocab) size = Math.max(size, 1 + (json.model.vocab[token] ?? -1));
  for (const { id } of json.added_tokens ?? []) size = Math.max(size, 1 + id);
  return size;
}

/** Number of spaces that decoding removes from the start of a text, because encoding adds them. */
export function prefixSpaces(json: TokenizerJson): number {
  for (const part of decoderParts(json.decoder)) {
    if (part.type === "Strip" && part["content"] === " ") return Number(part["start"] ?? 0);
    if (part.type === "Metaspace" && part["prepend_scheme"] !== "never") return 1;
  }
  return 0;
}

type TokenReader = {
  token(text: string): Uint8Array;
  added(text: string): Uint8Array;
};

function readerOf(json: TokenizerJson): TokenReader {
  return vocabularyKind(json) === "byte-fallback"
    ? { token: fromPiece, added: fromPiece }
    : { token: fromByteCharacters, added: (text) => encoder.encode(text) };
}

function tokensById({ model }: TokenizerJson): string[] {
  const tokens: string[] = [];
  for (const token in model.vocab) tokens[model.vocab[token] as number] = token;
  return tokens;
}

const encoder = new TextEncoder();
const PIECE_SPACE = /\u2581/g;
const BYTE_PIECE = /^<0x([0-9A-F]{2})>$/;

function fromPiece(piece: string): Uint8Array {
  const byte = BYTE_PIECE.exec(piece)?.[1];
  if (byte !== undefined) return Uint8Array.of(Number.parseInt(byte, 16));
  return encoder.encode(piece.replace(PIECE_SPACE, " "));
}

type DecoderPart = { readonly type: string; readonly [key: string]: unknown };

/** A decoder without its sequences. */
function decoderParts(part: unknown): DecoderPart[] {
  if (!isObject(part)) return [];
  const { type, decoders } = part;
  const own = typeof type === "string" ? [{ ...part, type }] : [];
  return [...own, ...(Array.isArray(decoders) ? decoders.flatMap(decoderParts) : [])];
}
