/**
 * A rollout in contexts of one turn each: the request, the notes so far, the last result. What a turn says
 * beside its call is a note; one that begins with `=` replaces all before it.
 */
import { memoryBank, operateMemory } from "@waggle/learning";
import type { MemoryBank } from "@waggle/learning";
import type {
  Action,
  ClientDescription,
  Environment,
  FirstObservation,
  Observation,
  Policy,
  Sampling,
  ToolResult,
  Trajectory,
} from "@waggle/protocol";
import { derivedSeed } from "@waggle/protocol";
import type { ChatFormat } from "@waggle/text";
import { rollOut } from "./roll-out.ts";

/** Begins a note that replaces all before it. */
export const NOTE_REPLACES = "=";

/** Most tokens of one turn: a note, a call. */
const MAX_TURN_TOKENS = 128;

export type FoldedTurns = {
  /** One a turn. */
  readonly trajectories: readonly Trajectory[];
  /** Text of the turn that ended the task; `null` where it was cut before. */
  readonly finalText: string | null;
};

export type FoldedOptions = {
  readonly sampling?: Omit<Sampling, "seed"> | undefined;
  readonly maxTurns?: number | undefined;
  readonly seed: number;
  /** Whether calls, words and what answered them are noted; default what the policy notes alone. */
  readonly records?: boolean | undefined;
};

type Actor = {
  readonly policy: Policy;
  readonly client: ClientDescription;
  /** Told of what each turn came to. */
  readonly hear: (action: Action, observation: Observation) => void;
};

/** One turn whose context begins with this, and what came of it; `null` for nothing: unreadable, or cut. */
export async function turnAlone(
  whole: Environment,
  actor: Omit<Actor, "hear">,
  first: FirstObservation,
  chatFormat: ChatFormat,
  {
    sampling,
    ...drawn
  }: Pick<FoldedOptions, "sampling" | "seed"> & { readonly signal: AbortSignal },
): Promise<{
  readonly trajectory: Trajectory;
  readonly taken: { readonly action: Action; readonly observation: Observation } | null;
}> {
  const taken: { action: Action; observation: Observation }[] = [];
  const environment: Environment = {
    task: whole.task,
    observe: async () => first,
    async step(action, signal) {
      const observation = await whole.step(action, signal);
      taken.push({ action, observation });
      return { ...observation, terminated: true };
    },
  };
  const trajectory = await rollOut({
    ...actor,
    environment,
    chatFormat,
    ...drawn,
    ...(sampling === undefined ? {} : { sampling }),
    limits: { maxTurns: 1, maxTokensPerTurn: MAX_TURN_TOKENS, timeoutMs: 0 },
    consent: { version: "none", scopes: ["train"], grantedAt: "2026-01-01T00:00:00.000Z" },
  });
  drawn.signal.throwIfAborted();
  return { trajectory, taken: taken[0] ?? null };
}

/** Rolls a task out in contexts of one turn each. */
export async function foldedRollout(
  environment: Environment,
  { policy, client, hear }: Actor,
  format: ChatFormat,
  { sampling, maxTurns, seed, records = false }: FoldedOptions & { readonly maxTurns: number },
  signal: AbortSignal,
): Promise<FoldedTurns> {
  const first = await environment.observe();
  let bank = memoryBank();
  const ended: { last: Observation | null; said: string } = { last: null, said: "" };
  const trajectories: Trajectory[] = [];
  for (let turn = 0; turn < maxTurns && ended.last?.terminated !== true; turn += 1) {
    const seen = folded(first, bank, records ? null : ended.last);
    const { trajectory, taken } = await turnAlone(environment, { policy, client }, seen, format, {
      sampling,
      seed: derivedSeed(seed, turn),
      signal,
    });
    trajectories.push(trajectory);
    if (taken === null) break;
    const { action, observation } = taken;
    hear(action, observation);
    if (records) bank = recorded(bank, action, observation);
    else if (action.toolCalls.length > 0) bank = noted(bank, action.text);
    ended.said = action.text;
    ended.last = observation;
  }
  return { trajectories, finalText: ended.last?.terminated === true ? ended.said : null };
}

/** The beginning of a turn's context. */
function folded(
  first: FirstObservation,
  { entries }: MemoryBank,
  last: Observation | null,
): FirstObservation {
  const known =
    entries.length === 0 ? "" : ` Known: ${entries.map(({ text }) => text).join("; ")}.`;
  const results = (last?.toolResults ?? []).map(resultWords);
  const seen = results.length === 0 ? "" : ` Last: ${results.join("; ")}.`;
  const told = last?.userMessage === undefined ? "" : ` ${last.userMessage}`;
  return { ...first, userMessage: `${first.userMessage}${known}${seen}${told}` };
}

/** A tool's result in words. */
export function resultWords(result: ToolResult): string {
  if (!result.ok) return result.error.message;
  return typeof result.value === "string" ? result.value : JSON.stringify(result.value);
}

/** A line for each call with its result, and for words that were answered. */
function recorded(bank: MemoryBank, action: Action, observation: Observation): MemoryBank {
  const lines = action.toolCalls.map((call, i) => {
    const result = observation.toolResults[i];
    const given = Object.values(call.arguments).join(" ");
    return `${call.name} ${given}: ${result === undefined ? "" : resultWords(result)}`;
  });
  if (observation.userMessage !== undefined) {
    lines.push(`${action.text.trim()} ${observation.userMessage}`);
  }
  return lines.reduce(
    (bankSoFar, text) => operateMemory(bankSoFar, { operation: "add", text }).bank,
    bank,
  );
}

function noted(bank: MemoryBank, text: string): MemoryBank {
  const note = text.trim();
  if (note === "") return bank;
  if (!note.startsWith(NOTE_REPLACES))
    return operateMemory(bank, { operation: "add", text: note }).bank;
  const empty = bank.entries.reduce(
    (left, { id }) => operateMemory(left, { operation: "delete", id }).bank,
    bank,
  );
  return operateMemory(empty, { operation: "add", text: note.slice(NOTE_REPLACES.length).trim() })
    .bank;
}
