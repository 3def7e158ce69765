/**
 * Whether a recipe that learns in rounds improves from round to round: success at the end of each round, and the test
 * of the second round against the first. Runs nothing.
 */
import { mean, meanAboveZero } from "@waggle/evaluation";
import type { Recipe } from "@waggle/learning";
import type { RunRecord } from "./arm.ts";
import { percent, points, pText } from "./numbers.ts";

/** Significance level of the second round's gain over the first. */
const LEVEL = 0.05;

/** @returns `null` for a recipe with a single round. */
export function generationText(
  { rounds, stages }: Pick<Recipe, "rounds" | "stages">,
  runs: readonly Pick<RunRecord, "curve">[],
): string | null {
  if (rounds < 2 || runs.length < 2) return null;
  // One evaluation at the end of each stage, after that of the base.
  const ends = runs.map(({ curve }) =>
    Array.from({ length: rounds + 1 }, (_, round) => curve[round * stages.length]?.success),
  );
  const reached = ends.flatMap((ofRun) => (ofRun.includes(undefined) ? [] : [ofRun as number[]]));
  if (reached.length < runs.length) {
    return `The budget ended before the last of ${rounds} rounds in ${runs.length - reached.length} of ${runs.length} runs, so rounds are not compared.`;
  }
  const means = Array.from({ length: rounds }, (_, round) =>
    percent(mean(reached.map((ofRun) => ofRun[round + 1] ?? 0))),
  );
  const { mean: gain, pValue } = meanAboveZero(reached.map(([, one = 0, two = 0]) => two - one));
  const verdict =
    pValue <= LEVEL ? "Generation 2 beats generation 1" : "Generation 2 does not beat generation 1";
  return `**${verdict}** (${points(gain)} points, p = ${pText(pValue)}, one-sided Student's t-test over seeds). Success at temperature 1 after each round: ${means.join(", ")}.`;
}
