/** The parts of Hugging Face's `tokenizer.json` and `tokenizer_config.json` that are used here. */

/** An entry of `added_tokens`. */
export type AddedTokenJson = {
  readonly id: number;
  readonly content: string;
  readonly special: boolean;
  readonly [key: string]: unknown;
};

/** A `tokenizer.json`. The tokenizer library reads the members that are not listed. */
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

/** A tokenizer's files as parsed JSON. */
export type TokenizerFiles = {
  readonly tokenizerJson: TokenizerJson;
  readonly tokenizerConfig?: TokenizerConfigJson;
  /** Overrides the chat template in `tokenizerConfig`. Added tokens that it names are control tokens. */
  readonly chatTemplate?: string | undefined;
};
