import { chatFormatOver } from "./chat-format.ts";
import type { ChatFormat, ChatFormatOptions } from "./chat-format.ts";
import { nanoTemplate } from "./nano-renderer.ts";
import { Template } from "./template.ts";
import { detectToolCallFormat, toolCallFormatEntry } from "./tool-calls/formats.ts";

/**
 * Creates a chat format from a tokenizer and a Jinja template.
 *
 * @throws WaggleError `INVALID_ARGUMENT` without a chat template; `TOKENIZER_UNSUPPORTED` if no special token
 *   ends a turn; `TEMPLATE_UNSUPPORTED` if the template cannot be evaluated; `TEMPLATE_NOT_APPEND_ONLY` as `next`.
 */
export function createChatFormat(options: ChatFormatOptions): ChatFormat {
  return chatFormatOver(options, {
    openTemplate: (source) => nanoTemplate(source) ?? new Template(source),
    toolCallsOf: (source, chosen) =>
      toolCallFormatEntry(chosen ?? detectToolCallFormat(source) ?? "hermes"),
  });
}
