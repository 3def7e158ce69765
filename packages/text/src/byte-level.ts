/**
 * The byte-level alphabet: one printable character for each of the 256 bytes, as chosen by GPT-2 and used in
 * every `ByteLevel` tokenizer.json.
 *
 * Source: Radford et al. 2019, "Language Models are Unsupervised Multitask Learners", section 2.2.
 */

const isPrintable = (byte: number): boolean =>
  (byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte !== 0xad);

/** Byte of each character. */
const BYTES = new Map<string, number>();
for (let byte = 0, unprintable = 0x100; byte < 256; byte++) {
  BYTES.set(String.fromCodePoint(isPrintable(byte) ? byte : unprintable++), byte);
}

/** `[256]` character of each byte. */
export const BYTE_CHARACTERS: readonly string[] = [...BYTES.keys()];

const encoder = new TextEncoder();

/** The bytes of a token. A character outside the alphabet gives its UTF-8 bytes. */
export function fromByteCharacters(characters: string): Uint8Array {
  const bytes: number[] = [];
  for (const character of characters) {
    const byte = BYTES.get(character);
    if (byte === undefined) bytes.push(...encoder.encode(character));
    else bytes.push(byte);
  }
  return new Uint8Array(bytes);
}
