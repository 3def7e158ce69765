/**
 * A curve of held-out success over sampled tokens as SVG: each recipe's mean over seeds, the band of its
 * deviation, and the base as a line. Colours are read on white and on black; nothing is loaded.
 * By hand rather than with the plot of the runtime's bench, which is drawn by a browser.
 */
import { mean } from "@waggle/evaluation";
import type { RunRecord } from "./arm.ts";
import { spread, successAt } from "./recipe-summary.ts";

export type Curve = {
  readonly name: string;
  readonly colour: string;
  /** One run a seed. */
  readonly runs: readonly RunRecord[];
};

const SIZE = { width: 640, height: 300, left: 48, right: 16, top: 16, bottom: 44 };
const POINTS = 24;
const TEXT = "#808080";

/** @param base - success of the base. */
export function curvePicture(curves: readonly Curve[], base: number): string {
  const drawn = curves.filter(({ runs }) => runs.length > 0);
  const most = Math.max(1, ...drawn.map(({ runs }) => lastTokens(runs)));
  const everything = drawn.flatMap(({ runs }) =>
    runs.flatMap(({ curve }) => curve.map(({ success }) => success)),
  );
  const low = Math.max(0, Math.floor(10 * Math.min(base, ...everything) - 0.5) / 10);
  const x = (tokens: number): number =>
    SIZE.left + (tokens / most) * (SIZE.width - SIZE.left - SIZE.right);
  const y = (success: number): number =>
    SIZE.top + ((1 - success) / (1 - low)) * (SIZE.height - SIZE.top - SIZE.bottom);
  const levels = Array.from({ length: 11 }, (_, i) => i / 10).filter((level) => level >= low);
  const parts = [
    ...levels.flatMap((level) => [
      line(
        SIZE.left,
        y(level),
        SIZE.width - SIZE.right,
        y(level),
        `stroke="${TEXT}" stroke-opacity="0.25"`,
      ),
      label(SIZE.left - 6, y(level) + 4, `${Math.round(100 * level)} %`, "end"),
    ]),
    ...[0, 0.5, 1].map((share) =>
      label(
        x(share * most),
        SIZE.height - SIZE.bottom + 16,
        thousands(share * most),
        share === 1 ? "end" : "middle",
      ),
    ),
    line(
      x(0),
      y(base),
      x(most),
      y(base),
      `stroke="${TEXT}" stroke-width="1.5" stroke-dasharray="5 4"`,
    ),
    ...drawn.flatMap((curve) => drawnCurve(curve, x, y)),
    ...legend([...drawn, { name: "base, no learning", colour: TEXT }]),
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${SIZE.width} ${SIZE.height}" font-family="system-ui, sans-serif" font-size="12">\n${parts.join("\n")}\n</svg>\n`;
}

function drawnCurve(
  { colour, runs }: Curve,
  x: (tokens: number) => number,
  y: (success: number) => number,
): string[] {
  const last = lastTokens(runs);
  const points = Array.from({ length: POINTS + 1 }, (_, i) => {
    const tokens = (i / POINTS) * last;
    return { tokens, ...spread(runs.map(({ curve }) => successAt(curve, tokens))) };
  });
  const at = (tokens: number, success: number): string =>
    `${x(tokens).toFixed(1)},${y(Math.min(1, Math.max(0, success))).toFixed(1)}`;
  const upper = points.map((point) => at(point.tokens, point.mean + point.deviation));
  const lower = points.map((point) => at(point.tokens, point.mean - point.deviation));
  const middle = points.map((point) => at(point.tokens, point.mean));
  return [
    `<polygon points="${[...upper, ...lower.toReversed()].join(" ")}" fill="${colour}" fill-opacity="0.2"/>`,
    `<polyline points="${middle.join(" ")}" fill="none" stroke="${colour}" stroke-width="2"/>`,
  ];
}

function legend(entries: readonly { readonly name: string; readonly colour: string }[]): string[] {
  return entries.flatMap(({ name, colour }, i) => {
    const left = SIZE.left + 190 * i;
    const top = SIZE.height - 10;
    return [
      line(left, top - 4, left + 16, top - 4, `stroke="${colour}" stroke-width="3"`),
      label(left + 22, top, name, "start"),
    ];
  });
}

function lastTokens(runs: readonly RunRecord[]): number {
  return mean(runs.map(({ curve }) => curve.at(-1)?.sampledTokens ?? 0));
}

function line(x1: number, y1: number, x2: number, y2: number, style: string): string {
  const [a, b, c, d] = [x1, y1, x2, y2].map((value) => value.toFixed(1));
  return `<line x1="${a}" y1="${b}" x2="${c}" y2="${d}" ${style}/>`;
}

function label(x: number, y: number, text: string, anchor: string): string {
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" fill="${TEXT}" text-anchor="${anchor}">${text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")}</text>`;
}

function thousands(value: number): string {
  return value >= 1000 ? `${Math.round(value / 1000)}k` : String(Math.round(value));
}
