/**
 * What a rollout is given to read beside its task, as text: ONE wording for pages, trainer and replay,
 * so that all of them tokenize the same. It chooses nothing.
 */
import type { Case } from "./case-memory.ts";

export type ReadingParts = {
  /** An instruction. */
  readonly prompt?: string;
  /** Short lessons. */
  readonly lessons?: readonly string[];
  readonly cases?: readonly Pick<Case, "situation" | "action" | "reward">[];
};

/** Paragraphs: the instruction, the lessons, the cases; empty where there is nothing. */
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
