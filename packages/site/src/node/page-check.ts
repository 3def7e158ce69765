/** Plays practice tasks with the page's tools and with the environment's, and compares what they return. */
import type { EnvironmentCheck } from "@waggle/agent/define";
import { brokenLimit, createToolRunner } from "@waggle/agent/tools";
import type { EnvironmentSpec } from "@waggle/environments";
import {
  canonicalJson,
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
const TASKS = 20;
/** Every second task is played with mistakes, so that failed calls are compared too. */
const MISTAKES = 0.35;

/**
 * The result of the check. A page whose tools behave otherwise than the environment's makes trainers reject what its
 * visitors upload.
 */
export async function checkPage(site: LoadedSite, signal: AbortSignal): Promise<EnvironmentCheck> {
  const { environment, start } = site;
  if (environment === null) return skipped("the site has no environment");
  if (site.pageTools.length === 0) return skipped("the page has no tools");
  if (start === null || environment.startState === undefined) {
    return skipped(
      "the module of page tools does not export start(state), which begins the page with the state of a task; add it to compare page and environment",
    );
  }
  let turns = 0;
  for (let seed = 0; seed < TASKS; seed += 1) {
    const reference = environment.reference(seed, "train", seed % environment.levels);
    const played = await playedTask(site, environment, reference, signal);
    turns += played.turns;
    if (played.fault === null) continue;
    return { check: CHECK, status: "failed", words: played.fault, task: reference };
  }
  const words = `in ${TASKS} tasks with ${turns} turns, the page's tools return what the environment's do`;
  return { check: CHECK, status: "passed", words };
}

function skipped(words: string): EnvironmentCheck {
  return { check: CHECK, status: "skipped", words };
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
  signal: AbortSignal,
): Promise<PlayedTask> {
  const random = mulberry32(hashText(`page/${reference.seed}`));
  const mistakes = reference.seed % 2 === 0 ? 0 : MISTAKES;
  const act = await spec.demonstrator(reference, random, mistakes);
  const { environment } = spec.create(reference);
  await environment.observe();
  site.start?.(spec.startState?.(reference));
  const run = createToolRunner({ tools: toolsOf(site) });
  const { mcpServers = [] } = site.definition;
  const isOfServer = ({ name }: ToolCall) => mcpServers.some(({ tools }) => tools.includes(name));
  let seen: Observation | null = null;
  for (let turn = 1; turn <= spec.maxTurns && seen?.terminated !== true; turn += 1) {
    signal.throwIfAborted();
    const { text, calls } = act(seen);
    const toolCalls = calls.map((call, i) => ({ id: `c${turn}-${i}`, ...call }));
    seen = await environment.step({ text, toolCalls }, signal);
    for (const [i, call] of toolCalls.entries()) {
      // The check calls no server.
      if (isOfServer(call)) continue;
      const place = `turn ${turn} of seed ${reference.seed}, train`;
      const inPage = await run(call, signal);
      const broken = brokenLimit(call.name, inPage, `${place}, in the page`);
      if (broken !== null) return { turns: turn, fault: broken };
      const inPractice = seen.toolResults[i];
      // A limit that only the environment's tool broke is no disagreement.
      const slow = inPractice && brokenLimit(call.name, inPractice, `${place}, in the environment`);
      if (slow) return { turns: turn, fault: slow };
      const difference = differenceOf(call, inPage, inPractice);
      if (difference === null) continue;
      const fault = `replay-mismatch: the site's page and its environment disagree at ${place}: ${difference}`;
      return { turns: turn, fault };
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

/** The first difference between the page's result and the environment's. */
function differenceOf(
  { name, arguments: args }: ToolCall,
  inPage: ToolResult,
  inPractice: ToolResult | undefined,
): string | null {
  if (inPractice === undefined || canonicalJson(inPage) === canonicalJson(inPractice)) return null;
  const call = `${name}(${shortened(args)})`;
  return `${call} gives ${shownResult(inPage)} in the page and ${shownResult(inPractice)} in the environment`;
}

function shownResult(result: ToolResult): string {
  return result.ok
    ? shortened(result.value)
    : `the error ${result.error.code} (${shortened(result.error.message)})`;
}

function shortened(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}
