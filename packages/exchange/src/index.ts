/** Exports trajectories to other trainers' formats and imports conversations from them. */
export { toAdpTrajectory, readAdpTrajectory } from "./adp.ts";
export type { AdpTrajectory } from "./adp.ts";
export { toAtifTrajectory } from "./atif.ts";
export type { AtifStep, AtifTrajectory } from "./atif.ts";
export { promptMessages } from "./chat-messages.ts";
export type { ChatMessage } from "./chat-messages.ts";
export { Conversation, isRefusal } from "./conversation.ts";
export type { ConversationTurn, Refusal } from "./conversation.ts";
export { readJsonLines } from "./jsonl.ts";
export type { JsonLine } from "./jsonl.ts";
export { encodePrimeRlSamples } from "./prime-rl.ts";
export type { PrimeRlSample } from "./prime-rl.ts";
export { toSupervisedSample } from "./supervised-sample.ts";
export type { SupervisedSample } from "./supervised-sample.ts";
export { toTokenRows } from "./token-rows.ts";
export type { TokenRow, TokenRowOptions } from "./token-rows.ts";
export type { RecordedPath } from "./recorded-path.ts";
export type { Difference } from "./rendered-difference.ts";
export { readPath, readPrompt, readTrajectory } from "./trajectory-text.ts";
export type { ReadTrajectory, TextReader } from "./trajectory-text.ts";
export {
  readTrlRow,
  toTrlPreferenceRows,
  toTrlSftRow,
  toTrlTokenRow,
  toTrlUnpairedRow,
} from "./trl.ts";
export type {
  TrlCompletionOptions,
  TrlPreferenceRow,
  TrlSftRow,
  TrlTokenRow,
  TrlUnpairedRow,
  TrlWritten,
} from "./trl.ts";
export { encodeVerlParquet } from "./verl.ts";
export type { VerlRow } from "./verl.ts";
