/**
 * Formats guidance as text. Pages, trainer and replay share this one wording, so that they tokenize the same
 * text.
 */
import type { Case } from "./case-memory.ts";

export type ReadingParts = {
  /** The instruction. */
  readonly prompt?: string;
  /** Short lessons. */
  readonly lessons?: readonly string[];
  readonly cases?: readonly Pick<Case, "situation" | "action" | "reward">[];
};

/** Paragraphs for the instruction, the lessons and the cases; empty without guidance. */
export function readingText({ prompt = "", lessons = [], cases = [] }: ReadingParts): string {
  return [
    prompt,
    lessons.length === 0 ? "" : `Lessons:\n${lessons.map((lesson) => `- ${lesson}`).join("\n")}`,
    ...cases.map(
      ({ situation, action, reward }) =>
        `A case that ${reward >= 0.5 ? "went well" : "went wrong"}: ${situation}\n${action}`,
    ),
  ]
    .filter((paragraph) => paragraph.trim() !== "")
    .join("\n\n");
}
