/** A visitor's first two visits: what the page downloads, and how long the first answer takes at 20 Mbit/s. */
import { type ColdVisit, coldVisits, LINE } from "../cold-visit.ts";
import { benchRow } from "../row.ts";
import type { Scenario } from "../scenario.ts";

/** Compressed JavaScript of a whole page, which test/e2e/page-size.test.ts holds. */
const SCRIPT_BUDGET_KB = 150;

/** Of a second visit, in milliseconds. */
const SECOND_VISIT_MS = 1500;

export const coldStart: Scenario = {
  name: "cold-start",
  description:
    "download and first answer of a new visitor at 20 Mbit/s and 40 ms, and of the next visit",
  run: async function* ({ quick, report }) {
    const visit = await coldVisits();
    const visits: ColdVisit[] = [];
    for (let round = 0; round < (quick ? 1 : 7); round++) {
      const one = await visit();
      visits.push(one);
      report(
        `first text after ${one.firstTextMs.toFixed(0)} ms, and ${one.second.firstTextMs.toFixed(0)} ms in the next visit`,
      );
    }
    const median = (values: readonly number[]): number =>
      values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
    const middle = (of: (one: ColdVisit) => number): number => median(visits.map((one) => of(one)));
    const received = middle((one) => one.received);
    const text = { agree: visits.every(({ firstTextMs }) => firstTextMs > 0) };
    const all = { peerName: "all of the download", unit: "KB", ...text };
    const kilobytes = (kind: "JavaScript" | "WASM" | "model") =>
      middle(({ bytes }) => bytes[kind]) / 1024;
    yield benchRow({
      ...all,
      name: "cold start, JavaScript, compressed",
      ours: kilobytes("JavaScript"),
      peer: SCRIPT_BUDGET_KB,
      peerName: "budget",
    });
    for (const kind of ["WASM", "model"] as const) {
      const name = `cold start, ${kind}${kind === "WASM" ? ", compressed" : ""}`;
      yield benchRow({ ...all, name, ours: kilobytes(kind), peer: received / 1024 });
    }
    const time = {
      peer: (received * 8000) / LINE.bitsPerSecond,
      peerName: "the line alone",
      unit: "ms",
      ...text,
    };
    const firstText = middle(({ firstTextMs }) => firstTextMs);
    yield benchRow({ ...time, name: "cold start, first text of an answer", ours: firstText });
    const answer = middle(({ answerMs }) => answerMs);
    yield benchRow({ ...time, name: "cold start, end of the first answer", ours: answer });
    const agree = visits.every(({ second }) => second.firstTextMs > 0);
    yield benchRow({
      name: "second visit, first text of an answer",
      ours: middle(({ second }) => second.firstTextMs),
      peer: SECOND_VISIT_MS,
      peerName: "budget",
      unit: "ms",
      agree,
    });
    yield benchRow({
      ...all,
      agree,
      name: "second visit, all of the download",
      ours: middle(({ second }) => second.received) / 1024,
      peer: received / 1024,
      peerName: "the first visit",
    });
  },
};
