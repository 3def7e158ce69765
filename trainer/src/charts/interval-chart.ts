/** Means with error bars: one row per arm, one column per measure. */
import type { CustomSeriesOption } from "echarts/charts";
import { COLORS, svgOf } from "./svg-chart.ts";

type Interval = { readonly name: string; readonly mean: number; readonly error: number };
/** One measure of the chart. */
export type IntervalColumn = {
  readonly title: string;
  /** In the order of the rows, top first. */
  readonly rows: readonly Interval[];
  /** A named reference line; absent = none. */
  readonly mark?: { readonly name: string; readonly at: number };
};

const COLUMN = 340;
const NAMES = 190;
const ROW = 34;

/** @param columns all with the same rows */
export function intervalChart(title: string, columns: readonly IntervalColumn[]): Promise<string> {
  const rows = columns[0]?.rows.length ?? 0;
  const height = 110 + ROW * rows;
  const grid = columns.map((_, at) => ({
    left: NAMES + at * COLUMN,
    width: COLUMN - 50,
    top: 70,
    height: ROW * rows,
  }));
  return svgOf(
    {
      title: [
        { text: title, left: 12, top: 8, textStyle: { fontSize: 15 } },
        ...columns.map((column, at) => ({
          text:
            column.mark === undefined ? column.title : `${column.title} (┆ ${column.mark.name})`,
          left: NAMES + at * COLUMN,
          top: 42,
          textStyle: { fontSize: 12, fontWeight: "normal" },
        })),
      ],
      grid,
      xAxis: columns.map((_, at) => ({
        type: "value",
        gridIndex: at,
        scale: true,
        axisLabel: { color: "#333333" },
      })),
      yAxis: columns.map((column, at) => ({
        type: "category",
        gridIndex: at,
        inverse: true,
        data: column.rows.map(({ name }) => name),
        axisTick: { show: false },
        axisLabel: { show: at === 0, color: "#111111", width: NAMES - 20, overflow: "truncate" },
      })),
      series: columns.map((column, at) => intervals(column, at)),
    },
    { width: NAMES + COLUMN * columns.length, height },
  );
}

function intervals({ rows, mark }: IntervalColumn, at: number): CustomSeriesOption {
  const color = COLORS[at % COLORS.length] as string;
  return {
    type: "custom",
    xAxisIndex: at,
    yAxisIndex: at,
    // The axis also includes the reference line.
    data: [
      ...rows.map(({ mean, error }, i) => [mean, i, mean - error, mean + error]),
      ...(mark === undefined ? [] : [[mark.at, 0, mark.at, mark.at]]),
    ],
    encode: { x: [0, 2, 3], y: 1 },
    renderItem: (params, api) => {
      const row = Number(api.value(1));
      const point = (x: number, y: number): number[] => api.coord([x, y]);
      if (params.dataIndex >= rows.length) {
        const [x = 0, top = 0] = point(Number(api.value(0)), 0);
        const [, bottom = 0] = point(Number(api.value(0)), rows.length - 1);
        return {
          type: "line",
          shape: { x1: x, y1: top - ROW / 2, x2: x, y2: bottom + ROW / 2 },
          style: { stroke: "#888888", lineDash: [4, 3], lineWidth: 1 },
        };
      }
      const [low = 0, y = 0] = point(Number(api.value(2)), row);
      const [high = 0] = point(Number(api.value(3)), row);
      const [x = 0] = point(Number(api.value(0)), row);
      return {
        type: "group",
        children: [
          {
            type: "line",
            shape: { x1: low, y1: y, x2: high, y2: y },
            style: { stroke: color, lineWidth: 2 },
          },
          { type: "circle", shape: { cx: x, cy: y, r: 5 }, style: { fill: color } },
        ],
      };
    },
  };
}
