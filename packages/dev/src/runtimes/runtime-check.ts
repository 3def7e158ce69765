/**
 * Checks that an environment gives the same results and verdicts in workerd and in Chromium as in Node: pages practice in
 * it, and a trainer in Node plays their turns again.
 */
import { stripVTControlCharacters } from "node:util";
import {
  coveringRollouts,
  type EnvironmentCheck,
  type RecordedRollout,
  rolloutDifference,
} from "@waggle/agent/define";
import { differingExcerpts, isObject, type TaskReference, WaggleError } from "@waggle/protocol";
import type { CheckedEnvironment, RuntimeCheckOptions } from "@waggle/trainer";
import { type EnvironmentBundle, environmentBundle } from "./environment-bundle.ts";
import { foreignPlace, inChromium } from "./in-chromium.ts";
import { inWorkerd } from "./in-workerd.ts";
import { likelyCause } from "./likely-cause.ts";
import type { Repeated } from "./repeated-turns.ts";

/** The rollouts to repeat. */
type Covering = Awaited<ReturnType<typeof coveringRollouts>>;

const LIMIT_MS = 60_000;
const MOST_CHARACTERS = 120;

type Runtime = {
  readonly name: string;
  /** How it differs from Node on this machine. */
  readonly place: () => string;
  /** What the bundle's `replay` returns. */
  readonly replay: (
    code: string,
    recorded: string,
    project: string,
    signal: AbortSignal,
  ) => Promise<string>;
};

const RUNTIMES: readonly Runtime[] = [
  { name: "workerd", place: () => "", replay: inWorkerd },
  {
    name: "Chromium",
    place: () => {
      const { locale, timezoneId } = foreignPlace();
      return ` (${locale}, ${timezoneId})`;
    },
    replay: inChromium,
  },
];

/** The result in each runtime. One that is not installed is skipped, with the command that installs it. */
export async function* checkRuntimes(
  environment: CheckedEnvironment,
  { tasks, signal, onProgress, obstacle }: RuntimeCheckOptions,
  runtimes: readonly Runtime[] = RUNTIMES,
): AsyncGenerator<EnvironmentCheck> {
  if (obstacle !== null) {
    for (const { name } of runtimes) {
      yield { check: `in ${name}`, status: "skipped", words: obstacle };
    }
    return;
  }
  let covering: Covering;
  let bundle: EnvironmentBundle;
  let failure = "cannot be played";
  try {
    covering = await coveringRollouts(environment.spec, tasks, signal);
    failure = "cannot be bundled for pages and Workers";
    bundle = await environmentBundle(environment);
  } catch (error) {
    signal.throwIfAborted();
    const words = `the environment ${failure}: ${messageOf(error)}`;
    yield { check: "runtimes", status: "failed", words };
    return;
  }
  for (const runtime of runtimes) {
    signal.throwIfAborted();
    const check = `in ${runtime.name}`;
    onProgress(check, 0, covering.tasks);
    yield { check, ...(await resultIn(runtime, { bundle, covering, environment, signal })) };
  }
}

type Replayed = {
  readonly bundle: EnvironmentBundle;
  readonly covering: Covering;
  readonly environment: CheckedEnvironment;
  readonly signal: AbortSignal;
};

async function resultIn(
  { name, place, replay }: Runtime,
  { bundle, covering, environment, signal }: Replayed,
): Promise<Omit<EnvironmentCheck, "check">> {
  const { rollouts: recorded } = covering;
  const cause = likelyCause(bundle.sources);
  let again: readonly RecordedRollout[];
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]);
    const text = JSON.stringify(recorded);
    const answer = answerOf(await replay(bundle.code, text, environment.project, limit));
    const { error } = answer;
    ({ again } = answer);
    const failed = recorded[again.length];
    if (error !== null && failed !== undefined) {
      const words = `${placeOf(failed.task)}: ${name} gave the error: ${error}. ${cause}`;
      return { status: "failed", words, task: failed.task };
    }
  } catch (error) {
    signal.throwIfAborted();
    if (WaggleError.is(error, "NOT_FOUND")) return { status: "skipped", words: error.message };
    const words = `the environment does not run in ${name}: ${messageOf(error)}. ${cause}`;
    return { status: "failed", words };
  }
  for (const [i, before] of recorded.entries()) {
    const words = differenceIn(name + place(), before, again[i] as RecordedRollout);
    if (words === null) continue;
    return { status: "failed", words: `${words}. ${cause}`, task: before.task };
  }
  const turns = recorded.reduce((sum, one) => sum + one.turns.length, 0);
  const words = `${covering.tasks} tasks with ${turns} turns give the same results and verdicts in ${name}${place()} as in Node, byte for byte${toolWords(covering)}`;
  return { status: "passed", words };
}

/** Which tools the tasks call, and which they do not. */
function toolWords({ tools, leftOut, uncalled }: Covering): string {
  const words = [
    tools.length > 0 ? `; their gold turns call ${listed(tools)}` : "",
    leftOut.length > 0 ? `; tasks that call ${listed(leftOut)} were left out to save time` : "",
    uncalled.length > 0 ? `; no checked task calls ${listed(uncalled)}` : "",
  ];
  return words.join("");
}

/** `a, b and c`. */
function listed(names: readonly string[]): string {
  const [last = ""] = names.slice(-1);
  return names.length < 2 ? last : `${names.slice(0, -1).join(", ")} and ${last}`;
}

function differenceIn(
  name: string,
  before: RecordedRollout,
  again: RecordedRollout,
): string | null {
  const difference = rolloutDifference(before, again);
  if (difference === null) return null;
  const { at, turn, tool } = difference;
  const [first, second] = differingExcerpts(
    jsonOf(difference.first),
    jsonOf(difference.second),
    MOST_CHARACTERS,
  );
  const what =
    at === "start"
      ? "the task begins with"
      : at === "result"
        ? `in turn ${turn}, ${tool} gives`
        : "the same turns are judged";
  return `${placeOf(before.task)}: ${what} ${first} in Node and ${second} in ${name}`;
}

function placeOf({ seed, split }: TaskReference): string {
  return `seed ${seed}, ${split}`;
}

function jsonOf(value: unknown): string {
  return JSON.stringify(value) ?? "nothing";
}

function answerOf(text: string): Repeated {
  const answer: unknown = JSON.parse(text);
  if (!isObject(answer) || !Array.isArray(answer["again"])) throw new Error("it gave no answer");
  const { again, error } = answer;
  return {
    again: again as RecordedRollout[],
    error: typeof error === "string" ? error.slice(0, 300) : null,
  };
}

/** The line that says what is wrong. Playwright and Vite write something in front of it. */
function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const [first = ""] = stripVTControlCharacters(message)
    .replace(/^page\.evaluate: |^Build failed with .*\n/, "")
    .trim()
    .split("\n");
  return first.slice(0, 300);
}
