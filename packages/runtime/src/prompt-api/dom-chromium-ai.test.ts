/** The types that pages have for Chromium's `LanguageModel` (npm package @types/dom-chromium-ai) fit ours. */
/// <reference types="dom-chromium-ai" />
import { expectTypeOf, test } from "vitest";
import type {
  FullLanguageModelConstructor,
  FullLanguageModelSession,
  LanguageModelLimits,
  LanguageModelSamplingMode as OurMode,
} from "./prompt-api-types.ts";

type Theirs = typeof LanguageModel;

test("options and prompts of pages fit our parameters", () => {
  type Options = Parameters<FullLanguageModelConstructor["availability"]>[0];
  expectTypeOf<Parameters<Theirs["availability"]>[0]>().toExtend<Options>();
  type Prompt = Parameters<FullLanguageModelSession["prompt"]>;
  expectTypeOf<Parameters<LanguageModel["prompt"]>>().toExtend<Prompt>();
  expectTypeOf<LanguageModelSamplingMode>().toExtend<OurMode>();
});

test("our answers fit the types of pages", () => {
  expectTypeOf<LanguageModelLimits>().toExtend<LanguageModelParams>();
  expectTypeOf<
    Pick<FullLanguageModelSession, "contextUsage" | "contextWindow" | "inputUsage" | "inputQuota">
  >().toExtend<Partial<LanguageModel>>();
  expectTypeOf<ReturnType<FullLanguageModelSession["promptStreaming"]>>().toExtend<
    ReturnType<LanguageModel["promptStreaming"]>
  >();
});
