/** Reads the chat format of a Hugging Face folder in a page. */
import { chatFormatOver } from "./chat-format.ts";
import type { ChatFormat } from "./chat-format.ts";
import { readModelFormatFiles } from "./model-format-files.ts";
import { nanoTemplate } from "./nano-renderer.ts";
import { HERMES } from "./tool-calls/hermes.ts";
import { tokenizerOver } from "./tokenizer.ts";
import { trainedEncoders } from "./trained-encoders.ts";

/**
 * The format that `readChatFormat` returns. Jinja and the library of tokenizers, which models from elsewhere need, are
 * loaded only for such a model.
 *
 * @throws WaggleError as `readChatFormat`.
 */
export async function openChatFormat(files: ReadonlyMap<string, Uint8Array>): Promise<ChatFormat> {
  const { tokenizerFiles, optionsFor } = readModelFormatFiles(files);
  const { tokenizerJson, tokenizerConfig, chatTemplate } = tokenizerFiles;
  const source = chatTemplate ?? tokenizerConfig?.chat_template;
  const template = typeof source === "string" ? nanoTemplate(source) : null;
  const encoders = template === null ? null : trainedEncoders(tokenizerJson);
  if (template === null || encoders === null) {
    const { readChatFormat } = await import("./model-chat-format.ts");
    return readChatFormat(files);
  }
  const tokenizer = tokenizerOver(tokenizerJson, () => encoders);
  return chatFormatOver(optionsFor(tokenizer), {
    openTemplate: () => template,
    toolCallsOf: () => HERMES,
  });
}
