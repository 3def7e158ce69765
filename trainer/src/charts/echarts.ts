/** The parts of ECharts that charts of evidence pages use. Loading them takes a second, so only drawing a chart does. */
import { CustomChart, LineChart, ScatterChart } from "echarts/charts";
import { GridComponent, LegendComponent, TitleComponent } from "echarts/components";
import { init, use } from "echarts/core";
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

export { init };
