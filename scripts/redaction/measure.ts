/**
 * Measures a redactor on texts with planted personal data.
 *
 * Only letters and digits count, so that a full stop or a bracket more or less changes nothing. A planted value is
 * **found** if the detected spans cover all of it together, whatever their types are. A detected span is **right** if it
 * overlaps at least one planted value, all that it overlaps are found, and at most `MAX_EXTRA` of its characters belong
 * to none.
 */
import type { Redactor } from "../../packages/protocol/src/index.ts";

/** A text of the corpus. Positions are in UTF-16 units. */
export type RedactionCase = {
  readonly id: string;
  readonly text: string;
  readonly spans: readonly {
    readonly start: number;
    readonly end: number;
    readonly kind: string;
  }[];
};

/** Letters and digits of a detected span that may lie outside of planted values. */
const MAX_EXTRA = 4;

/** How many of a number of things are as they should be. */
export type Share = { readonly right: number; readonly of: number };

/** What was found, missed and wrongly replaced. */
export type RedactionMeasure = {
  readonly cases: number;
  /** Planted values that were found, by kind and by kind and language (`phone de`). */
  readonly recall: ReadonlyMap<string, Share>;
  readonly recallByLanguage: ReadonlyMap<string, Share>;
  /** Detected spans that are right. */
  readonly precision: Share;
  /** `id: kind` of each value that was not found, and `id: text` of each wrong span. */
  readonly missed: readonly string[];
  readonly wrong: readonly string[];
};

/** @param create - gives a redactor without any issued placeholders. */
export function measureRedaction(
  cases: readonly RedactionCase[],
  create: () => Redactor,
): RedactionMeasure {
  const recall = new Map<string, Share>();
  const recallByLanguage = new Map<string, Share>();
  let precision: Share = { right: 0, of: 0 };
  const missed: string[] = [];
  const wrong: string[] = [];
  for (const { id, text, spans } of cases) {
    const detected = detectedSpans(text, create());
    const isFound = spans.map(
      (span) => countOutside(text, span, detected) === 0 && span.end > span.start,
    );
    for (const [index, { kind }] of spans.entries()) {
      const found = isFound[index] === true;
      add(recall, kind, found);
      add(recallByLanguage, `${kind} ${languageOf(id)}`, found);
      if (!found) missed.push(`${id}: ${kind}`);
    }
    for (const one of detected) {
      const touched = spans.filter((span) => span.start < one.end && span.end > one.start);
      const isRight =
        touched.length > 0 &&
        touched.every((span) => isFound[spans.indexOf(span)] === true) &&
        countOutside(text, one, spans) <= MAX_EXTRA;
      precision = sum(precision, isRight);
      if (!isRight) wrong.push(`${id}: ${text.slice(one.start, one.end)}`);
    }
  }
  return { cases: cases.length, recall, recallByLanguage, precision, missed, wrong };
}

type Range = { readonly start: number; readonly end: number };

/** The parts of a text that a redactor replaced. */
export function detectedSpans(text: string, redactor: Redactor): readonly Range[] {
  const spans: Range[] = [];
  let at = 0;
  for (const [part] of redactor.redact(text).matchAll(/\[[A-Z][A-Z0-9_]*_\d+\]|[^[]+|\[/g)) {
    const value = String(redactor.restore(part));
    if (value !== part) spans.push({ start: at, end: at + value.length });
    at += value.length;
  }
  return spans;
}

/** Letters and digits of a range that lie in none of the others. */
function countOutside(text: string, { start, end }: Range, others: readonly Range[]): number {
  let count = 0;
  for (let at = start; at < end; at += 1) {
    const isCovered = others.some((other) => other.start <= at && at < other.end);
    if (!isCovered && /[\p{L}\p{N}]/u.test(text.charAt(at))) count += 1;
  }
  return count;
}

/** The language that a case's id names, such as `de` in `de-phone-12`; `?` without one. */
function languageOf(id: string): string {
  return /(?:^|[^a-z])(en|de|fr|es|it|pt|nl|pl|sv|tr|ja)(?:[^a-z]|$)/.exec(id)?.[1] ?? "?";
}

const sum = ({ right, of }: Share, isRight: boolean): Share => ({
  right: right + (isRight ? 1 : 0),
  of: of + 1,
});

function add(shares: Map<string, Share>, key: string, isRight: boolean): void {
  shares.set(key, sum(shares.get(key) ?? { right: 0, of: 0 }, isRight));
}
