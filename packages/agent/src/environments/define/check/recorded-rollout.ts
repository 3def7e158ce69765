/**
 * Rollouts as JSON, to play their turns again in this or another runtime and to compare what the environment did. The
 * file has no part of a model or of Node: pages and Workers run it too.
 */
import type { DemonstratedAction, Demonstrator, EnvironmentSpec } from "@waggle/environments";
import {
  type FirstObservation,
  hashText,
  mulberry32,
  type Observation,
  type RandomSource,
  type TaskReference,
  type ToolResult,
} from "@waggle/protocol";
import { played, type Played } from "./check-context.ts";
import { isWithoutDemonstrator } from "./verifier-checks.ts";

/** Turns of a task, what the environment answered, and the verdict. */
export type RecordedRollout = {
  readonly task: TaskReference;
  readonly request: string;
  readonly first: FirstObservation;
  readonly turns: readonly (DemonstratedAction & { readonly seen: Observation })[];
  readonly judgment: Played["judgment"];
};

/** The first way in which a replay of the same turns differed. */
export type RolloutDifference = {
  /** `start`: the request, the prompt or the tools. */
  readonly at: "start" | "result" | "verdict";
  /** From 1; 0 at the start. */
  readonly turn: number;
  /** Name of the tool that was called. */
  readonly tool: string;
  readonly first: unknown;
  readonly second: unknown;
};

/** Plays a task with wrong calls and then a careless demonstrator. */
export async function recordedRollout(
  spec: EnvironmentSpec,
  reference: TaskReference,
  signal: AbortSignal,
): Promise<RecordedRollout> {
  const random = mulberry32(hashText(`replay/${reference.split}/${reference.seed}`));
  const { tools } = await spec.create(reference).environment.observe();
  const careless = await demonstratorOf(spec, reference, random);
  const names = tools.map(({ name }) => name);
  const act = afterStrangeCalls([...names, "no_such_tool"], careless);
  return recordOf(spec, reference, await played({ spec, signal }, reference, act));
}

/** Plays the gold turns of a task; `null` if there are none. */
export async function goldRollout(
  spec: EnvironmentSpec,
  reference: TaskReference,
  signal: AbortSignal,
): Promise<RecordedRollout | null> {
  if (spec.examples === undefined) return null;
  const gold = withoutErrors(await spec.examples.gold(reference));
  return recordOf(spec, reference, await played({ spec, signal }, reference, gold));
}

/** Plays the turns of a record again. */
export async function repeatedRollout(
  spec: EnvironmentSpec,
  { task, turns }: RecordedRollout,
  signal: AbortSignal = new AbortController().signal,
): Promise<RecordedRollout> {
  let next = 0;
  const act = (): DemonstratedAction => {
    const turn = turns[next];
    next += 1;
    if (turn === undefined) return { text: "", calls: [] };
    return { text: turn.text, calls: turn.calls };
  };
  return recordOf(spec, task, await played({ spec, signal }, task, act));
}

/** The first difference, byte by byte of their JSON; `null` if there is none. */
export function rolloutDifference(
  before: RecordedRollout,
  again: RecordedRollout,
): RolloutDifference | null {
  for (const [first, second] of [
    [before.request, again.request],
    [before.first, again.first],
  ]) {
    if (!isSame(first, second)) return { at: "start", turn: 0, tool: "", first, second };
  }
  for (const [i, { calls, seen }] of before.turns.entries()) {
    const other = again.turns[i]?.seen;
    if (other === undefined || isSame(seen, other)) continue;
    const at = seen.toolResults.findIndex((result, n) => !isSame(result, other.toolResults[n]));
    const [first, second] =
      at < 0 ? [seen, other] : [seen, other].map((one) => valueOf(one.toolResults[at]));
    return { at: "result", turn: i + 1, tool: calls[at]?.name ?? "a text", first, second };
  }
  const [first, second] = [before.judgment, again.judgment];
  if (isSame(first, second)) return null;
  return { at: "verdict", turn: before.turns.length, tool: "", first, second };
}

function recordOf(spec: EnvironmentSpec, task: TaskReference, one: Played): RecordedRollout {
  const turns = one.turns.map(({ action: { text, toolCalls }, seen }) => ({
    text,
    calls: toolCalls.map(({ name, arguments: given }) => ({ name, arguments: given })),
    seen,
  }));
  const { request } = spec.task(task);
  return { task, request, first: one.first, turns, judgment: one.judgment };
}

async function demonstratorOf(
  spec: EnvironmentSpec,
  reference: TaskReference,
  random: RandomSource,
): Promise<Demonstrator> {
  try {
    return await spec.demonstrator(reference, random, 0.35);
  } catch (error) {
    if (!isWithoutDemonstrator(error)) throw error;
    return () => ({ text: "", calls: [] });
  }
}

/** Begins with a turn of wrong calls, so that failures are compared too. */
function afterStrangeCalls(names: readonly string[], act: Demonstrator): Demonstrator {
  const careless = withoutErrors(act);
  let turn = 0;
  return (seen) => {
    turn += 1;
    if (turn === 1) {
      const strange = { text: "\u0000 😀", id: null, query: ["x"], n: -1 };
      const calls = names.flatMap((name) => [
        { name, arguments: {} },
        { name, arguments: strange },
      ]);
      return { text: "", calls };
    }
    // The strange calls may have changed what the author's code relies on.
    return careless(turn === 2 ? null : seen);
  };
}

/** A silent turn follows where the author's code throws. */
function withoutErrors(act: Demonstrator): Demonstrator {
  return (seen) => {
    try {
      return act(seen);
    } catch {
      return { text: "", calls: [] };
    }
  };
}

/** What the model reads of a result. */
function valueOf(result: ToolResult | undefined): unknown {
  if (result === undefined) return undefined;
  return result.ok ? result.value : result.error.message;
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
