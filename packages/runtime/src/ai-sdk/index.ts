/** A chat as a language model of the AI SDK, specification V4. */
export { createLanguageModel } from "./language-model.ts";
export type { WaggleLanguageModel, WaggleLanguageModelOptions } from "./language-model.ts";
