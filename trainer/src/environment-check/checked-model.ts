/**
 * The model that will act in a checked environment, as far as it decides which texts fit: its tokenizer, its chat template
 * and its context. It opens no weights, and makes no base.
 */
import type { EnvironmentSpec } from "@waggle/environments";
import { WaggleError } from "@waggle/protocol";
import type { ChatFormat } from "@waggle/text";
import { openBaseModel } from "../model/base-model.ts";
import type { BaseDemonstrationOptions } from "../pretrain/base-demonstration.ts";
import type { ChosenBase } from "../pretrain/chosen-base.ts";
import { CONTINUED_BASE } from "../pretrain/continued-base.ts";
import { earlierModel } from "../pretrain/earlier-model.ts";
import { baseRecipe, ENVIRONMENT_BASE, environmentBaseText } from "../pretrain/environment-base.ts";
import { byteText, type NanoText } from "../pretrain/nano-text.ts";

/** What a site's config says about its model. Folders are absolute. */
export type ModelChoice = {
  readonly model?: string | undefined;
  readonly base?: ChosenBase | undefined;
};

/** How a model reads and writes texts. */
export type ModelText = {
  readonly chat: ChatFormat;
  /** The files of its tokenizer and its chat template. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly vocabularySize: number;
};

/** A model with its limits. */
export type CheckedModel = ModelText & {
  readonly contextLength: number;
  /** Its demonstrations that are measured. */
  readonly demonstrations: Pick<BaseDemonstrationOptions, "seed" | "mistakes">;
  /** Which model it is, in a message; `null` for a base that starts from random weights. */
  readonly name: string | null;
  /** What an author can do about a context that is too short. @param tokens - that are needed */
  readonly remedy: (tokens: number) => string;
};

const SHORTEN = "shorten the prompt, the tools' descriptions or the answers";

/**
 * The site's own model, the base that goes on from a model, or the one that starts from random weights.
 *
 * @returns `null` if a base starts from random weights, and there are no demonstrations to train its tokenizer on
 * @throws WaggleError as `openBaseModel` and `earlierModel`; also what the demonstrator throws.
 */
export async function checkedModel(
  spec: EnvironmentSpec,
  { model, base: { from, ...chosen } = {} }: ModelChoice,
): Promise<CheckedModel | null> {
  const { seed = CONTINUED_BASE.seed } = chosen;
  const demonstrations = { seed, mistakes: 0 };
  if (model !== undefined) {
    const { format, files, config } = await openBaseModel(model);
    const { vocabularySize, contextLength } = config;
    return {
      chat: format,
      files: new Map(files.map(({ path, bytes }) => [path, bytes])),
      vocabularySize,
      contextLength,
      demonstrations,
      name: "the site's model",
      remedy: () => `${SHORTEN}, or choose a model with a longer context`,
    };
  }
  if (from !== undefined) {
    const { text, config } = await earlierModel(from);
    return {
      ...modelText(text),
      contextLength: config.contextLength,
      demonstrations,
      name: "the model that the base goes on from",
      remedy: (tokens) => `${SHORTEN}, or leave base.from out and write contextLength: ${tokens}`,
    };
  }
  const recipe = baseRecipe(spec, chosen);
  const { contextLength = recipe.contextLength } = spec;
  const text = await environmentBaseText(spec, { ...recipe, contextLength }).catch(
    (error: unknown) => {
      if (WaggleError.is(error, "CAPABILITY_MISSING")) return null;
      throw error;
    },
  );
  if (text === null) return null;
  const { seed: ownSeed, mistakes } = ENVIRONMENT_BASE;
  return {
    ...modelText(text),
    contextLength,
    demonstrations: { seed: ownSeed, mistakes },
    name: null,
    remedy: (tokens) => `write contextLength: ${tokens}`,
  };
}

/** A text format of bytes, for a grammar without a tokenizer. */
export function byteModelText(): ModelText {
  return modelText(byteText(ENVIRONMENT_BASE.contextLength));
}

function modelText({ tokenizerJson, tokenizerConfig, tokenizer, chat }: NanoText): ModelText {
  const bytesOf = (json: unknown) => new TextEncoder().encode(JSON.stringify(json));
  return {
    chat,
    files: new Map([
      ["tokenizer.json", bytesOf(tokenizerJson)],
      ["tokenizer_config.json", bytesOf(tokenizerConfig)],
    ]),
    vocabularySize: tokenizer.vocabularySize,
  };
}
