import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ROOT } from "../root.ts";
import type { RedactionCase } from "./measure.ts";

/** The half that the detector is developed with, and the half that is measured once. */
export type CorpusHalf = "development" | "final";

const LOADER = join(ROOT, "packages/testing/src/redaction-corpus.ts");

/** Whether the corpus is in this checkout. */
export const hasCorpus = (): boolean => existsSync(LOADER);

/** The cases of one half, or of both. */
export async function corpusCases(half?: CorpusHalf): Promise<readonly RedactionCase[]> {
  const { redactionCorpus, halfOf } = (await import(pathToFileURL(LOADER).href)) as {
    redactionCorpus(): readonly RedactionCase[] | Promise<readonly RedactionCase[]>;
    halfOf(id: string): CorpusHalf;
  };
  const cases = await redactionCorpus();
  return half === undefined ? cases : cases.filter(({ id }) => halfOf(id) === half);
}
