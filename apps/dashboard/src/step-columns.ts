/** Data columns for a chart over steps. */
import type { MetricsRow } from "@waggle/protocol";

/** A line of the chart. */
export type StepLine = {
  readonly label: string;
  /** Name of the metric. */
  readonly metric: string;
  /** CSS variable of its color. */
  readonly color: string;
  readonly format: (value: number | null) => string;
  /** Draws the values faintly, with their moving average on top. */
  readonly smooth?: boolean;
};

/** Weight of the newest value in the moving average. */
const SMOOTHING = 0.15;

/** Exponential moving average that skips gaps. */
export function movingAverage(values: readonly (number | null)[]): (number | null)[] {
  let average: number | null = null;
  return values.map((value) => {
    if (value === null) return average;
    average = average === null ? value : average + SMOOTHING * (value - average);
    return average;
  });
}

/**
 * The steps, then each line's values, followed by their average if it is smoothed. Missing and non-finite
 * values are gaps. With `positiveOnly` (a logarithmic axis), so are values up to 0.
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
