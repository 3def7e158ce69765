/** What the checks of an environment share: sampled tasks, findings and rollouts without a model. */
import type { Demonstrator, EnvironmentSpec, Judgment } from "@waggle/environments";
import {
  type Action,
  type FirstObservation,
  type Observation,
  type TaskReference,
  type TaskSplit,
  type ToolCall,
  WaggleError,
} from "@waggle/protocol";
import { brokenLimit } from "../../../broken-limit.ts";

/** What a check found, in words. */
export type Finding = {
  readonly status: "passed" | "failed" | "skipped";
  readonly words: string;
  /** A task that shows the failure. */
  readonly task?: TaskReference | undefined;
};

/** The environment and the tasks to check it with. */
export type CheckContext = {
  readonly spec: EnvironmentSpec;
  /** Sampled tasks of every split and level. */
  readonly references: readonly TaskReference[];
  readonly signal: AbortSignal;
  /** Called after each task. */
  readonly onTask: (done: number, tasks: number) => void;
};

const SPLITS = ["train", "heldOut"] as const satisfies readonly TaskSplit[];

/** `count` tasks of every split and level. @param first - number of the first one. */
export function sampledReferences(
  spec: EnvironmentSpec,
  count: number,
  first: number = 0,
): TaskReference[] {
  const places = Array.from({ length: count }, (_, i) => (first + i) * spec.levels);
  const levels = Array.from({ length: spec.levels }, (_, level) => level);
  return SPLITS.flatMap((split) =>
    levels.flatMap((level) => places.map((seed) => spec.reference(seed, split, level))),
  );
}

/** Calls `visit` for every task of a list until it finds something. */
export async function visited<T>(
  { signal, onTask }: CheckContext,
  references: readonly TaskReference[],
  visit: (reference: TaskReference) => Promise<T | null> | T | null,
): Promise<T | null> {
  for (const [i, reference] of references.entries()) {
    signal.throwIfAborted();
    const found = await visit(reference);
    if (found !== null) return found;
    onTask(i + 1, references.length);
  }
  return null;
}

export function passed(words: string): Finding {
  return { status: "passed", words };
}

export function skipped(words: string): Finding {
  return { status: "skipped", words };
}

export function failed(words: string, task?: TaskReference): Finding {
  return { status: "failed", words, task };
}

/** `seed 7, train, level 0`. */
export function placeOf(spec: EnvironmentSpec, reference: TaskReference): string {
  return `seed ${reference.seed}, ${reference.split}, level ${spec.levelOf(reference)}`;
}

/** Characters of a request that a message shows. */
const SHOWN_REQUEST = 80;

/** The place of a task with its request, so that its author knows which kind it is. */
export function taskNamed(spec: EnvironmentSpec, reference: TaskReference): string {
  const { request } = spec.task(reference);
  const shown = request.length > SHOWN_REQUEST ? `${request.slice(0, SHOWN_REQUEST)}…` : request;
  return `${placeOf(spec, reference)} (${JSON.stringify(shown)})`;
}

/** A rollout without a model. */
export type Played = {
  readonly first: FirstObservation;
  readonly turns: readonly { readonly action: Action; readonly seen: Observation }[];
  /** Whether the task ended before the turn limit. */
  readonly hasEnded: boolean;
  /** The verdict; an error's message if the verifier gave none. */
  readonly judgment: Judgment | string;
};

/**
 * Plays a demonstrator's turns.
 *
 * @throws WaggleError `TOOL_FAILED` if a tool takes too long, which would slow every check, or returns too much.
 */
export async function played(
  { spec, signal }: Pick<CheckContext, "spec" | "signal">,
  reference: TaskReference,
  act: Demonstrator,
): Promise<Played> {
  const { environment, judge } = spec.create(reference);
  const first = await environment.observe();
  const turns: Played["turns"][number][] = [];
  let seen: Observation | null = null;
  while (turns.length < spec.maxTurns && seen?.terminated !== true) {
    const { text, calls } = act(seen);
    const toolCalls = calls.map((call, i) => ({ id: `c${turns.length}-${i}`, ...call }));
    seen = await environment.step({ text, toolCalls }, signal);
    requireWithinLimits(placeOf(spec, reference), toolCalls, seen);
    turns.push({ action: { text, toolCalls }, seen });
  }
  const hasEnded = seen?.terminated === true;
  const text = hasEnded ? (turns.at(-1)?.action.text ?? null) : null;
  return { first, turns, hasEnded, judgment: await verdict(() => judge(text)) };
}

function requireWithinLimits(
  place: string,
  toolCalls: readonly ToolCall[],
  { toolResults }: Observation,
): void {
  for (const [i, result] of toolResults.entries()) {
    const broken = brokenLimit(toolCalls[i]?.name ?? "a tool", result, place);
    if (broken !== null) throw new WaggleError("TOOL_FAILED", broken);
  }
}

/** The verdict, or the message of the verifier's error. */
export async function verdict(
  judge: () => Judgment | Promise<Judgment>,
): Promise<Judgment | string> {
  try {
    return await judge();
  } catch (error) {
    if (WaggleError.is(error, "REWARD_UNAVAILABLE")) return error.message;
    throw error;
  }
}

/** Whether it succeeded. */
export function hasSucceeded({ judgment }: Played): boolean {
  return typeof judgment !== "string" && judgment.success;
}

/** Why a rollout did not succeed, for its author. */
export function reasonOf(spec: EnvironmentSpec, { turns, hasEnded, judgment }: Played): string {
  if (!hasEnded) return `it has not ended after ${spec.maxTurns} turns; raise maxTurns`;
  if (typeof judgment === "string") return judgment;
  const { reasons } = judgment.parts;
  const said = reasons === undefined ? "the verifier says no" : String(reasons);
  const [failure] = turns.flatMap(({ action, seen }) =>
    seen.toolResults.flatMap((result, i) => {
      if (result.ok) return [];
      const tool = action.toolCalls[i]?.name ?? "a tool";
      return [`a call of ${tool} failed: ${result.error.message.slice(0, 200)}`];
    }),
  );
  return failure === undefined ? said : `${said}; ${failure}`;
}

/** `12 tasks`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

export function percent(rate: number): string {
  return `${Math.round(100 * rate)} %`;
}

/** A text in quotes, shortened. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}
