/** A chat over a scripted policy with bytes as tokens. Tests only. */
import { ScriptedPolicy, ByteTokenizer } from "@waggle/testing";
import type { ScriptedPolicyOptions } from "@waggle/testing";
import { createChatFormat, NANO_CHAT_TEMPLATE } from "@waggle/text";
import type { ChatFormat } from "@waggle/text";
import { createChat } from "./policy-chat.ts";
import type { ChatOptions } from "./policy-chat.ts";
import type { Chat } from "./chat-types.ts";

export const byteTokenizer = new ByteTokenizer();
export const byteFormat: ChatFormat = createChatFormat({
  tokenizer: byteTokenizer,
  chatTemplate: NANO_CHAT_TEMPLATE,
});
const END = byteTokenizer.specialTokenId("<|im_end|>") as number;

/** Tokens of an answer, by default with its end. Tags are single tokens, as in the nano model. */
export const said = (text: string, isEnded = true): number[] => [
  ...byteTokenizer.encodeTemplate(text),
  ...(isEnded ? [END] : []),
];

export const CALL = '<tool_call>{"name":"search","arguments":{"query":"é"}}</tool_call>';
export const SEARCH_TOOL = {
  type: "function" as const,
  function: {
    name: "search",
    description: "Finds products.",
    parameters: { type: "object", properties: { query: { type: "string" } } },
  },
};

export function openScripted(
  turns: ScriptedPolicyOptions["turns"],
  options: Partial<ChatOptions> & { readonly policyOptions?: Partial<ScriptedPolicyOptions> } = {},
): { chat: Chat; policy: ScriptedPolicy } {
  const { policyOptions, ...rest } = options;
  const policy = new ScriptedPolicy({ turns, ...policyOptions });
  return { policy, chat: createChat({ policy, format: byteFormat, model: "scripted", ...rest }) };
}

export async function collect<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const value of stream) all.push(value);
  return all;
}
