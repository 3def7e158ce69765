/** Models by tokenizer, so that those with the same vocabulary and added tokens share one. */
import type { Tokenizer } from "@waggle/text";
import { ADDED_TOKENS, sourceOf } from "./models.ts";
import type { RealModel } from "./models.ts";
import { namedTokens, realTokenizer } from "./tokenizers.ts";

/** Some models with their tokenizer. */
export type TokenizerGroup = {
  readonly models: readonly RealModel[];
  readonly vocabulary: string;
  /** Whether the tokenizer is the models' own. */
  readonly isOwn: boolean;
  readonly tokenizer: Tokenizer;
};

export async function* tokenizerGroups(
  models: readonly RealModel[],
): AsyncIterable<TokenizerGroup> {
  const keyOf = ({ vocabulary, addedTokens }: RealModel) => `${vocabulary} ${addedTokens}`;
  for (const group of Map.groupBy(models, keyOf).values()) {
    const [{ vocabulary, addedTokens }] = group as [RealModel];
    const isOwn = addedTokens !== undefined;
    const added = isOwn
      ? (ADDED_TOKENS[addedTokens] ?? {})
      : await namedTokens(vocabulary, group.map(sourceOf).join(""));
    yield { models: group, vocabulary, isOwn, tokenizer: await realTokenizer(vocabulary, added) };
  }
}
