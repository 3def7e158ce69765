/** Columns of numbers that a chart over steps draws. */
import type { MetricsRow } from "@waggle/protocol";

export type StepLine = {
  readonly label: string;
  /** Name of the metric. */
  readonly metric: string;
  /** CSS variable of its color. */
  readonly color: string;
  readonly format: (value: number | null) => string;
  /** Draws the values faintly and their moving average over them. */
  readonly smooth?: boolean;
};

/** Weight of the newest value in the moving average. */
const SMOOTHING = 0.15;

/** Exponential moving average that passes over gaps. */
export function movingAverage(values: readonly (number | null)[]): (number | null)[] {
  let average: number | null = null;
  return values.map((value) => {
    if (value === null) return average;
    average = average === null ? value : average + SMOOTHING * (value - average);
    return average;
  });
}

/**
 * Steps first, then per line its values and, where smoothed, their average. What is absent or not
 * finite is a gap; with `positiveOnly` (a logarithmic axis) so is everything up to 0.
 */
export function toColumns(
  rows: readonly MetricsRow[],
  lines: readonly StepLine[],
  positiveOnly: boolean,
): (number | null)[][] {
  const columns: (number | null)[][] = [rows.map((row) => row.step)];
  for (const line of lines) {
    const values = rows.map((row) => {
      const value = row.metrics[line.metric];
      return value === undefined || !Number.isFinite(value) || (positiveOnly && value <= 0)
        ? null
        : value;
    });
    columns.push(values);
    if (line.smooth) columns.push(movingAverage(values));
  }
  return columns;
}
