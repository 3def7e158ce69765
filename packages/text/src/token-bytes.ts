/**
 * The bytes of tokens in a `tokenizer.json`, for byte-level BPE (Qwen, Llama 3, SmolLM, LFM2, ours) and
 * SentencePiece BPE with byte fallback (Gemma, Llama 2, Mistral).
 */
import { WaggleError } from "@waggle/protocol";
import { fromByteCharacters } from "./byte-level.ts";
import type { TokenizerJson } from "./tokenizer-json.ts";

/** The bytes of a vocabulary's tokens. */
type TokenBytes = {
  /** 1 + the largest id. */
  readonly size: number;
  /** The byte, a space, that encoding adds to the start of a text and decoding removes; `null` for none. */
  readonly prefix: number | null;
  /** Bytes of a token; `undefined` for an unknown id. Added tokens have the bytes of the text that they decode to. */
  of(tokenId: number): Uint8Array | undefined;
};

/** @throws WaggleError `TOKENIZER_UNSUPPORTED` if it is not a BPE over bytes. */
export function tokenBytes({ model, decoder, added_tokens }: TokenizerJson): TokenBytes {
  const json = decoder as DecoderJson | undefined;
  const parts = json?.decoders ?? [json];
  const part = (type: string): DecoderJson | undefined => parts.find((each) => each?.type === type);
  const isPieces = part("ByteFallback") !== undefined;
  const type = model?.type ?? "BPE";
  if (type !== "BPE" || !(isPieces || part("ByteLevel"))) {
    throw new WaggleError(
      "TOKENIZER_UNSUPPORTED",
      `the tokenizer (model ${type}) is not a BPE over bytes; use a model such as Qwen or Gemma`,
    );
  }
  const tokens: string[] = [];
  const added: string[] = [];
  for (const token in model.vocab) tokens[model.vocab[token] as number] = token;
  for (const { id, content } of added_tokens ?? []) tokens[id] = added[id] = content;
  return {
    size: tokens.length,
    prefix: part("Strip")?.start === 1 ? 32 : null,
    of: (id) => {
      const token = tokens[id];
      if (token === undefined) return undefined;
      if (isPieces) return fromPiece(token);
      return id in added ? encoder.encode(token) : fromByteCharacters(token);
    },
  };
}

const encoder = new TextEncoder();
const BYTE_PIECE = /^<(0x[0-9A-F]{2})>$/;

function fromPiece(piece: string): Uint8Array {
  const byte = BYTE_PIECE.exec(piece)?.[1];
  if (byte !== undefined) return Uint8Array.of(Number(byte));
  return encoder.encode(piece.replaceAll("\u2581", " "));
}

/** What is read of a decoder. */
type DecoderJson = {
  readonly type?: string;
  /** Of a sequence. */
  readonly decoders?: readonly DecoderJson[];
  /** Of `Strip`: number of spaces that are removed from the start. */
  readonly start?: number;
} | null;
