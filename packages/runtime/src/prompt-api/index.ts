/**
 * Chrome's Prompt API in both directions: the browser's model as a chat, a chat as `LanguageModel`.
 */
export { createBrowserModel } from "./browser-model.ts";
export type { BrowserModelOptions } from "./browser-model.ts";
export { createLanguageModelClass, installLanguageModel } from "./language-model.ts";
export type { InstallOptions } from "./language-model.ts";
export type {
  LanguageModelConstructor,
  LanguageModelCreateCoreOptions,
  LanguageModelCreateOptions,
  LanguageModelMessage,
  LanguageModelMessageContent,
  LanguageModelPrompt,
  LanguageModelPromptOptions,
  LanguageModelSession,
  LanguageModelTool,
} from "./prompt-api-types.ts";
