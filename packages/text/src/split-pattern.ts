/** How the tokenizers that `trainByteLevelBpe` makes split a text before they merge bytes. */

/** Splits text into words, single digits, runs of punctuation, and single spaces and line ends. */
export const WORDS_ALONE_PATTERN = "\\p{L}+|\\p{N}|[^\\s\\p{L}\\p{N}]+|\\s";

/**
 * Splits text into words with one preceding sign, single digits (so that numbers are compared digit by digit),
 * runs of punctuation, line ends and spaces.
 */
export const SPLIT_PATTERN =
  "'(?:[sdmt]|ll|ve|re)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";

/** The `pre_tokenizer` of a `tokenizer.json`: splits at the pattern, and writes the bytes of each piece. */
export function preTokenizerJson(splitPattern: string): object {
  return {
    type: "Sequence",
    pretokenizers: [
      { type: "Split", pattern: { Regex: splitPattern }, behavior: "Isolated", invert: false },
      { type: "ByteLevel", add_prefix_space: false, trim_offsets: false, use_regex: false },
    ],
  };
}
