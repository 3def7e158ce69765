/**
 * The pretraining corpus: fresh demonstrations of training tasks, rendered in the agent's chat
 * format. Example i depends only on the seed and i, so a resumed run sees the same examples.
 */
import { mulberry32 } from "@waggle/protocol";
import { demonstrate, SHOP_ENVIRONMENT, SHOP_TOOLS } from "@waggle/environments";
import type { Demonstration, ShopSkill } from "@waggle/environments";
import type { ChatFormat } from "@waggle/text";
import { type NanoText, trainText } from "./nano-text.ts";

/** One dialogue as tokens. */
export type Example = {
  readonly tokenIds: readonly number[];
  /** `[T]` role of the speaker. */
  readonly roles: readonly string[];
};

/** Demonstration `index` of the corpus of `seed`: an imperfect rollout at a training task. */
export function corpusDemonstration(
  seed: number,
  index: number,
  skill: ShopSkill,
): Promise<Demonstration> {
  const random = mulberry32((seed + Math.imul(index, 0x9e3779b1)) >>> 0);
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

/** Trains the tokenizer on `count` rendered demonstrations, template included. */
export function trainNanoText(options: {
  readonly seed: number;
  readonly count: number;
  readonly vocabularySize: number;
  readonly contextLength: number;
  readonly skill: ShopSkill;
}): Promise<NanoText> {
  const { seed, skill } = options;
  return trainText(options, async ({ chat }, index) => {
    const demonstration = await corpusDemonstration(seed, index, skill);
    return renderDemonstration(chat, demonstration).tokenIds;
  });
}
