/** Curves with a band of ± around each: what was reached after how much was spent. */
import { COLORS, svgOf } from "./svg-chart.ts";

export type Curve = {
  readonly name: string;
  readonly points: readonly { readonly x: number; readonly mean: number; readonly error: number }[];
};
export type CurveAxes = { readonly x: string; readonly y: string };

export function curveChart(title: string, axes: CurveAxes, curves: readonly Curve[]): string {
  return svgOf(
    {
      title: { text: title, left: 12, top: 8, textStyle: { fontSize: 15 } },
      legend: { top: 36, left: 60, data: curves.map(({ name }) => name) },
      grid: { left: 60, right: 30, top: 76, bottom: 56 },
      xAxis: { type: "value", name: axes.x, nameLocation: "middle", nameGap: 32 },
      yAxis: { type: "value", name: axes.y, scale: true, nameLocation: "middle", nameGap: 40 },
      series: curves.flatMap(({ name, points }, at) => {
        const color = COLORS[at % COLORS.length] as string;
        const edge = {
          type: "line",
          symbol: "none",
          lineStyle: { opacity: 0 },
          stack: `band ${at}`,
        };
        return [
          // The band stands on its lower edge.
          { ...edge, data: points.map(({ x, mean, error }) => [x, mean - error]) },
          {
            ...edge,
            data: points.map(({ x, error }) => [x, 2 * error]),
            areaStyle: { color, opacity: 0.15 },
            stackStrategy: "all",
          },
          {
            ...{ name, type: "line", symbolSize: 5 },
            ...{ lineStyle: { color, width: 2 }, itemStyle: { color } },
            data: points.map(({ x, mean }) => [x, mean]),
          },
        ];
      }),
    },
    { width: 640, height: 400 },
  );
}
