/** Line charts with a ± band around each curve: a result over what was spent. */
import { COLORS, svgOf } from "./svg-chart.ts";

/** One curve: means with errors at increasing x. */
export type Curve = {
  readonly name: string;
  readonly points: readonly { readonly x: number; readonly mean: number; readonly error: number }[];
};
/** Axis labels. */
export type CurveAxes = { readonly x: string; readonly y: string };

const GRAY = "#666666";

/** An SVG line chart. @param mark a level to compare with */
export function curveChart(
  axes: CurveAxes,
  curves: readonly Curve[],
  mark: { readonly name: string; readonly at: number },
): Promise<string> {
  const most = Math.max(...curves.flatMap(({ points }) => points.map(({ x }) => x)));
  return svgOf(
    {
      legend: { top: 10, left: 60, data: [...curves.map(({ name }) => name), mark.name] },
      grid: { left: 60, right: 30, top: 50, bottom: 56 },
      xAxis: { type: "value", name: axes.x, nameLocation: "middle", nameGap: 32, max: most },
      yAxis: { type: "value", name: axes.y, scale: true, nameLocation: "middle", nameGap: 40 },
      series: [
        ...curves.flatMap((curve, at) => bandAndLine(curve, at)),
        {
          name: mark.name,
          type: "line",
          symbol: "none",
          lineStyle: { color: GRAY, type: "dashed" },
          itemStyle: { color: GRAY },
          data: [
            [0, mark.at],
            [most, mark.at],
          ],
        },
      ],
    },
    { width: 640, height: 360 },
  );
}

/** The area is stacked on the lower edge of the band. */
function bandAndLine({ name, points }: Curve, at: number): object[] {
  const color = COLORS[at % COLORS.length];
  const edge = {
    type: "line",
    symbol: "none",
    lineStyle: { opacity: 0 },
    stack: `band ${at}`,
    stackStrategy: "all",
  };
  return [
    { ...edge, data: points.map(({ x, mean, error }) => [x, mean - error]) },
    {
      ...edge,
      data: points.map(({ x, error }) => [x, 2 * error]),
      areaStyle: { color, opacity: 0.15 },
    },
    {
      name,
      type: "line",
      symbolSize: 4,
      lineStyle: { color, width: 2 },
      itemStyle: { color },
      data: points.map(({ x, mean }) => [x, mean]),
    },
  ];
}
