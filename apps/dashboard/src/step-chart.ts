/** A small chart over optimizer steps: one to three lines, with the hovered values in its header. */
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { MetricsRow } from "@waggle/protocol";
import { h } from "@waggle/embed/dom";
import { type StepLine, toColumns } from "./step-columns.ts";
import { onThemeChange, themeColor } from "./theme.ts";

/** Options of `createStepChart`. */
export type StepChartOptions = {
  readonly title: string;
  /** A few words about the quantity. */
  readonly caption: string;
  readonly lines: readonly StepLine[];
  /** Fixed range of the vertical axis. */
  readonly range?: readonly [number, number];
  readonly logarithmic?: boolean;
};

/** A chart in its panel. */
export interface StepChart {
  readonly element: HTMLElement;
  update(rows: readonly MetricsRow[]): void;
  dispose(): void;
}

const HEIGHT_PX = 150;
const FONT = "11px system-ui, sans-serif";

/** Labels only powers of ten on a logarithmic axis. */
function onlyPowers(_: uPlot, splits: number[]): (number | null)[] {
  return splits.map((split) => (Number.isInteger(Math.log10(split)) ? split : null));
}

/** uPlot's own range, except that a line at 0 gets a range up to 1 instead of 100. */
function freeRange(_: uPlot, min: number | null, max: number | null): uPlot.Range.MinMax {
  if (min === null || max === null) return [null, null];
  return min === 0 && max === 0 ? [0, 1] : uPlot.rangeNum(min, max, 0.1, true);
}

/** Creates an empty chart. */
export function createStepChart(options: StepChartOptions): StepChart {
  const { lines } = options;
  const values = lines.map((line) => h("b", { class: "chart-value" }, line.format(null)));
  const key = h(
    "p",
    { class: "chart-key" },
    ...lines.map((line, i) =>
      h(
        "span",
        { style: `--line: var(${line.color})` },
        h("i", { "aria-hidden": "true" }),
        `${line.label} `,
        values[i] ?? "",
      ),
    ),
  );
  const at = h("span", { class: "chart-step" });
  const canvas = h("div", { class: "chart-canvas", role: "img", "aria-label": options.title });
  const empty = h("p", { class: "empty" }, "No steps yet.");
  const element = h(
    "section",
    { class: "panel chart" },
    h("header", {}, h("h3", {}, options.title), at),
    h("p", { class: "caption", title: options.caption }, options.caption),
    key,
    canvas,
    empty,
  );

  let plot: uPlot | null = null;
  let rows: readonly MetricsRow[] = [];
  const columnOf = (line: number) =>
    1 + lines.slice(0, line).reduce((n, l) => n + (l.smooth ? 2 : 1), 0);

  function showValues(index: number | null): void {
    const row = index === null ? rows.at(-1) : rows[index];
    at.textContent = row ? `step ${row.step}` : "";
    for (const [i, line] of lines.entries()) {
      const value = row?.metrics[line.metric];
      const node = values[i];
      if (node) node.textContent = line.format(value ?? null);
    }
  }

  function build(): void {
    plot?.destroy();
    const muted = themeColor("--muted");
    const grid = { stroke: themeColor("--hairline"), width: 1 };
    const axis: uPlot.Axis = { stroke: muted, font: FONT, grid, ticks: { show: false } };
    plot = new uPlot(
      {
        width: Math.max(canvas.clientWidth, 120),
        height: HEIGHT_PX,
        padding: [8, 8, 0, 0],
        legend: { show: false },
        cursor: { sync: { key: "steps" }, points: { size: 6 }, y: false, drag: { x: false } },
        scales: {
          x: { time: false },
          y: options.logarithmic
            ? { distr: 3 }
            : options.range
              ? { range: [options.range[0], options.range[1]] }
              : { range: freeRange },
        },
        axes: [
          { ...axis, size: 24, space: 60, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000] },
          {
            ...axis,
            size: 46,
            space: 34,
            ...(options.logarithmic
              ? { filter: onlyPowers, grid: { ...grid, filter: onlyPowers } }
              : {}),
            values: (_, ticks) =>
              ticks.map((tick) => (tick === null ? "" : (lines[0]?.format(tick) ?? ""))),
          },
        ],
        series: [
          {},
          ...lines.flatMap((line): uPlot.Series[] => {
            const stroke = themeColor(line.color);
            const base = { stroke, spanGaps: true, points: { show: rows.length < 3, size: 5 } };
            if (!line.smooth) return [{ ...base, width: 1.5 }];
            return [
              { ...base, width: 1, alpha: 0.3 },
              { ...base, width: 2, points: { show: false } },
            ];
          }),
        ],
        hooks: { setCursor: [(self) => showValues(self.cursor.idx ?? null)] },
      },
      toColumns(rows, lines, options.logarithmic ?? false) as uPlot.AlignedData,
      canvas,
    );
  }

  const observer = new ResizeObserver(() => {
    plot?.setSize({ width: Math.max(canvas.clientWidth, 120), height: HEIGHT_PX });
  });
  observer.observe(canvas);
  const stopTheme = onThemeChange(() => {
    if (plot) build();
  });
  showValues(null);

  return {
    element,
    update(next) {
      const grewFromDots = rows.length < 3 && next.length >= 3;
      rows = next;
      const columns = toColumns(rows, lines, options.logarithmic ?? false);
      const isEmpty = lines.every((_, i) => columns[columnOf(i)]?.every((v) => v === null) ?? true);
      empty.hidden = !isEmpty;
      canvas.hidden = isEmpty;
      if (isEmpty) return;
      if (plot && !grewFromDots) plot.setData(columns as uPlot.AlignedData);
      else build();
      if (plot?.cursor.idx == null) showValues(null);
    },
    dispose() {
      observer.disconnect();
      stopTheme();
      plot?.destroy();
    },
  };
}
