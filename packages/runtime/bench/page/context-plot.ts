/** Plots milliseconds per token over the context; the benchmark takes a screenshot. */
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { GrowthOptions, GrowthResult } from "./context-growth.ts";

export type PlotOptions = {
  readonly contexts: GrowthOptions["contexts"];
  readonly result: GrowthResult;
};

export function measure({ contexts, result }: PlotOptions): Promise<null> {
  const drawn = Promise.withResolvers<null>();
  document.body.style.cssText = "margin: 16px; background: white; width: 760px";
  const series = (label: string, stroke: string): uPlot.Series => ({
    label,
    stroke,
    width: 2,
    points: { size: 6 },
  });
  new uPlot(
    {
      width: 740,
      height: 380,
      title: "Decoding on WebGPU (SwiftShader): milliseconds per token by context",
      scales: { x: { time: false }, y: { range: (_, __, most) => [0, most * 1.1] } },
      legend: { live: false },
      hooks: { draw: [() => drawn.resolve(null)] },
      axes: [{ label: "tokens in the context" }, { label: "ms per token" }],
      series: [
        { label: "context" },
        series("Waggle", "#1d6fd8"),
        series("Transformers.js", "#d8731d"),
        series("attention alone", "#888"),
      ],
    },
    [[...contexts], [...result.ours], [...result.peer], [...result.attention]],
    document.body,
  );
  return drawn.promise;
}
