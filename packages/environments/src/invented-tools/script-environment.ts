/** Runs the calls of a task against its script, and judges them. */
import { type Task, WaggleError } from "@waggle/protocol";
import type { JudgedEnvironment, Judgment } from "../environment-spec.ts";
import { type RunnableTools, tool } from "../runnable-tool.ts";
import { createToolEnvironment } from "../tool-environment.ts";
import { argumentsSchema } from "./invented-tool.ts";
import type { CallArguments, ScriptCall, ScriptTool, TaskScript } from "./task-script.ts";

/** Marks of texts that say that something is impossible or has failed. */
const TONES = {
  plain: /./s,
  refusal: /\bcan['’]?t\b|cannot|can not|unable|no tool/i,
  failure: /fail|could ?n['’]?t|could not|\bcan['’]?t\b|cannot|error|not possible/i,
} as const;

/** What has happened so far. */
type Progress = {
  /** Scripted calls that were made. */
  readonly completed: Set<ScriptCall>;
  /** Tools of all calls that reached a tool. */
  readonly used: string[];
  /** Changing calls that the task does not need. */
  extra: number;
  isAsked: boolean;
};

/** Whether two values of an argument are the same. Case and outer spaces of texts do not count. */
function isSameValue(a: unknown, b: unknown): boolean {
  if (typeof a !== "string" || typeof b !== "string") return a === b;
  return a.trim().toLowerCase() === b.trim().toLowerCase();
}

function isSameCall(call: ScriptCall, name: string, args: CallArguments): boolean {
  const keys = new Set([...Object.keys(call.arguments), ...Object.keys(args)]);
  return (
    call.name === name && [...keys].every((key) => isSameValue(call.arguments[key], args[key]))
  );
}

function runnable(script: TaskScript, { name, description, changes, parameters }: ScriptTool) {
  const calls = script.rounds.flat();
  return tool({
    description,
    schema: argumentsSchema(parameters),
    run: (args, progress: Progress) => {
      progress.used.push(name);
      const matching = calls.filter((call) => isSameCall(call, name, args as CallArguments));
      const call = matching.find((one) => !progress.completed.has(one)) ?? matching[0];
      const isRepeated = call !== undefined && progress.completed.has(call);
      const isEarly = script.question !== undefined && !progress.isAsked;
      if (call === undefined || isEarly) {
        if (changes || isEarly) progress.extra += 1;
        return changes ? "ok" : [];
      }
      progress.completed.add(call);
      if ("failure" in call.result) throw new WaggleError("TOOL_FAILED", call.result.failure);
      if (isRepeated && changes) progress.extra += 1;
      return call.result.value;
    },
  });
}

/** Whether a text contains a fact as words of its own: "51" is not in "512". Case does not count. */
function states(text: string, fact: string): boolean {
  const words = fact.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`(?<![\\w])${words}(?![\\w])`, "i").test(text);
}

function judge(
  script: TaskScript,
  { completed, used, extra, isAsked }: Progress,
  text: string,
): Judgment {
  const calls = script.rounds.flat();
  const needed = calls.map(({ name }) => name).toSorted();
  const hasTools = needed.join() === used.toSorted().join();
  const hasCalls = calls.every((call) => completed.has(call)) && extra === 0;
  const isWithoutCalls = calls.length > 0 || used.length === 0;
  const isAnswered =
    TONES[script.tone].test(text) &&
    (script.tone !== "plain" || !TONES.refusal.test(text)) &&
    script.facts.every((fact) => states(text, fact));
  const hasAsked = script.question === undefined || isAsked;
  const success = hasCalls && isWithoutCalls && isAnswered && hasAsked;
  return {
    reward: success ? 1 : 0,
    success,
    parts: { tool: hasTools ? 1 : 0, arguments: hasCalls && isWithoutCalls ? 1 : 0 },
  };
}

/** The environment of a task, with its verifier. */
export function scriptEnvironment(task: Task, script: TaskScript): JudgedEnvironment {
  const tools: RunnableTools<Progress> = Object.fromEntries(
    script.tools.map((one) => [one.name, runnable(script, one)]),
  );
  const progress: Progress = { completed: new Set(), used: [], extra: 0, isAsked: false };
  return {
    environment: createToolEnvironment({
      task,
      tools,
      state: progress,
      answer: (text) => {
        if (script.question === undefined || progress.isAsked || !text.includes("?")) return null;
        progress.isAsked = true;
        return script.question.reply;
      },
    }),
    judge: (finalText) => judge(script, progress, finalText ?? ""),
  };
}
