/**
 * The pretraining corpus: fresh demonstrations of training tasks, rendered by the same chat format
 * that the agent uses. Example i depends on the seed and i alone, so a resumed run sees the same.
 */
import { createRandom, demonstrate, SHOP_ENVIRONMENT, SHOP_TOOLS } from "@waggle/environments";
import type { Demonstration, ShopSkill } from "@waggle/environments";
import {
  createChatFormat,
  createTokenizer,
  NANO_SPECIAL_TOKENS,
  nanoTokenizerConfig,
  trainByteLevelBpe,
} from "@waggle/text";
import type { ChatFormat, Tokenizer, TokenizerConfigJson, TokenizerJson } from "@waggle/text";

/** A tokenizer with everything that has to be saved with it. */
export type NanoText = {
  readonly tokenizerJson: TokenizerJson;
  readonly tokenizerConfig: TokenizerConfigJson;
  readonly tokenizer: Tokenizer;
  readonly chat: ChatFormat;
};

/** One dialogue as tokens. */
export type Example = {
  readonly tokenIds: readonly number[];
  /** `[T]` who speaks. */
  readonly roles: readonly string[];
};

/** Demonstration `index` of the corpus of `seed`: an imperfect attempt at a training task. */
export function corpusDemonstration(
  seed: number,
  index: number,
  skill: ShopSkill,
): Promise<Demonstration> {
  const random = createRandom((seed + Math.imul(index, 0x9e3779b1)) >>> 0);
  const taskSeed = Math.floor(random() * 2 ** 32);
  return demonstrate(
    { environment: SHOP_ENVIRONMENT, seed: taskSeed, split: "train" },
    random,
    skill,
  );
}

/** The tokens of a dialogue, segment by segment as in a rollout. */
export function renderDemonstration(chat: ChatFormat, demonstration: Demonstration): Example {
  const tokenIds: number[] = [];
  const roles: string[] = [];
  const add = (role: string, ids: readonly number[]): void => {
    tokenIds.push(...ids);
    roles.push(...ids.map(() => role));
  };
  const { system, request, turns } = demonstration;
  for (const segment of chat.start({ system, tools: SHOP_TOOLS, userMessage: request })) {
    add(segment.role, segment.tokenIds);
  }
  for (const { text, toolCalls, toolResults } of turns) {
    add("assistant", chat.encodeAssistant(text, toolCalls));
    if (toolCalls.length === 0) continue;
    for (const segment of chat.next({ toolResults, sampledEnded: true })) {
      add(segment.role, segment.tokenIds);
    }
  }
  return { tokenIds, roles };
}

/** Loads what `trainNanoText` made. */
export function openNanoText(
  tokenizerJson: TokenizerJson,
  tokenizerConfig: TokenizerConfigJson,
): NanoText {
  const tokenizer = createTokenizer({ tokenizerJson, tokenizerConfig });
  const chat = createChatFormat({ tokenizer, tokenizerConfig });
  return { tokenizerJson, tokenizerConfig, tokenizer, chat };
}

/**
 * Learns the tokenizer from `count` rendered demonstrations, template included: they are rendered
 * with a tokenizer of bare bytes first and cut at the special tokens.
 */
export async function trainNanoText(options: {
  readonly seed: number;
  readonly count: number;
  readonly vocabularySize: number;
  readonly contextLength: number;
  readonly skill: ShopSkill;
}): Promise<NanoText> {
  const { seed, count, vocabularySize, skill } = options;
  const specialTokens = NANO_SPECIAL_TOKENS;
  const tokenizerConfig = nanoTokenizerConfig(options.contextLength);
  const bytes = openNanoText(
    trainByteLevelBpe([], { vocabularySize: 256 + specialTokens.length, specialTokens }),
    tokenizerConfig,
  );
  const tags = new RegExp(
    specialTokens.map(({ content }) => content.replace(/[|]/g, "\\|")).join("|"),
  );
  const texts: string[] = [];
  for (let index = 0; index < count; index++) {
    const demonstration = await corpusDemonstration(seed, index, skill);
    const { tokenIds } = renderDemonstration(bytes.chat, demonstration);
    texts.push(...bytes.tokenizer.decode(tokenIds).split(tags));
  }
  return openNanoText(trainByteLevelBpe(texts, { vocabularySize, specialTokens }), tokenizerConfig);
}
