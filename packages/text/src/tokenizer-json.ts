/** Hugging Face's `tokenizer.json` and `tokenizer_config.json`, as far as they are read here. */

/** An entry of `added_tokens`. */
export type AddedTokenJson = {
  readonly id: number;
  readonly content: string;
  readonly special: boolean;
  readonly [key: string]: unknown;
};

/** The parts of a `tokenizer.json` that are read here; the library reads the rest. */
export type TokenizerJson = {
  readonly added_tokens?: readonly AddedTokenJson[];
  readonly model: {
    readonly type?: string;
    readonly vocab: { readonly [token: string]: number };
    readonly merges: readonly (string | readonly string[])[];
    readonly [key: string]: unknown;
  };
  readonly decoder?: unknown;
  readonly [key: string]: unknown;
};

/** `tokenizer_config.json`: special tokens and, usually, the chat template. */
export type TokenizerConfigJson = {
  readonly chat_template?:
    | string
    | readonly { readonly name: string; readonly template: string }[]
    | null;
  readonly [key: string]: unknown;
};
