/**
 * Demonstrations from tutorials: a how-to in words is written of a task, with an example of what each step
 * shows and never what it showed; a demonstration is made of it without an environment, what would have been seen
 * imagined from the examples. Nobody verified it: it shows how, and its answer is as good as the example.
 *
 * Source: Synatra (tutorials and other indirect knowledge to demonstrations). Differs from it: tutorials
 * are written by rule from a demonstrator's run of the task, examples from a run of another.
 */
import type { Observation, TaskReference } from "@waggle/protocol";
import { WaggleError } from "@waggle/protocol";
import { createRandom, type RandomSource } from "../random.ts";
import type {
  DemonstratedAction,
  EnvironmentSpec,
  JudgedEnvironment,
} from "../environment-spec.ts";

/** One step: what is said and called, and what is then seen. */
type Step = {
  readonly action: DemonstratedAction;
  readonly seen: readonly unknown[];
  readonly heard?: string | undefined;
};

const signal = new AbortController().signal;

/** A run of the demonstrator, failed calls left out. */
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

/** `<1>` for what step 1 shows. */
const slot = (step: number): string => `<${step}>`;

/**
 * One line a step. What a step takes from an earlier one is a slot; what it shows is that of another
 * task's run, where that has such a step.
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
  const examples = await steps(spec, other, createRandom(other.seed), 0);
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

/** The value where it stands as a whole JSON string's content or number. */
function asWord(value: unknown): RegExp {
  const text = wordOf(value).replace(/[^\w]/g, String.raw`\$&`);
  return new RegExp(String.raw`(?<![\w.])${text}(?![\w.])`, "g");
}

function wordOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** @throws WaggleError `INVALID_ARGUMENT` on a line that is no step. */
function parseTutorial(text: string): Step[] {
  const results: string[] = [];
  return text.split("\n").map((line) => {
    const match = /^\d+\. (\{.*\}) (\{.*\})$/.exec(line);
    if (match === null) {
      throw new WaggleError(
        "INVALID_ARGUMENT",
        `a tutorial's line must be "n. {say, calls} {seen}", got ${line.slice(0, 64)}; write it with tutorialOf`,
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

export function fromTutorials(spec: EnvironmentSpec): EnvironmentSpec {
  const plan = async (reference: TaskReference, random: RandomSource, mistakes: number) =>
    parseTutorial(await tutorialOf(spec, reference, random, mistakes));
  return {
    ...spec,
    create: (reference) => imagined(spec, reference, plan),
    demonstrator: async (reference) => {
      const left = await plan(reference, createRandom(reference.seed), 0);
      return () => left.shift()?.action ?? { text: "", calls: [] };
    },
  };
}

/** Answers each step as its tutorial says, whatever is called. */
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
        left = await plan(reference, createRandom(reference.seed), 0);
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
