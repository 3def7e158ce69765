/** Converts lines of another format to conversations; refused lines are counted by reason. */
import {
  type Conversation,
  isRefusal,
  type JsonLine,
  readAdpTrajectory,
  readTrlRow,
} from "@waggle/exchange";
import type { Reasons } from "./reasons.ts";

export const IMPORT_FORMATS = ["adp", "openai", "trl"] as const;
export type ImportFormat = (typeof IMPORT_FORMATS)[number];

/** Converted conversations and refusal counts. */
export type Imported = {
  readonly conversations: readonly Conversation[];
  /** Number of lines without a conversation, by reason. */
  readonly refused: Reasons;
};

/** Conversations without an id get one from their line number. */
export function importRows(lines: readonly JsonLine[], format: ImportFormat): Imported {
  const conversations: Conversation[] = [];
  const refused: { [reason: string]: number } = {};
  for (const { line, value } of lines) {
    const id = `line-${line}`;
    // OpenAI's rows are TRL's with other field names, and the same code reads them.
    const read = format === "adp" ? readAdpTrajectory(value, id) : readTrlRow(value, id);
    if (isRefusal(read)) refused[read.refused] = (refused[read.refused] ?? 0) + 1;
    else conversations.push(...[read].flat());
  }
  return { conversations, refused };
}
