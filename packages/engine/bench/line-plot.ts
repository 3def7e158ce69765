/** Draws a line plot with uPlot in Chromium and saves it as a PNG. For evidence only. */
import { createRequire } from "node:module";
import { chromium } from "playwright-core";
import type uPlot from "uplot";
import { CHROMIUM_FLAGS, chromiumPath } from "../../../scripts/chromium.mjs";

const require = createRequire(import.meta.url);

export type LinePlot = {
  readonly title: string;
  readonly xLabel: string;
  readonly yLabel: string;
  readonly x: readonly number[];
  readonly lines: readonly { readonly label: string; readonly y: readonly number[] }[];
};

const COLORS = ["#888", "#1d6fd8", "#d8731d", "#2a9d5c"];

/** @param path of the PNG file to write. */
export async function drawLines(plot: LinePlot, path: string): Promise<void> {
  const browser = await chromium.launch({ executablePath: chromiumPath(), args: CHROMIUM_FLAGS });
  try {
    const page = await browser.newPage({ viewport: { width: 792, height: 480 } });
    await page.addScriptTag({ path: require.resolve("uplot/dist/uPlot.iife.min.js") });
    await page.addStyleTag({ path: require.resolve("uplot/dist/uPlot.min.css") });
    await page.evaluate(
      ({ title, xLabel, yLabel, x, lines, colors }) => {
        const Plot = (globalThis as unknown as { uPlot: typeof uPlot }).uPlot;
        document.body.style.cssText = "margin: 16px; background: white; width: 760px";
        const { promise, resolve } = Promise.withResolvers<null>();
        new Plot(
          {
            width: 740,
            height: 380,
            title,
            legend: { live: false },
            scales: { x: { time: false }, y: { range: (_, __, most) => [0, most * 1.1] } },
            hooks: { draw: [() => resolve(null)] },
            axes: [{ label: xLabel }, { label: yLabel }],
            series: [
              { label: xLabel },
              ...lines.map(({ label }, i) => ({
                label,
                stroke: colors[i] ?? "#444",
                width: 2,
                points: { size: 6 },
              })),
            ],
          },
          [[...x], ...lines.map(({ y }) => [...y])],
          document.body,
        );
        return promise;
      },
      { ...plot, colors: COLORS },
    );
    await page.locator("body").screenshot({ path });
  } finally {
    await browser.close();
  }
}
