/**
 * Reads the main line of a trajectory (the path to its last sampled segment) as text. Only tokens are
 * recorded, so the prompt is recovered in one of two ways: the task renders to exactly the recorded tokens, or
 * the template's own tokens can be stripped from both ends of the text. Otherwise the trajectory is refused;
 * a prompt is never guessed.
 */
import type {
  FirstObservation,
  GivenSegment,
  SampledSegment,
  Segment,
  TaskReference,
  Trajectory,
  TrajectoryDetail,
} from "@waggle/protocol";
import type { ChatFormat } from "@waggle/text";
import {
  type Conversation,
  type ConversationTurn,
  isRefusal,
  type Refusal,
} from "./conversation.ts";
import {
  isSameTokens as isSame,
  isTurn,
  labelOf,
  mainLine,
  type RecordedPath,
  tokensOf,
} from "./recorded-path.ts";
import { spelledCalls, spelledResults, UNKNOWN } from "./recorded-json.ts";

/** What reading needs to know. */
export type TextReader = {
  readonly format: ChatFormat;
  /** The first observation of a task; `null` if its environment is not known here. */
  readonly describeTask: (task: TaskReference) => Promise<FirstObservation | null>;
};

/** A record that could be read as text. */
export type ReadTrajectory = RecordedPath & { readonly conversation: Conversation };

/** The path of a record, with its text if it can be read. */
export async function readPath(
  record: TrajectoryDetail,
  reader: TextReader,
): Promise<RecordedPath | Refusal> {
  const path = mainLine(record.trajectory);
  if (path.length === 0) return { refused: "nothing-sampled" };
  const read = await readTrajectory(record, reader);
  return isRefusal(read) ? { record, path, label: labelOf(record), conversation: null } : read;
}

/** The conversation of a record. Its label comes from the verifier, or else from the visitor's thumb. */
export async function readTrajectory(
  record: TrajectoryDetail,
  reader: TextReader,
): Promise<ReadTrajectory | Refusal> {
  const { trajectory } = record;
  const path = mainLine(trajectory);
  const start = await readPrompt(trajectory, reader);
  if ("refused" in start) return start;

  const turns: ConversationTurn[] = [];
  let given: GivenSegment[] = [];
  let open: { turn: ConversationTurn; sampledEnded: boolean } | null = null;
  for (const segment of path.slice(path.findIndex(isTurn))) {
    if (!isTurn(segment)) {
      given.push(segment as GivenSegment);
      continue;
    }
    if (open !== null) {
      const answered = readAnswer(open.turn, open.sampledEnded, given, reader.format);
      if ("refused" in answered) return answered;
      turns.push(answered);
    }
    given = [];
    open = {
      turn:
        segment.kind === "sampled"
          ? readTurn(record, segment, reader.format)
          : readEarlierTurn(segment, turns.length, reader.format),
      sampledEnded: reader.format.stopTokenIds.includes(segment.tokenIds.at(-1) ?? -1),
    };
  }
  if (open !== null) turns.push(open.turn);
  return {
    record,
    path,
    label: labelOf(record),
    conversation: {
      schemaVersion: 1,
      id: trajectory.id,
      system: start.system,
      tools: start.tools,
      userMessage: start.userMessage,
      turns,
      label: labelOf(record),
      pair: null,
    },
  };
}

/** The first observation of the policy. */
export async function readPrompt(
  trajectory: Trajectory,
  reader: TextReader,
): Promise<FirstObservation | Refusal> {
  const path = mainLine(trajectory);
  if (path.length === 0) return { refused: "nothing-sampled" };
  return readStart(path.slice(0, path.findIndex(isTurn)), trajectory.task, reader);
}

async function readStart(
  given: readonly Segment[],
  task: TaskReference | null,
  { format, describeTask }: TextReader,
): Promise<FirstObservation | Refusal> {
  const recorded = tokensOf(given);
  const known = task === null ? null : await describeTask(task);
  if (known !== null && isSame(tokensOf(format.start(known)), recorded)) return known;
  const user = given.at(-1);
  if (user?.kind !== "given" || user.role !== "user" || given.length > 2) return UNREADABLE;
  const system = given.length === 2 ? readSystem(given[0] as Segment, format) : "";
  if (system === null) return UNREADABLE;
  const probe = (userMessage: string): readonly number[] =>
    format.start({ system: system === "" ? "" : "system", tools: [], userMessage }).at(-1)
      ?.tokenIds ?? [];
  const userMessage = textWithin(user.tokenIds, probe, format);
  return userMessage === null ? UNREADABLE : { system, tools: [], userMessage };
}

const UNREADABLE: Refusal = { refused: "prompt-unreadable" };

/** The text of a system segment, including the tools as the template writes them. */
function readSystem(segment: Segment, format: ChatFormat): string | null {
  const shown = (system: string): string => {
    const [head] = format.start({ system, tools: [], userMessage: "user" });
    return head?.role === "system" ? format.decodeAssistant(head.tokenIds) : "";
  };
  const [a, b] = [shown(PROBES[0]), shown(PROBES[1])];
  const text = format.decodeAssistant(segment.tokenIds);
  const [unitsA, unitsB] = [a.split(""), b.split("")];
  const [from, after] = [commonPrefix(unitsA, unitsB), commonSuffix(unitsA, unitsB)];
  if (a === "" || !text.startsWith(a.slice(0, from)) || !text.endsWith(tail(a, after))) return null;
  return text.slice(from, text.length - after);
}

/** Two texts with no common token at either end. */
const PROBES = ["0", "zz"] as const;

/** The text inside the template's tokens, which `probe` renders; `null` if the tokens do not match. */
function textWithin(
  recorded: readonly number[],
  probe: (text: string) => readonly number[],
  format: ChatFormat,
): string | null {
  const [a, b] = [probe(PROBES[0]), probe(PROBES[1])];
  const [from, after] = [commonPrefix(a, b), commonSuffix(a, b)];
  const fits =
    a.length > 0 &&
    recorded.length >= from + after &&
    isSame(recorded.slice(0, from), a.slice(0, from)) &&
    isSame(recorded.slice(recorded.length - after), a.slice(a.length - after));
  return fits ? format.decodeAssistant(recorded.slice(from, recorded.length - after)) : null;
}

function readTurn(
  { trajectory }: TrajectoryDetail,
  segment: SampledSegment,
  format: ChatFormat,
): ConversationTurn {
  const raw = format.decodeAssistant(segment.tokenIds);
  const { text, parseError, toolCalls: sampled } = format.parseAssistant(raw);
  const turn = trajectory.turns.find(({ segmentId }) => segmentId === segment.id);
  const toolCalls = spelledCalls(turn?.toolCalls ?? [], sampled);
  const toolResults = turn?.toolResults ?? [];
  // A turn that could not be parsed keeps its raw text, including markers.
  const isUnreadable = parseError !== null || (turn !== undefined && turn.parseError !== null);
  if (isUnreadable) return { text: raw, toolCalls: [], toolResults };
  // Whitespace around an answer was sampled too.
  const isAll = toolCalls.length === 0 && raw.trim() === text;
  return { text: isAll ? raw : text, toolCalls, toolResults };
}

/** Reads a turn of an earlier request. It is context, and its calls are only in the tokens. */
function readEarlierTurn(
  segment: GivenSegment,
  index: number,
  format: ChatFormat,
): ConversationTurn {
  const raw = format.decodeAssistant(segment.tokenIds);
  const { text, toolCalls, parseError } = format.parseAssistant(raw);
  const isPlain = parseError !== null || (toolCalls.length === 0 && raw.trim() === text);
  return {
    text: isPlain ? raw : text,
    toolCalls: toolCalls.map((call, i) => ({ id: `h${index}-${i}`, ...call })),
    toolResults: [],
    isTarget: false,
  };
}

/** Placeholder results for a turn whose results are only in the tokens. */
function unknownResults({ toolCalls }: ConversationTurn, given: readonly GivenSegment[]) {
  if (!given.some(({ role }) => role === "tool")) return [];
  const ids = toolCalls.length > 0 ? toolCalls.map(({ id }) => id) : ["h"];
  return ids.map((callId) => ({ callId, ok: true as const, value: UNKNOWN }));
}

/** Adds the user's message to a turn, if the given tokens contain more than the results. */
function readAnswer(
  turn: ConversationTurn,
  sampledEnded: boolean,
  given: readonly GivenSegment[],
  format: ChatFormat,
): ConversationTurn | Refusal {
  const recorded = tokensOf(given);
  const known = turn.isTarget === false ? unknownResults(turn, given) : turn.toolResults;
  const isAnswer = (toolResults: ConversationTurn["toolResults"]): boolean =>
    toolResults.length > 0 &&
    isSame(tokensOf(format.next({ toolResults, sampledEnded })), recorded);
  if (isAnswer(turn.toolResults)) return turn;
  const toolResults =
    known.length === 0 ? [] : spelledResults(known, recorded, sampledEnded, format);
  if (toolResults.some((result) => result.ok && result.value === UNKNOWN)) return UNREADABLE;
  if (isAnswer(toolResults)) return { ...turn, toolResults };
  const results = toolResults.length === 0 ? {} : { toolResults };
  const userMessage = textWithin(
    recorded,
    (text) => tokensOf(format.next({ ...results, userMessage: text, sampledEnded })),
    format,
  );
  return userMessage === null ? UNREADABLE : { ...turn, toolResults, userMessage };
}

function commonPrefix<T>(a: readonly T[], b: readonly T[]): number {
  const at = a.findIndex((value, i) => value !== b[i]);
  return at === -1 ? a.length : at;
}

function commonSuffix<T>(a: readonly T[], b: readonly T[]): number {
  return commonPrefix(a.toReversed(), b.toReversed());
}

function tail(text: string, length: number): string {
  return text.slice(text.length - length);
}
