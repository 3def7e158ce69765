/**
 * A visitor's first two visits to a page with the default model: what the page downloads, and how long the first token
 * takes, over a line of 20 Mbit/s and over one without a limit.
 */
import { type ColdVisit, coldVisits, LINE, UNTHROTTLED, type Visit } from "../cold-visit.ts";
import { type BenchRow, benchRow } from "../row.ts";
import type { Scenario } from "../scenario.ts";

/** Compressed JavaScript of a whole page, which test/e2e/page-size.test.ts holds. */
const SCRIPT_BUDGET_KB = 150;

/** First token of a second visit, in milliseconds. */
const SECOND_VISIT_MS = 1500;

/** First token of a first visit, relative to the line alone. */
const TIMES_THE_LINE = 1.5;

const LINES = [
  { name: "20 Mbit/s", line: LINE },
  { name: "unthrottled", line: UNTHROTTLED },
] as const;

export const coldStart: Scenario = {
  name: "cold-start",
  description:
    "download and first token of a new visitor at 20 Mbit/s and 40 ms, and unthrottled, and of the next visit",
  run: async function* ({ quick, report }) {
    const visit = await coldVisits();
    const visits = LINES.map((): ColdVisit[] => []);
    for (let round = 0; round < (quick ? 1 : 7); round++) {
      for (const [index, { name, line }] of LINES.entries()) {
        const one = await visit(line);
        visits[index]?.push(one);
        report(
          `${name}: first token after ${timesOf(one)}, and ${timesOf(one.second)} in the next visit`,
        );
      }
    }
    yield* byteRows(visits.flat());
    for (const [index, { name }] of LINES.entries()) {
      const some = visits[index] as ColdVisit[];
      const received = median(some, (one) => one.received);
      const lineMs = (received * 8000) / LINE.bitsPerSecond;
      const isLimited = name === "20 Mbit/s";
      yield* visitRows(`${name}, first visit`, some, {
        peer: isLimited ? TIMES_THE_LINE * lineMs : lineMs,
        peerName: isLimited ? "1.5 × the line alone" : "the line of 20 Mbit/s alone",
      });
      const seconds = some.map(({ second }) => second);
      const budget = { peer: SECOND_VISIT_MS, peerName: "budget" };
      yield* visitRows(`${name}, second visit`, seconds, budget);
    }
  },
};

function* byteRows(visits: readonly ColdVisit[]): Generator<BenchRow> {
  const received = median(visits, (one) => one.received) / 1024;
  const row = {
    unit: "KB",
    peer: received,
    peerName: "all of the download",
    agree: isAnswered(visits),
  };
  const kilobytes = (kind: "JavaScript" | "WASM" | "model"): number =>
    median(visits, ({ bytes }) => bytes[kind]) / 1024;
  yield benchRow({
    ...row,
    name: "first visit, JavaScript, compressed",
    ours: kilobytes("JavaScript"),
    peer: SCRIPT_BUDGET_KB,
    peerName: "budget",
  });
  yield benchRow({ ...row, name: "first visit, WASM, compressed", ours: kilobytes("WASM") });
  yield benchRow({ ...row, name: "first visit, model, compressed", ours: kilobytes("model") });
  yield benchRow({
    ...row,
    name: "second visit, all of the download",
    ours: median(visits, ({ second }) => second.received) / 1024,
    peerName: "the first visit",
  });
}

/** Times of visits, and each part's share of the time to the first token. */
function* visitRows(
  name: string,
  visits: readonly Visit[],
  peer: { readonly peer: number; readonly peerName: string },
): Generator<BenchRow> {
  const row = { ...peer, unit: "ms", agree: isAnswered(visits) };
  const first = median(visits, (one) => one.firstTokenMs);
  yield benchRow({ ...row, name: `${name}, first token`, ours: first });
  const processor = median(visits, ({ processorMs }) => processorMs);
  yield benchRow({ ...row, name: `${name}, processor time to the first token`, ours: processor });
  const share = { ...row, peer: first, peerName: "time to the first token" };
  for (const part of ["download", "compile", "load", "check", "firstToken"] as const) {
    const ours = median(visits, ({ parts }) => parts[part]);
    const label = part === "firstToken" ? "prompt and first token" : part;
    yield benchRow({ ...share, name: `${name}, share of ${label}`, ours });
  }
  for (const [what, of] of [
    ["first text of an answer", (one: Visit) => one.firstTextMs],
    ["end of the answer", (one: Visit) => one.answerMs],
  ] as const) {
    yield benchRow({ ...row, name: `${name}, ${what}`, ours: median(visits, of) });
  }
}

function timesOf({ firstTokenMs, processorMs }: Visit): string {
  return `${firstTokenMs.toFixed(0)} ms (processor ${processorMs.toFixed(0)} ms)`;
}

function isAnswered(visits: readonly Visit[]): boolean {
  return visits.every(({ firstTokenMs, answerMs }) => firstTokenMs > 0 && answerMs > firstTokenMs);
}

function median<T>(all: readonly T[], of: (one: T) => number): number {
  return all.map(of).toSorted((a, b) => a - b)[all.length >> 1] ?? Number.NaN;
}
