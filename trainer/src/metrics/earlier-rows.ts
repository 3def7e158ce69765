/**
 * Rows of `metrics.jsonl` that releases before version 2 wrote. `train` wrote its events. The other commands
 * wrote `{ step, at, metrics }`, with an evaluation among the numbers of the step before it.
 */
import { isObject } from "@waggle/protocol";
import { z } from "zod";
import { count, type LoggedRow, measured } from "./logged-row.ts";
import { type RunEvent, runEventRow } from "./run-event.ts";
import { Spent } from "./spent.ts";

const numbers = z.record(z.string(), measured);

const Row = z.strictObject({ step: count, at: z.iso.datetime(), metrics: numbers });

const Event: z.ZodType<RunEvent> = z.discriminatedUnion("event", [
  z.strictObject({
    event: z.literal("step"),
    stage: z.string(),
    step: count,
    steps: count,
    spent: Spent,
    metrics: numbers,
  }),
  z.strictObject({
    event: z.literal("evaluated"),
    stage: z.string(),
    step: count,
    heldOut: z.strictObject({
      successes: z.array(z.boolean()),
      toolCallsMean: measured,
      sampledTokensMean: measured,
    }),
  }),
]);

/** Names of evaluations among the numbers of a step, and their present names. */
const EVALUATIONS: ReadonlyMap<string, string> = new Map([
  ["heldOutSuccess", "success"],
  ["heldOutLoss", "loss"],
]);

const rows: z.ZodType<LoggedRow[]> = Row.transform(({ step, at, metrics }) => {
  const ofStep: { [name: string]: number } = {};
  const ofEvaluation: { [name: string]: number } = {};
  for (const [name, value] of Object.entries(metrics)) {
    const evaluation = EVALUATIONS.get(name);
    if (evaluation === undefined) ofStep[name] = value;
    else ofEvaluation[evaluation] = value;
  }
  return [
    { event: "step" as const, step, at, metrics: ofStep },
    { event: "evaluated" as const, step, at, metrics: ofEvaluation },
  ].filter((row) => Object.keys(row.metrics).length > 0);
});

/**
 * The rows in a line of an earlier release.
 *
 * @param stepsDone - learning steps in the lines before it.
 */
export function earlierRows(value: unknown, stepsDone: number): z.ZodSafeParseResult<LoggedRow[]> {
  if (!isObject(value) || value["event"] === undefined) return rows.safeParse(value);
  const step = value["event"] === "step" ? stepsDone + 1 : stepsDone;
  return Event.transform((event) => [{ ...runEventRow(event, step), at: null }]).safeParse(value);
}
