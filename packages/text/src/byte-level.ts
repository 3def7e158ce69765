/**
 * The byte-level alphabet: one printable character for each of the 256 bytes, as chosen by GPT-2 and used in
 * every `ByteLevel` tokenizer.json.
 *
 * Source: Radford et al. 2019, "Language Models are Unsupervised Multitask Learners", section 2.2.
 */

const isPrintable = (byte: number): boolean =>
  (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;

/** `[256]` character of each byte. */
export const BYTE_CHARACTERS: readonly string[] = (() => {
  let unprintable = 0;
  return Array.from({ length: 256 }, (_, byte) =>
    String.fromCodePoint(isPrintable(byte) ? byte : 0x100 + unprintable++),
  );
})();

/** Byte of each character by character code; -1 if there is none. */
const BYTES_BY_CODE = new Int16Array(0x200).fill(-1);
for (const [byte, character] of BYTE_CHARACTERS.entries()) {
  BYTES_BY_CODE[character.charCodeAt(0)] = byte;
}

const encoder = new TextEncoder();

/** The bytes of a token. A character outside the alphabet gives its UTF-8 bytes. */
export function fromByteCharacters(characters: string): Uint8Array {
  const bytes = new Uint8Array(characters.length);
  for (let i = 0; i < characters.length; i++) {
    const byte = BYTES_BY_CODE[characters.charCodeAt(i)] ?? -1;
    if (byte === -1) return fromMixedCharacters(characters);
    bytes[i] = byte;
  }
  return bytes;
}

function fromMixedCharacters(characters: string): Uint8Array {
  const bytes = Array.from(characters).flatMap((character) => {
    const byte = BYTES_BY_CODE[character.charCodeAt(0)] ?? -1;
    return byte === -1 ? [...encoder.encode(character)] : byte;
  });
  return Uint8Array.from(bytes);
}
