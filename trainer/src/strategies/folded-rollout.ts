/**
 * A rollout in contexts of one turn each: the request, the notes so far, the last result. What a turn says
 * beside its call is a note; one that begins with `=` replaces all before it.
 */
import { rollOut } from "@waggle/agent";
import type {
  DemonstratedAction,
  Judgement,
  EnvironmentSpec,
  JudgedEnvironment,
} from "@waggle/environments";
import { type JudgedTrajectory, toJudgedTrajectory } from "@waggle/learning";
import { type MemoryBank, memoryBank, operateMemory } from "@waggle/learning/states";
import type {
  Action,
  ClientDescription,
  Environment,
  FirstObservation,
  Observation,
  Policy,
  Sampling,
  TaskReference,
  ToolResult,
  Trajectory,
} from "@waggle/protocol";
import type { ChatFormat } from "@waggle/text";
import { scriptedPolicy, NOBODY } from "../rollouts/demonstrated-rollout.ts";
import { derivedSeed } from "../rollouts/random.ts";

/** Says that a note replaces those before it. */
const SUM = "=";

/** Most tokens of one turn: a note, a call. */
const MAX_TURN_TOKENS = 128;

export type FoldedRollout = {
  /** One a turn. */
  readonly trajectories: readonly Trajectory[];
  readonly verification: Judgement;
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
  { environment: whole }: JudgedEnvironment,
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
    ...{ ...actor, environment, chatFormat, ...drawn },
    ...(sampling === undefined ? {} : { sampling }),
    limits: { maxTurns: 1, maxTokensPerTurn: MAX_TURN_TOKENS, timeoutMs: 0 },
    consent: { version: "none", scopes: ["train"], grantedAt: "2026-01-01T00:00:00.000Z" },
  });
  drawn.signal.throwIfAborted();
  return { trajectory, taken: taken[0] ?? null };
}

export async function foldedRollout(
  instance: JudgedEnvironment,
  { policy, client, hear }: Actor,
  format: ChatFormat,
  { sampling, maxTurns, seed, records = false }: FoldedOptions & { readonly maxTurns: number },
  signal: AbortSignal,
): Promise<FoldedRollout> {
  const first = await instance.environment.observe();
  let bank = memoryBank();
  const ended: { last: Observation | null; said: string } = { last: null, said: "" };
  const trajectories: Trajectory[] = [];
  for (let turn = 0; turn < maxTurns && ended.last?.terminated !== true; turn += 1) {
    const seen = folded(first, bank, records ? null : ended.last);
    const { trajectory, taken } = await turnAlone(instance, { policy, client }, seen, format, {
      ...{ sampling, seed: derivedSeed(seed, turn), signal },
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
  const verification = instance.judge(ended.last?.terminated === true ? ended.said : null);
  return { trajectories, verification };
}

/** The beginning of a turn's context. */
function folded(
  first: FirstObservation,
  { entries }: MemoryBank,
  last: Observation | null,
): FirstObservation {
  const known =
    entries.length === 0 ? "" : ` Known: ${entries.map(({ text }) => text).join("; ")}.`;
  const results = (last?.toolResults ?? []).map(wordsOf);
  const seen = results.length === 0 ? "" : ` Last: ${results.join("; ")}.`;
  const told = last?.userMessage === undefined ? "" : ` ${last.userMessage}`;
  return { ...first, userMessage: `${first.userMessage}${known}${seen}${told}` };
}

function wordsOf(result: ToolResult): string {
  if (!result.ok) return result.error.message;
  return typeof result.value === "string" ? result.value : JSON.stringify(result.value);
}

/** A line for each call with its result, and for words that were answered. */
function recorded(bank: MemoryBank, action: Action, observation: Observation): MemoryBank {
  const lines = action.toolCalls.map((call, i) => {
    const result = observation.toolResults[i];
    const given = Object.values(call.arguments).join(" ");
    return `${call.name} ${given}: ${result === undefined ? "" : wordsOf(result)}`;
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
  if (!note.startsWith(SUM)) return operateMemory(bank, { operation: "add", text: note }).bank;
  const empty = bank.entries.reduce(
    (left, { id }) => operateMemory(left, { operation: "delete", id }).bank,
    bank,
  );
  return operateMemory(empty, { operation: "add", text: note.slice(SUM.length).trim() }).bank;
}

/** A demonstrator's, whose turns with a call note what the result before them says. */
export async function foldedDemonstration(
  spec: EnvironmentSpec,
  task: TaskReference,
  format: ChatFormat,
  options: FoldedOptions & {
    readonly random: () => number;
    readonly mistakes: number;
    readonly contextLength: number;
    readonly consolidates: boolean;
  },
  signal: AbortSignal,
): Promise<FoldedRollout> {
  const act = await spec.demonstrator(task, options.random, options.mistakes);
  const seen: { observation: Observation | null; call: Action["toolCalls"][number] | null } = {
    ...{ observation: null, call: null },
  };
  let notes: readonly { readonly line: string; readonly ok: boolean }[] = [];
  const note = (): string => {
    const result = seen.observation?.toolResults[0];
    if (result === undefined || seen.call === null) return "";
    const given = Object.values(seen.call.arguments).join(" ");
    const line = `${seen.call.name} ${given}: ${wordsOf(result)}`;
    // What failed before is no longer worth a line of its own.
    const sumsUp = options.consolidates && notes.some(({ ok }) => !ok);
    notes = [...notes.filter(({ ok }) => ok || !sumsUp), { line, ok: result.ok }];
    return sumsUp ? `${SUM} ${notes.map((each) => each.line).join(", ")}` : line;
  };
  const speak = (): number[] => {
    const { text, calls }: DemonstratedAction = act(seen.observation);
    return format.encodeAssistant(calls.length === 0 ? text : note() || text, calls);
  };
  return foldedRollout(
    spec.create(task),
    {
      policy: scriptedPolicy(speak, options.contextLength),
      client: NOBODY,
      hear: (action, observation) => {
        seen.observation = observation;
        seen.call = action.toolCalls[0] ?? null;
      },
    },
    format,
    { ...options, maxTurns: options.maxTurns ?? spec.maxTurns },
    signal,
  );
}

/** Its turns as trajectories, each judged by the end. */
export function foldedTrajectories(
  { trajectories, verification }: FoldedRollout,
  staleness: number,
): JudgedTrajectory[] {
  const joint = trajectories[0]?.id ?? null;
  return trajectories.map((trajectory) =>
    toJudgedTrajectory(trajectory, verification, { staleness, joint }),
  );
}
