/**
 * The bytes of every token in a `tokenizer.json`, for byte-level BPE (Qwen, Llama 3, SmolLM, LFM2, ours) and
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
  const types = decoderTypes(json.decoder);
  if (types.includes("ByteLevel")) return "byte-level";
  return types.includes("ByteFallback") ? "byte-fallback" : null;
}

/** Bytes of each token by id. Added tokens have the bytes of their text. */
export function tokenBytes(json: TokenizerJson): Map<number, Uint8Array> {
  const read = vocabularyKind(json) === "byte-fallback" ? fromPiece : fromByteCharacters;
  const bytes = new Map<number, Uint8Array>();
  for (const [token, id] of Object.entries(json.model.vocab)) bytes.set(id, read(token));
  for (const token of json.added_tokens ?? []) bytes.set(token.id, encoder.encode(token.content));
  return bytes;
}

const encoder = new TextEncoder();
const BYTE_PIECE = /^<0x([0-9A-F]{2})>$/;

function fromPiece(piece: string): Uint8Array {
  const byte = BYTE_PIECE.exec(piece)?.[1];
  if (byte !== undefined) return Uint8Array.of(Number.parseInt(byte, 16));
  return encoder.encode(piece.replaceAll("\u2581", " "));
}

function decoderTypes(part: unknown): string[] {
  if (!isObject(part)) return [];
  const { type, decoders } = part;
  const own = typeof type === "string" ? [type] : [];
  return [...own, ...(Array.isArray(decoders) ? decoders.flatMap(decoderTypes) : [])];
}
