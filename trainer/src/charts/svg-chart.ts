/**
 * Pictures for pages of evidence: SVG, drawn without a browser. Legible on light and on dark pages:
 * the picture has its own light ground. Not the dashboard's charts, which live.
 */
import { init, type EChartsCoreOption, use } from "echarts/core";
import { CustomChart, LineChart, ScatterChart } from "echarts/charts";
import { GridComponent, LegendComponent, TitleComponent } from "echarts/components";
import { SVGRenderer } from "echarts/renderers";

use([
  CustomChart,
  LineChart,
  ScatterChart,
  GridComponent,
  LegendComponent,
  TitleComponent,
  SVGRenderer,
]);

/** Told apart by people who do not tell red from green. Source: Okabe and Ito 2008. */
export const COLORS: readonly string[] = [
  "#0072b2",
  "#d55e00",
  "#009e73",
  "#cc79a7",
  "#56b4e9",
  "#e69f00",
  "#000000",
];

export function svgOf(
  option: EChartsCoreOption,
  { width, height }: { readonly width: number; readonly height: number },
): string {
  const chart = init(null, null, { renderer: "svg", ssr: true, width, height });
  try {
    chart.setOption({
      animation: false,
      backgroundColor: "#ffffff",
      color: [...COLORS],
      ...option,
    });
    return chart.renderToSVGString();
  } finally {
    chart.dispose();
  }
}
