/** Plays practice tasks with the page's tools and with the environment's, and compares what they return. */
import type { EnvironmentCheck } from "@waggle/agent/define";
import { brokenLimit, createToolRunner } from "@waggle/agent/tools";
import type { EnvironmentSpec } from "@waggle/environments";
import {
  canonicalJson,
  differingExcerpts,
  hashText,
  mulberry32,
  type Observation,
  type TaskReference,
  type Tool,
  type ToolCall,
  type ToolResult,
} from "@waggle/protocol";
import type { LoadedSite } from "./load-site.ts";

const CHECK = "page";
/** A tool's mistake in one task of 27 is among them with a probability of 98 %. */
const TASKS = 100;
/** Every second task is played with mistakes, so that failed calls are compared too. */
const MISTAKES = 0.35;
/** Of arguments and results in a difference. */
const MOST_CHARACTERS = 120;

/** Milliseconds after which a call ends if its tool sets no limit, as in pages. */
const CALL_LIMIT_MS = 15_000;

/** Code of the page that is about to run. */
export type PageCall = {
  /** `the tool search`. */
  readonly what: string;
  /** `turn 1 of seed 7, train`. */
  readonly place: string;
  /** Its time limit, which does not stop code that never awaits. */
  readonly limitMs: number;
};

type ComparisonOptions = {
  /** Called before code of the page runs, and with `null` when it has returned. */
  readonly onCall?: (call: PageCall | null) => void;
};

/** The result of the comparison. @param environment - the site's. */
export async function comparePage(
  site: LoadedSite,
  environment: EnvironmentSpec,
  { onCall = () => {} }: ComparisonOptions = {},
): Promise<EnvironmentCheck> {
  let turns = 0;
  for (let seed = 0; seed < TASKS; seed += 1) {
    const reference = environment.reference(seed, "train", seed % environment.levels);
    const played = await playedTask(site, environment, reference, onCall);
    turns += played.turns;
    if (played.fault === null) continue;
    return { check: CHECK, status: "failed", words: played.fault, task: reference };
  }
  const words = `in ${TASKS} tasks with ${turns} turns, the page's tools return what the environment's do`;
  return { check: CHECK, status: "passed", words };
}

type PlayedTask = {
  /** Turns until the end or the first fault. */
  readonly turns: number;
  /** A limit that a tool broke, or a difference from the environment. */
  readonly fault: string | null;
};

async function playedTask(
  site: LoadedSite,
  spec: EnvironmentSpec,
  reference: TaskReference,
  onCall: (call: PageCall | null) => void,
): Promise<PlayedTask> {
  const { signal } = new AbortController();
  const random = mulberry32(hashText(`page/${reference.seed}`));
  const mistakes = reference.seed % 2 === 0 ? 0 : MISTAKES;
  const act = await spec.demonstrator(reference, random, mistakes);
  const { environment } = spec.create(reference);
  await environment.observe();
  const state = spec.startState?.(reference);
  onCall({
    what: "start(state)",
    place: `seed ${reference.seed}, train`,
    limitMs: CALL_LIMIT_MS,
  });
  site.start?.(state);
  onCall(null);
  const tools = toolsOf(site);
  const run = createToolRunner({ tools, callTimeoutMs: CALL_LIMIT_MS });
  const limitOf = ({ name }: ToolCall): number =>
    tools.find(({ definition }) => definition.name === name)?.timeoutMs ?? CALL_LIMIT_MS;
  const { mcpServers = [] } = site.definition;
  const isOfServer = ({ name }: ToolCall) => mcpServers.some(({ tools }) => tools.includes(name));
  let seen: Observation | null = null;
  for (let turn = 1; turn <= spec.maxTurns; turn += 1) {
    const { text, calls } = act(seen);
    const toolCalls = calls.map((call, i) => ({ id: `c${turn}-${i}`, ...call }));
    seen = await environment.step({ text, toolCalls }, signal);
    for (const [i, call] of toolCalls.entries()) {
      // The check calls no server.
      if (isOfServer(call)) continue;
      const place = `turn ${turn} of seed ${reference.seed}, train`;
      onCall({ what: `the tool ${call.name}`, place, limitMs: limitOf(call) });
      const inPage = await run(call, signal);
      onCall(null);
      const inPractice = seen.toolResults[i];
      const fault =
        brokenLimit(call.name, inPage, `${place}, in the page`) ??
        (inPractice ? practiceFault(call, inPage, inPractice, place) : null);
      if (fault !== null) return { turns: turn, fault };
    }
    if (seen.terminated) return { turns: turn, fault: null };
  }
  return { turns: spec.maxTurns, fault: null };
}

function toolsOf({ pageTools, edgeTools }: LoadedSite): readonly Tool[] {
  const ofPage = pageTools.map(({ name, description, parameters, run, timeoutMs }): Tool => ({
    definition: { name, description, parameters, source: "page" },
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    run: async (args, signal) => run(args, { signal }),
  }));
  return [...ofPage, ...edgeTools];
}

/** A limit that the environment's tool broke, or the difference between the two results. */
function practiceFault(
  { name, arguments: args }: ToolCall,
  inPage: ToolResult,
  inPractice: ToolResult,
  place: string,
): string | null {
  const broken = brokenLimit(name, inPractice, `${place}, in the environment`);
  if (broken !== null) return broken;
  if (canonicalJson(inPage) === canonicalJson(inPractice)) return null;
  const [page, environment] = differingExcerpts(
    shownResult(inPage),
    shownResult(inPractice),
    MOST_CHARACTERS,
  );
  const difference = `${name}(${shortened(args)}) gives ${page} in the page and ${environment} in the environment`;
  return `replay-mismatch: the site's page and its environment disagree at ${place}: ${difference}`;
}

function shownResult(result: ToolResult): string {
  return result.ok
    ? canonicalJson(result.value)
    : `the error ${result.error.code} (${JSON.stringify(result.error.message)})`;
}

function shortened(args: object): string {
  const text = JSON.stringify(args);
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text;
}
