/** The cases of the corpus of personal data, by half. */
import { redactionCorpus } from "../../packages/testing/src/redaction-corpus.ts";
import type { RedactionCase } from "./measure.ts";

/** The half that the detector is developed with, and the unseen half that is measured once. */
export type CorpusHalf = "development" | "final";

/** The cases of one half, or of both. */
export function corpusCases(half?: CorpusHalf): readonly RedactionCase[] {
  const cases = redactionCorpus();
  return half === undefined ? cases : cases.filter((one) => one.half === half);
}
