/**
 * Held-out success over sampled tokens: each recipe's mean and standard deviation over seeds, and
 * the base.
 */
import { mean, spread } from "@waggle/evaluation";
import { curveChart } from "../charts/curve-chart.ts";
import type { RunRecord } from "./arm.ts";
import { successAt } from "./recipe-summary.ts";

/** The runs behind one curve. */
export type Curve = {
  readonly name: string;
  /** One run per seed. */
  readonly runs: readonly RunRecord[];
};

const POINTS = 12;

/** @param base - success of the base, in [0, 1]. */
export function curvePicture(curves: readonly Curve[], base: number): Promise<string> {
  const drawn = curves.filter(({ runs }) => runs.length > 0);
  return curveChart(
    { x: "tokens sampled", y: "held-out tasks solved, %" },
    drawn.map(({ name, runs }) => ({ name, points: pointsOf(runs) })),
    { name: "base, no learning", at: 100 * base },
  );
}

function pointsOf(runs: readonly RunRecord[]): { x: number; mean: number; error: number }[] {
  const last = mean(runs.map(({ curve }) => curve.at(-1)?.sampledTokens ?? 0));
  return Array.from({ length: POINTS + 1 }, (_, i) => {
    const x = Math.round((i / POINTS) * last);
    const at = spread(runs.map(({ curve }) => 100 * successAt(curve, x)));
    return { x, mean: at.mean, error: at.deviation };
  });
}
