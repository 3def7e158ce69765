/**
 * Demonstrations made from tutorials. A tutorial lists the steps of a task in text, with example results
 * from another task instead of its own. A demonstration is then generated from the tutorial without running
 * the environment, with the examples as results. It is not verified: it shows the procedure, and its answer
 * is only as good as the examples.
 *
 * Source: Synatra (tutorials and other indirect knowledge to demonstrations). Differs from it: tutorials are
 * written by rule from a demonstrator's run of the task, and examples come from a run of another task.
 */
import type { Observation, TaskReference } from "@waggle/protocol";
import { WaggleError, mulberry32, type RandomSource } from "@waggle/protocol";
import type {
  DemonstratedAction,
  EnvironmentSpec,
  JudgedEnvironment,
} from "../environment-spec.ts";

/** One step: the action, and the results that follow. */
type Step = {
  readonly action: DemonstratedAction;
  readonly seen: readonly unknown[];
  readonly heard?: string | undefined;
};

const signal = new AbortController().signal;

/** The steps of a demonstrator's run, without failed calls. */
async function steps(
  spec: EnvironmentSpec,
  reference: TaskReference,
  random: RandomSource,
  mistakes: number,
): Promise<Step[]> {
  const { environment } = spec.create(reference);
  const act = await spec.demonstrator(reference, random, mistakes);
  await environment.observe();
  const done: Step[] = [];
  let observation: Observation | null = null;
  for (let turn = 0; turn < spec.maxTurns && observation?.terminated !== true; turn += 1) {
    const action = act(observation);
    const toolCalls = action.calls.map((call, i) => ({ id: `${turn}-${i}`, ...call }));
    observation = await environment.step({ text: action.text, toolCalls }, signal);
    if (observation.toolResults.some(({ ok }) => !ok)) continue;
    const seen = observation.toolResults.map((result) => (result.ok ? result.value : null));
    done.push({ action, seen, heard: observation.userMessage });
  }
  return done;
}

/** Placeholder for the result of a step: `<1>` for step 1. */
const slot = (step: number): string => `<${step}>`;

/**
 * Writes a tutorial with one line per step. A value taken from an earlier step becomes a slot. The result
 * shown for a step is that of the same call in another task's run, if there is one.
 */
export async function tutorialOf(
  spec: EnvironmentSpec,
  reference: TaskReference,
  random: RandomSource,
  mistakes = 0,
): Promise<string> {
  const own = await steps(spec, reference, random, mistakes);
  const level = spec.levelOf(reference);
  const other = spec.reference(reference.seed + 7919 * spec.levels, "train", level);
  const examples = await steps(spec, other, mulberry32(other.seed), 0);
  const shown: unknown[] = [];
  return own
    .map(({ action, heard }, i) => {
      const text = JSON.stringify({ say: action.text, calls: action.calls });
      const slotted = shown.reduce(
        (line: string, value, k) =>
          value === null ? line : line.replaceAll(asWord(value), slot(k + 1)),
        text,
      );
      shown.push(own[i]?.seen[0] ?? null);
      const like = examples.find(({ action: a }) => a.calls[0]?.name === action.calls[0]?.name);
      const seen = action.calls.map(() => like?.seen[0] ?? "done");
      return `${i + 1}. ${slotted} ${JSON.stringify({ seen, heard })}`;
    })
    .join("\n");
}

/** Matches the value as a whole word or number. */
function asWord(value: unknown): RegExp {
  const text = wordOf(value).replace(/[^\w]/g, String.raw`\$&`);
  return new RegExp(String.raw`(?<![\w.])${text}(?![\w.])`, "g");
}

function wordOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Parses a tutorial and fills its slots. @throws WaggleError `INVALID_ARGUMENT` for an invalid line. */
function parseTutorial(text: string): Step[] {
  const results: string[] = [];
  return text.split("\n").map((line) => {
    const match = /^\d+\. (\{.*\}) (\{.*\})$/.exec(line);
    if (match === null) {
      throw new WaggleError(
        "INVALID_ARGUMENT",
        `invalid tutorial line "${line.slice(0, 64)}"; expected "n. {say, calls} {seen}" as written by tutorialOf`,
      );
    }
    const [, said = "", shown = ""] = match;
    const filled = results.reduce((all, value, k) => all.replaceAll(slot(k + 1), value), said);
    const { say, calls } = JSON.parse(filled) as {
      say: string;
      calls: DemonstratedAction["calls"];
    };
    const { seen, heard } = JSON.parse(shown) as Pick<Step, "seen" | "heard">;
    results.push(wordOf(seen[0] ?? ""));
    return { action: { text: say, calls }, seen, heard };
  });
}

/** The environment with results and demonstrations from tutorials. */
export function fromTutorials(spec: EnvironmentSpec): EnvironmentSpec {
  const plan = async (reference: TaskReference, random: RandomSource, mistakes: number) =>
    parseTutorial(await tutorialOf(spec, reference, random, mistakes));
  return {
    ...spec,
    create: (reference) => imagined(spec, reference, plan),
    demonstrator: async (reference) => {
      const left = await plan(reference, mulberry32(reference.seed), 0);
      return () => left.shift()?.action ?? { text: "", calls: [] };
    },
  };
}

/** An environment that answers each step with its tutorial's result, whatever is called. */
function imagined(
  spec: EnvironmentSpec,
  reference: TaskReference,
  plan: (reference: TaskReference, random: RandomSource, mistakes: number) => Promise<Step[]>,
): JudgedEnvironment {
  const { environment } = spec.create(reference);
  let left: Step[] = [];
  return {
    environment: {
      task: environment.task,
      async observe() {
        left = await plan(reference, mulberry32(reference.seed), 0);
        return environment.observe();
      },
      async step({ toolCalls }) {
        const step = left.shift();
        const toolResults = toolCalls.map(({ id }, i) => ({
          callId: id,
          ok: true as const,
          value: step?.seen[i] ?? "done",
        }));
        const { heard } = step ?? {};
        return {
          toolResults,
          ...(heard === undefined ? {} : { userMessage: heard }),
          terminated: left.length === 0,
        };
      },
    },
    judge: () => {
      const success = left.length === 0;
      return { reward: success ? 1 : 0, success, parts: { imagined: true } };
    },
  };
}
