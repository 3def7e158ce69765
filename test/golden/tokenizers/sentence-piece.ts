/**
 * Small `tokenizer.json` files in the forms of Gemma 3 and Llama 2: pieces of SentencePiece with byte fallback. Gemma's
 * also has ordinary added tokens, such as runs of spaces and HTML tags.
 */
import type { AddedTokenJson, TokenizerJson } from "@waggle/text";

const SPACE = "\u2581";
const CHARACTERS = `${SPACE}abcdefghijklmnopqrstuvwxyzABHIWY.,!?'<>/_0123456789é日本`;
const WORDS = [`${SPACE}hello`, `${SPACE}earth`, `${SPACE}the`, "table", "ing", "日本"];
const RUNS = [2, 3, 4].map((count) => SPACE.repeat(count));

type Form = {
  readonly special: readonly string[];
  readonly ordinary: readonly string[];
  readonly normalizer: unknown;
  readonly preTokenizer: unknown;
  readonly decoders: readonly unknown[];
};

const REPLACED = { type: "Replace", pattern: { String: " " }, content: SPACE };
const DECODERS = [
  { type: "Replace", pattern: { String: SPACE }, content: " " },
  { type: "ByteFallback" },
  { type: "Fuse" },
];

export const gemmaJson: TokenizerJson = tokenizerJson({
  special: ["<pad>", "<eos>", "<bos>", "<unk>", "<start_of_turn>", "<end_of_turn>"],
  ordinary: ["<unused0>", "\n\n", ...RUNS, "<table>", "</table>", "<start_of_image>"],
  normalizer: REPLACED,
  preTokenizer: {
    type: "Split",
    pattern: { String: " " },
    behavior: "MergedWithPrevious",
    invert: false,
  },
  decoders: DECODERS,
});

export const llamaJson: TokenizerJson = tokenizerJson({
  special: ["<unk>", "<s>", "</s>"],
  ordinary: [],
  normalizer: { type: "Sequence", normalizers: [{ type: "Prepend", prepend: SPACE }, REPLACED] },
  preTokenizer: null,
  decoders: [...DECODERS, { type: "Strip", content: " ", start: 1, stop: 0 }],
});

/** As the files of real models, with all added tokens in the model's vocabulary. */
function tokenizerJson(form: Form): TokenizerJson {
  const { special, ordinary, normalizer, preTokenizer, decoders } = form;
  const bytes = Array.from(
    { length: 256 },
    (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, "0")}>`,
  );
  const merges = new Map<string, [string, string]>();
  for (const word of [...WORDS, ...RUNS]) {
    const letters = Array.from(word);
    for (let end = 2; end <= letters.length; end++) {
      const piece = letters.slice(0, end).join("");
      merges.set(piece, [letters.slice(0, end - 1).join(""), letters[end - 1] as string]);
    }
  }
  const tokens = [...special, ...ordinary, ...bytes, ...merges.keys(), ...Array.from(CHARACTERS)];
  const vocab = Object.fromEntries([...new Set(tokens)].map((token, id) => [token, id]));
  const added = (content: string, isSpecial: boolean): AddedTokenJson => ({
    id: vocab[content] as number,
    content,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
    special: isSpecial,
  });
  return {
    version: "1.0",
    truncation: null,
    padding: null,
    added_tokens: [
      ...special.map((content) => added(content, true)),
      ...ordinary.map((content) => added(content, false)),
    ],
    normalizer,
    pre_tokenizer: preTokenizer,
    post_processor: null,
    decoder: { type: "Sequence", decoders },
    model: {
      type: "BPE",
      dropout: null,
      unk_token: "<unk>",
      continuing_subword_prefix: null,
      end_of_word_suffix: null,
      fuse_unk: true,
      byte_fallback: true,
      ignore_merges: false,
      vocab,
      merges: [...merges.values()],
    },
  };
}
