/** Fakes, a matcher, tolerances and a reader of ATIF documents for tests of Waggle and of what is built on it. */
export { readAtifDocument } from "./atif-document.ts";
export type { AtifReading, AtifSaid, AtifTokens } from "./atif-document.ts";
export { ByteTokenizer } from "./byte-tokenizer.ts";
export type { ByteDecodeOptions, ByteSpecialToken, ByteStreamDecoder } from "./byte-tokenizer.ts";
export { ScriptedPolicy } from "./scripted-policy.ts";
export type { ScriptedPolicyOptions } from "./scripted-policy.ts";
export type { RecordedContext, ScriptedSnapshot, ScriptedTurn } from "./scripted-session.ts";
export { createTestClock } from "./test-clock.ts";
export type { TestClock } from "./test-clock.ts";
export { toBeAllClose } from "./to-be-all-close.ts";
export type { MatcherResult } from "./to-be-all-close.ts";
export { TOLERANCE } from "./tolerance.ts";
export type { Tolerance } from "./tolerance.ts";
