/**
 * SVG charts for evidence pages, rendered without a browser. A light background keeps them readable
 * on light and dark pages. Not the dashboard's live charts.
 */
import type { EChartsCoreOption } from "echarts/core";

/** Colors that are distinguishable with red-green color blindness. Source: Okabe and Ito 2008. */
export const COLORS: readonly string[] = [
  "#0072b2",
  "#d55e00",
  "#009e73",
  "#cc79a7",
  "#56b4e9",
  "#e69f00",
  "#000000",
];

/** Renders a chart specification as SVG. */
export async function svgOf(
  option: EChartsCoreOption,
  { width, height }: { readonly width: number; readonly height: number },
): Promise<string> {
  const { init } = await import("./echarts.ts");
  const chart = init(null, null, { renderer: "svg", ssr: true, width, height });
  try {
    chart.setOption({
      animation: false,
      backgroundColor: "#ffffff",
      color: [...COLORS],
      ...option,
    });
    return withOwnIds(chart.renderToSVGString());
  } finally {
    chart.dispose();
  }
}

/** ECharts counts ids and classes over all charts of the process. Here they are counted in each chart. */
function withOwnIds(svg: string): string {
  const names = new Map<string, string>();
  return svg.replaceAll(/zr\d+-(cls-|[a-z]+)\d+/g, (id, kind: string) => {
    const name = names.get(id) ?? `zr-${kind}${names.size}`;
    names.set(id, name);
    return name;
  });
}
