/** Tokenizer, chat templates, tool-call formats and a BPE trainer. For grammars see `./grammar`. */
export { applyChatTemplate } from "./apply-chat-template.ts";
export type { OwnTemplate, TemplateInput } from "./apply-chat-template.ts";
export { trainByteLevelBpe } from "./bpe-trainer.ts";
export type { BpeTrainerOptions, SpecialToken } from "./bpe-trainer.ts";
export { createChatFormat } from "./create-chat-format.ts";
export type {
  ChatFormat,
  ChatFormatOptions,
  ChatNext,
  ChatStart,
  RenderedSegment,
} from "./chat-format.ts";
export { readChatFormat } from "./model-chat-format.ts";
export {
  DESCRIBED_TOOLS_TEMPLATE,
  NANO_CHAT_TEMPLATE,
  NANO_SPECIAL_TOKENS,
  nanoTokenizerConfig,
  TRAINING_TEMPLATE_FILE,
  trainingTemplate,
} from "./nano-template.ts";
export { openChatFormat } from "./open-chat-format.ts";
export { FIXED_DATE } from "./template.ts";
export { createTokenizer } from "./create-tokenizer.ts";
export type { DecodeOptions, StreamDecoder, Tokenizer } from "./tokenizer.ts";
export type {
  AddedTokenJson,
  TokenizerConfigJson,
  TokenizerJson,
  TokenizerFiles,
} from "./tokenizer-json.ts";
export { toolSchemaToJsonSchema } from "./tool-schema.ts";
export type {
  AssistantDecoder,
  AssistantDelta,
  AssistantTokenReader,
} from "./tool-calls/decoder.ts";
export type { WritableCall } from "./tool-calls/format-entry.ts";
export type { ParsedAssistant, ParsedToolCall } from "./tool-calls/parsed-call.ts";
export type { AssistantEvent, AssistantReaderOptions } from "./tool-calls/reader.ts";
export { visibleText } from "./visible-text.ts";
export type { TurnState } from "./visible-text.ts";
