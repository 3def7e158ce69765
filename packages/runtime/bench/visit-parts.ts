/** How long the parts of a visit took: from the timelines of the page and its worker. */
import type { Page } from "playwright-core";

/** Milliseconds of each part. Parts overlap, and the rest is JavaScript and waiting. */
export type VisitParts = {
  /** Time with at least one request of the page or its worker under way. */
  readonly download: number;
  /** onnxruntime's binary or the kernels; while it arrives, for onnxruntime. */
  readonly compile: number;
  /** Reading the model into the worker's memory. */
  readonly load: number;
  /** The check of the device. */
  readonly check: number;
  /** From the first request for tokens to the first token in the page. */
  readonly firstToken: number;
};

type Span = { readonly from: number; readonly to: number };
type Timeline = {
  readonly requests: readonly Span[];
  readonly measures: readonly (Span & { readonly name: string })[];
};

/** @param first - when tokens were asked for and the first one came, since the navigation. Later spans are left out. */
export async function visitParts(
  page: Page,
  first: { readonly askedMs: number; readonly tokenMs: number },
): Promise<VisitParts> {
  const timelines = await Promise.all([
    page.evaluate(readTimeline),
    ...page.workers().map((worker) => worker.evaluate(readTimeline)),
  ]);
  const start = await page.evaluate(() => performance.timeOrigin);
  const end = start + first.tokenMs;
  const requests = timelines.flatMap((timeline) => timeline.requests);
  const measures = timelines.flatMap((timeline) => timeline.measures);
  const named = (...names: string[]): number =>
    unionMs(
      measures.filter(({ name }) => names.includes(name)),
      end,
    );
  return {
    download: unionMs(requests, end),
    compile: named("waggle compile"),
    load: named("waggle read", "waggle open"),
    check: named("waggle check"),
    firstToken: first.tokenMs - first.askedMs,
  };
}

/** Runs in the page or worker. Times since the epoch. */
function readTimeline(): Timeline {
  const { timeOrigin } = performance;
  const span = ({ startTime, duration }: PerformanceEntry): Span => ({
    from: timeOrigin + startTime,
    to: timeOrigin + startTime + duration,
  });
  return {
    requests: ["resource", "navigation"].flatMap((type) =>
      performance.getEntriesByType(type).map(span),
    ),
    measures: performance
      .getEntriesByType("measure")
      .map((entry) => ({ name: entry.name, ...span(entry) })),
  };
}

/** Milliseconds covered by at least one span, up to `end`. */
function unionMs(spans: readonly Span[], end: number): number {
  let [sum, covered] = [0, Number.NEGATIVE_INFINITY];
  for (const { from, to } of spans.toSorted((a, b) => a.from - b.from)) {
    const [begin, stop] = [Math.max(from, covered), Math.min(to, end)];
    if (stop <= begin) continue;
    sum += stop - begin;
    covered = stop;
  }
  return sum;
}
