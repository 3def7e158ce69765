/**
 * Tasks with tools that no site has: each task draws its own tools, names, values and request. Only copying values
 * and choosing a tool by its description help. It is data to train a base model on, and unseen tools to test it with.
 */
import type { Observation, Task, TaskReference } from "@waggle/protocol";
import { mulberry32, hashText } from "@waggle/protocol";
import { pick } from "../draw.ts";
import {
  type DemonstratedAction,
  type Demonstrator,
  type EnvironmentSpec,
  leveledReferences,
} from "../environment-spec.ts";
import { LEVELS, NAME, scriptOf } from "./script-drawing.ts";
import { scriptEnvironment } from "./script-environment.ts";
import { type TaskScript, textTurn } from "./task-script.ts";

const SYSTEMS = ["You help with tools.", "Use the tools to help.", "You are a helpful assistant."];

function task(reference: TaskReference): Task {
  const { kind, template, request } = scriptOf(reference);
  const random = mulberry32(hashText(`system/${reference.seed}`));
  return { ...reference, kind, template, system: pick(random, SYSTEMS), request };
}

/** The turns of a right solution, in order. */
function rightTurns({ question, rounds, answer }: TaskScript): DemonstratedAction[] {
  return [
    ...(question === undefined ? [] : [textTurn(question.text)]),
    ...rounds.map((calls) => ({
      text: "",
      calls: calls.map(({ name, arguments: args }) => ({ name, arguments: { ...args } })),
    })),
    textTurn(answer),
  ];
}

/** The same with the slip in place of the last turn that it can replace. */
function wrongTurns(script: TaskScript): DemonstratedAction[] {
  const turns = rightTurns(script);
  const { slip } = script;
  if (slip.calls.length === 0) return [...turns.slice(0, -1), slip];
  if (script.rounds.length === 0) return [slip, textTurn("Done.")];
  return [...turns.slice(0, -2), slip, ...turns.slice(-1)];
}

function inOrder(turns: readonly DemonstratedAction[]): Demonstrator {
  let next = 0;
  return (observation: Observation | null) => {
    if (observation?.terminated === true) return textTurn("");
    const turn = turns[next] ?? textTurn("Done.");
    next += 1;
    return turn;
  };
}

/** Level 0: one call. Level 1: up to eight tools, records, questions, refusals. Level 2: copying drills. */
export const INVENTED_TOOLS: EnvironmentSpec = {
  ...leveledReferences(NAME, LEVELS),
  maxTurns: 6,
  task,
  create: (reference) => scriptEnvironment(task(reference), scriptOf(reference)),
  examples: {
    gold: (reference) => inOrder(rightTurns(scriptOf(reference))),
    nearMisses: (reference) => [inOrder(wrongTurns(scriptOf(reference)))],
  },
  demonstrator: (reference, random, mistakes) => {
    const script = scriptOf(reference);
    return inOrder(random() < mistakes ? wrongTurns(script) : rightTurns(script));
  },
};

/** The same without the drills, which have one tool and one value. */
export const INVENTED_TASKS: EnvironmentSpec = { ...INVENTED_TOOLS, levels: LEVELS - 1 };
