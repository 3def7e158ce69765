/**
 * Chrome's Prompt API in both directions: the browser's model as a chat, a chat as `LanguageModel`.
 */
export { createBrowserModel } from "./browser-model.ts";
export type { BrowserModelOptions } from "./browser-model.ts";
export { installLanguageModel } from "./install-language-model.ts";
export type { InstallOptions } from "./install-language-model.ts";
export { createLanguageModelClass } from "./language-model.ts";
export type {
  FullLanguageModelConstructor,
  FullLanguageModelSession,
  LanguageModelAppendOptions,
  LanguageModelConstructor,
  LanguageModelCreateCoreOptions,
  LanguageModelCreateOptions,
  LanguageModelExpected,
  LanguageModelLimits,
  LanguageModelMessage,
  LanguageModelMessageContent,
  LanguageModelMessageType,
  LanguageModelPrompt,
  LanguageModelPromptOptions,
  LanguageModelSamplingMode,
  LanguageModelSession,
  LanguageModelTool,
} from "./prompt-api-types.ts";
