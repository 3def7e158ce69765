/**
 * Reads `redaction-corpus/`: chat messages in eleven languages. Some have made-up personal values whose places
 * are known; the others have none. For tests in Node; the published package has neither this file nor the messages.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { WaggleError } from "@waggle/protocol";
import { z } from "zod";
import { parseMarkedText } from "./marked-text.ts";
import type { RedactionSpan } from "./marked-text.ts";

/** Languages of the corpus. */
export const REDACTION_LANGUAGES = [
  "de",
  "en",
  "es",
  "fr",
  "it",
  "ja",
  "nl",
  "pl",
  "pt",
  "sv",
  "tr",
] as const;

/** A language of the corpus. */
export type RedactionLanguage = (typeof REDACTION_LANGUAGES)[number];

/** The author of a detector tunes it on `development`, does not read `final`, and measures once on it. */
export type RedactionHalf = "development" | "final";

/** One message. A harmless one has no spans. */
export type RedactionCase = {
  readonly id: string;
  readonly language: RedactionLanguage;
  readonly half: RedactionHalf;
  readonly text: string;
  /** In the order of the text; they do not overlap. */
  readonly spans: readonly RedactionSpan[];
};

const MarkedCases = z
  .array(
    z.strictObject({
      id: z.string().regex(/^[a-z]{2}-h?\d{3}$/),
      marked: z.string().min(1),
    }),
  )
  .min(1);

const FOLDERS: { readonly [half in RedactionHalf]: string } = {
  development: "redaction-corpus",
  final: "redaction-corpus/unseen",
};

/**
 * All messages of both halves, in the order of their files.
 * @throws WaggleError `SCHEMA_INVALID` if a file does not have the format that the corpus's README describes.
 */
export function redactionCorpus(): RedactionCase[] {
  return (["development", "final"] as const).flatMap((half) =>
    REDACTION_LANGUAGES.flatMap((language) => {
      const file = join(import.meta.dirname, "..", FOLDERS[half], `${language}.json`);
      return parseRedactionCases(half, language, JSON.parse(readFileSync(file, "utf8")));
    }),
  );
}

/**
 * The messages of one language's file. The ids of harmless messages have an `h`.
 * @throws WaggleError `SCHEMA_INVALID`
 */
export function parseRedactionCases(
  half: RedactionHalf,
  language: RedactionLanguage,
  file: unknown,
): RedactionCase[] {
  const invalid = (problem: string): WaggleError =>
    new WaggleError("SCHEMA_INVALID", `${FOLDERS[half]}/${language}.json: ${problem}`);
  const parsed = MarkedCases.safeParse(file);
  if (!parsed.success) throw invalid(z.prettifyError(parsed.error));
  return parsed.data.map(({ id, marked }) => {
    if (!id.startsWith(`${language}-`)) throw invalid(`${id} is of another language`);
    const { text, spans } = parseMarkedText(marked);
    if (id.includes("-h") !== (spans.length === 0)) {
      throw invalid(`${id}: only the id of a message without values has an h`);
    }
    return { id, language, half, text, spans };
  });
}
