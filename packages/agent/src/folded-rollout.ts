/**
 * A rollout that gives each turn a context of its own: the request, the notes so far and the last result.
 * Text that a turn writes beside its call becomes a note. A note that begins with `=` replaces all others.
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
import { TRAINING_CONSENT } from "./training-consent.ts";

/** Prefix of a note that replaces all earlier notes. */
export const NOTE_REPLACES = "=";

/** Maximum number of tokens in one turn by default. */
const MAX_TURN_TOKENS = 128;

/** Result of a folded rollout. */
export type FoldedTurns = {
  /** One trajectory per turn. */
  readonly trajectories: readonly Trajectory[];
  /** Text of the turn that ended the task; `null` if the rollout was cut short. */
  readonly finalText: string | null;
};

/** Options of a folded rollout. */
export type FoldedOptions = {
  readonly sampling?: Omit<Sampling, "seed"> | undefined;
  readonly maxTurns?: number | undefined;
  /** Default 128. */
  readonly maxTurnTokens?: number | undefined;
  readonly seed: number;
  /** Whether calls and answers are noted automatically. Default false: only the policy's own notes are kept. */
  readonly records?: boolean | undefined;
};

type Actor = {
  readonly policy: Policy;
  readonly client: ClientDescription;
  /** Called with the action and observation of each turn. */
  readonly hear: (action: Action, observation: Observation) => void;
};

/** Rolls out a single turn that starts from `first`. `taken` is `null` if the turn was cut or could not be parsed. */
export async function turnAlone(
  whole: Environment,
  actor: Omit<Actor, "hear">,
  first: FirstObservation,
  chatFormat: ChatFormat,
  {
    sampling,
    maxTurnTokens = MAX_TURN_TOKENS,
    ...drawn
  }: Pick<FoldedOptions, "sampling" | "seed" | "maxTurnTokens"> & { readonly signal: AbortSignal },
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
    limits: { maxTurns: 1, maxTokensPerTurn: maxTurnTokens, timeoutMs: 0 },
    consent: TRAINING_CONSENT,
  });
  drawn.signal.throwIfAborted();
  return { trajectory, taken: taken[0] ?? null };
}

/** Rolls out a task in contexts of one turn each. */
export async function foldedRollout(
  environment: Environment,
  { policy, client, hear }: Actor,
  format: ChatFormat,
  {
    sampling,
    maxTurns,
    maxTurnTokens,
    seed,
    records = false,
  }: FoldedOptions & { readonly maxTurns: number },
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
      maxTurnTokens,
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

/** The first observation of a turn: the request, the notes and the last result. */
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

/** A tool result as text for a prompt. */
export function resultWords(result: ToolResult): string {
  if (!result.ok) return result.error.message;
  return typeof result.value === "string" ? result.value : JSON.stringify(result.value);
}

/** Notes each call with its result, and the turn's text if the user answered it. */
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
