/**
 * Tokens of a whole conversation, as a trainer gives them that knows only the model's folder. Unlike `ChatFormat`, it
 * reads special tokens in texts, and earlier turns are what the template makes of them.
 *
 * Source: Transformers, `apply_chat_template` of `PreTrainedTokenizerBase`.
 */
import { Template } from "./template.ts";
import type { TemplateMessage } from "./template-message.ts";
import type { Tokenizer } from "./tokenizer.ts";

/** A model's own template and tokenizer. */
export type OwnTemplate = {
  readonly source: string;
  readonly tokenizer: Tokenizer;
  /** Texts of the tokens that a template can write. */
  readonly tokens: { readonly bos_token: string; readonly eos_token: string };
  /** Variables of our prompts, such as `enable_thinking`. A trainer sets them only if a row does. */
  readonly variables: { readonly [name: string]: unknown };
};

/** Arguments of `apply_chat_template`. */
export type TemplateInput = {
  readonly messages: readonly TemplateMessage[];
  /** In OpenAI's form. Default: none. */
  readonly tools?: readonly unknown[] | undefined;
  readonly addGenerationPrompt?: boolean;
  /** Replaces the model's template. */
  readonly chatTemplate?: string | undefined;
  /** Other variables. Default: none. */
  readonly variables?: { readonly [name: string]: unknown } | undefined;
};

/** A text that no prompt contains. Our prompts have a fixed date, but a trainer writes its own. */
const ANOTHER_DAY = "\uE002";

/** Parsing takes longer than rendering, and there are few templates. */
const parsed = new Map<string, Template>();

/** @throws if the template is not valid or refuses the conversation. */
export function applyChatTemplate(own: OwnTemplate, input: TemplateInput): number[] {
  const source = input.chatTemplate ?? own.source;
  const template = parsed.get(source) ?? new Template(source);
  parsed.set(source, template);
  const text = template.render({
    ...own.tokens,
    strftime_now: () => ANOTHER_DAY,
    ...input.variables,
    messages: input.messages,
    tools: input.tools ?? null,
    add_generation_prompt: input.addGenerationPrompt ?? false,
  });
  return own.tokenizer.encodeTemplate(text);
}
