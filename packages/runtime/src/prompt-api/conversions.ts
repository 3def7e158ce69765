/**
 * The draft's dictionaries as Web IDL conversions.
 *
 * Differs from them: images and audio are recognized by their class in this realm.
 */
import type {
  LanguageModelAppendOptions,
  LanguageModelCreateCoreOptions,
  LanguageModelCreateOptions,
  LanguageModelExpected,
  LanguageModelMessage,
  LanguageModelMessageContent,
  LanguageModelMessageType,
  LanguageModelPromptOptions,
  LanguageModelTool,
} from "./prompt-api-types.ts";
import { SAMPLING_MODES } from "./sampling-modes.ts";
import {
  dictionary,
  enumeration,
  sequence,
  sequenceOrText,
  toAbortSignal,
  toBoolean,
  toCallback,
  toDouble,
  toObject,
  toText,
} from "./web-idl.ts";
import type { Conversion } from "./web-idl.ts";

const toType = enumeration<LanguageModelMessageType>([
  "text",
  "image",
  "audio",
  "tool-call",
  "tool-response",
]);

/** Classes of images and audio. Objects of other classes become text. */
const MEDIA = [
  "ArrayBuffer",
  "AudioBuffer",
  "Blob",
  "HTMLCanvasElement",
  "HTMLImageElement",
  "HTMLVideoElement",
  "ImageBitmap",
  "ImageData",
  "OffscreenCanvas",
  "SVGImageElement",
  "VideoFrame",
];

const toValue: Conversion<unknown> = (value, name) => {
  const isMedia =
    ArrayBuffer.isView(value) ||
    MEDIA.some((media) => {
      const found = (globalThis as { [name: string]: unknown })[media];
      return typeof found === "function" && value instanceof found;
    });
  return isMedia ? value : toText(value, name);
};

const toExpected = dictionary<LanguageModelExpected>({
  type: { convert: toType, isRequired: true },
  languages: { convert: sequence(toText) },
});

const toTool = dictionary<LanguageModelTool>({
  name: { convert: toText, isRequired: true },
  description: { convert: toText, isRequired: true },
  inputSchema: { convert: toObject, isRequired: true },
  execute: { convert: toCallback, isRequired: true },
});

const toContent = dictionary<LanguageModelMessageContent>({
  type: { convert: toType, isRequired: true },
  value: { convert: toValue, isRequired: true },
});

const toMessage = dictionary<LanguageModelMessage>({
  role: { convert: enumeration(["system", "user", "assistant"]), isRequired: true },
  content: { convert: sequenceOrText(toContent), isRequired: true },
  prefix: { convert: toBoolean, fallback: false },
});

const signal = { convert: toAbortSignal };

/** A prompt: messages, or text. */
export const toPrompt: Conversion<LanguageModelMessage[] | string> = sequenceOrText(toMessage);

/** Options of `availability`. */
export const toCoreOptions: Conversion<LanguageModelCreateCoreOptions> = dictionary({
  topK: { convert: toDouble },
  temperature: { convert: toDouble },
  samplingMode: { convert: enumeration(SAMPLING_MODES) },
  expectedInputs: { convert: sequence(toExpected) },
  expectedOutputs: { convert: sequence(toExpected) },
  tools: { convert: sequence(toTool) },
});

/** Options of `create`. */
export const toCreateOptions = dictionary<
  Omit<LanguageModelCreateOptions, keyof LanguageModelCreateCoreOptions>
>(
  {
    signal,
    monitor: { convert: toCallback },
    initialPrompts: { convert: sequence(toMessage) },
  },
  toCoreOptions,
) as Conversion<LanguageModelCreateOptions>;

/** Options of `prompt`, `promptStreaming` and `measureContextUsage`. */
export const toPromptOptions: Conversion<LanguageModelPromptOptions> = dictionary({
  responseConstraint: { convert: toObject },
  omitResponseConstraintInput: { convert: toBoolean, fallback: false },
  signal,
});

/** Options of `append` and `clone`. */
export const toAppendOptions: Conversion<LanguageModelAppendOptions> = dictionary({ signal });
