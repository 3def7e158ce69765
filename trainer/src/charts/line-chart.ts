/** Line charts of measured points, with a y axis from 0. */
import { COLORS, svgOf } from "./svg-chart.ts";

export type Line = {
  readonly name: string;
  readonly points: readonly (readonly [x: number, y: number])[];
};

/** @returns the chart as SVG. */
export function lineChart(
  title: string,
  axes: { readonly x: string; readonly y: string },
  lines: readonly Line[],
): Promise<string> {
  const all = lines.flatMap(({ points }) => points.map(([x]) => x));
  return svgOf(
    {
      title: { text: title, left: 60, top: 6, textStyle: { fontSize: 14 } },
      legend: { top: 32, left: 60, data: lines.map(({ name }) => name) },
      grid: { left: 60, right: 30, top: 90, bottom: 56 },
      xAxis: {
        type: "value",
        name: axes.x,
        nameLocation: "middle",
        nameGap: 32,
        min: Math.min(...all),
        max: Math.max(...all),
      },
      yAxis: { type: "value", name: axes.y, min: 0, nameLocation: "middle", nameGap: 40 },
      series: lines.map(({ name, points }, at) => ({
        name,
        type: "line",
        symbolSize: 6,
        lineStyle: { color: COLORS[at % COLORS.length], width: 2 },
        itemStyle: { color: COLORS[at % COLORS.length] },
        data: points.map(([x, y]) => [x, y]),
      })),
    },
    { width: 720, height: 420 },
  );
}
