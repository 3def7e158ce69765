/** The measurement of redaction, and a sample of it: the bars hold on the development half of the corpus. */
import { expect, test } from "vitest";
import { createRedactor } from "@waggle/collector";
import { verdict } from "../../scripts/redaction/bars.ts";
import { corpusCases } from "../../scripts/redaction/corpus.ts";
import { detectedSpans, measureRedaction } from "../../scripts/redaction/measure.ts";
import type { RedactionCase } from "../../scripts/redaction/measure.ts";

const planted = (id: string, before: string, value: string, kind: string): RedactionCase => ({
  id,
  text: `${before}${value}.`,
  spans: [{ start: before.length, end: before.length + value.length, kind }],
});

test("a detected span has the place of the value in the text", () => {
  const text = "[NOTE] mail [EMAIL_1] or ada@example.org and ada@example.org.";
  const spans = detectedSpans(text, createRedactor());
  expect(spans.map(({ start, end }) => text.slice(start, end))).toEqual([
    "ada@example.org",
    "ada@example.org",
  ]);
});

test("a value is found if all of it is replaced, and a span is right if little else is", () => {
  const cases = [
    planted("en-1", "mail ", "ada@example.org", "email"),
    planted("de-2", "Tor ", "Xaverius", "name"),
    { id: "de-3", text: "call +49 170 1234567", spans: [] },
    // The planted value goes on behind what is detected.
    planted("fr-4", "mail ", "ada@example.org (Ada)", "email"),
    // What is detected begins before the planted value.
    planted("en-5", "mail longname", "@example.org", "email"),
  ];
  const measure = measureRedaction(cases, createRedactor);
  expect(measure.recall).toEqual(
    new Map([
      ["email", { right: 2, of: 3 }],
      ["name", { right: 0, of: 1 }],
    ]),
  );
  expect(measure.recallByLanguage.get("email fr")).toEqual({ right: 0, of: 1 });
  expect(measure.precision).toEqual({ right: 1, of: 4 });
  expect(measure.missed).toEqual(["de-2: name", "fr-4: email"]);
  expect(measure.wrong).toEqual([
    "de-3: +49 170 1234567",
    "fr-4: ada@example.org",
    "en-5: longname@example.org",
  ]);
  expect(verdict(measure).failed).toEqual([
    "structured 0.667, at least 0.98",
    "name 0.000, at least 0.9",
    "precision 0.250, at least 0.95",
  ]);
});

/**
 * Just below what was measured on 2026-11-30. The rules were written with one part of this half. The other part was
 * the final half until that day.
 */
const REACHED = { structured: 0.985, name: 0.97, address: 0.97, precision: 0.99 };

test("on the development half of the corpus, recall and precision do not fall", () => {
  const cases = corpusCases("development");
  expect(cases.length).toBeGreaterThan(2000);
  const { shares } = verdict(measureRedaction(cases, createRedactor));
  const fallen = Object.entries(REACHED).filter(
    ([bar, least]) => shares[bar as keyof typeof shares] < least,
  );
  expect(fallen).toEqual([]);
});
