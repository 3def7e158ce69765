/** Tokenizer, chat templates, tool-call rendering and parsing, and the BPE trainer. */
export { createAssistantDecoder } from "./assistant-stream.ts";
export type { AssistantDecoder, AssistantDelta } from "./assistant-stream.ts";
export { trainByteLevelBpe } from "./bpe-trainer.ts";
export type { BpeTrainerOptions, SpecialToken } from "./bpe-trainer.ts";
export { createChatFormat, toolResultText } from "./chat-format.ts";
export type {
  ChatFormat,
  ChatFormatOptions,
  ChatNext,
  ChatStart,
  RenderedSegment,
} from "./chat-format.ts";
export { readChatFormat } from "./model-chat-format.ts";
export { NANO_CHAT_TEMPLATE, NANO_SPECIAL_TOKENS, nanoTokenizerConfig } from "./nano-template.ts";
export { createTokenizer } from "./tokenizer.ts";
export type {
  AddedTokenJson,
  DecodeOptions,
  StreamDecoder,
  Tokenizer,
  TokenizerConfigJson,
  TokenizerFiles,
  TokenizerJson,
} from "./tokenizer.ts";
export { parseAssistant, renderAssistant } from "./tool-call-text.ts";
export type { ParsedAssistant, ParsedToolCall } from "./tool-call-text.ts";
