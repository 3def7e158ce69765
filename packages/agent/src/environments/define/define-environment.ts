/** Makes an environment of an author's definition, which runs everywhere that a built-in environment does. */
import {
  type EnvironmentSpec,
  type Judgment,
  type JudgedEnvironment,
  createTurnEnvironment,
  leveledReferences,
} from "@waggle/environments";
import {
  boundary,
  hashText,
  isObject,
  type Task,
  type TaskReference,
  type Tool,
  WaggleError,
} from "@waggle/protocol";
import { createToolRunner } from "../../tool-runner.ts";
import { type ArgumentSchema, jsonSchemaOf, parsedArguments } from "../../tools/argument-schema.ts";
import {
  erringDemonstrator,
  scriptedDemonstrator,
  type TurnSource,
} from "./defined-demonstrator.ts";
import type { ToolSchemas } from "../../tools/define-tools.ts";
import type { DefinedTurns, DrawnTask, EnvironmentDefinition } from "./definition.ts";
import { shown } from "../../tools/shown-value.ts";
import { requireDefinition } from "./definition-check.ts";
import { drawnTask } from "./drawn-task.ts";

const DEFAULT_TURNS = 8;
const CALL_TIMEOUT_MS = 5000;
/** Wrong turns of a demonstrator per unit of its mistake rate: a task has several turns to go wrong in. */
const MISTAKES_PER_TURN = 0.5;

/**
 * Makes an environment.
 *
 * @throws WaggleError `INVALID_ARGUMENT` naming the field with a mistake and what to write instead.
 */
export function defineEnvironment<S, D, const T extends ToolSchemas>(
  definition: EnvironmentDefinition<S, D, T>,
): EnvironmentSpec {
  requireDefinition(definition);
  const { name, levels = 1, maxTurns = DEFAULT_TURNS, maxTurnTokens, contextLength } = definition;
  const { demonstrate, gold = demonstrate, nearMiss = () => [], mistake } = definition;
  const references = leveledReferences(name, levels);
  const tools = toolsOf(definition);
  const drawn = (reference: TaskReference): DrawnTask<D> => drawnTask(definition, reference).task;
  const source = (
    field: string,
    reference: TaskReference,
    turns: (task: DrawnTask<D>) => DefinedTurns,
  ): TurnSource => {
    const task = drawn(reference);
    const place = `${field} of "${name}" at seed ${task.seed}, ${task.split}, level ${task.level}`;
    return { turns: () => turns(task), place };
  };
  return {
    ...references,
    maxTurns,
    ...(maxTurnTokens === undefined ? {} : { maxTurnTokens }),
    ...(contextLength === undefined ? {} : { contextLength }),
    ...(definition.user === undefined ? {} : { features: ["user"] as const }),
    task: (reference) => taskOf(definition, reference),
    create: (reference) => createdEnvironment(definition, tools, reference),
    startState: (reference) => drawnTask(definition, reference).state,
    ...(gold === undefined
      ? {}
      : {
          examples: {
            gold: (reference) => scriptedDemonstrator(source("gold", reference, gold)),
            nearMisses: (reference) =>
              nearMiss(drawn(reference)).map((turns) =>
                scriptedDemonstrator(source("nearMiss", reference, () => turns)),
              ),
          },
        }),
    demonstrator: (reference, random, mistakes) => {
      if (demonstrate === undefined) {
        throw new WaggleError(
          "CAPABILITY_MISSING",
          `environment "${name}" has no demonstrate, which a base model and recipes that learn from demonstrations need; add it, or pass a model with --model`,
        );
      }
      const own = source("demonstrate", reference, demonstrate);
      if (mistakes === 0) return scriptedDemonstrator(own);
      // Hashed, because a caller's first draw may be the seed of this very task.
      const seed = hashText(`${name}/other/${random()}`);
      const elsewhere = references.reference(seed, "train", references.levelOf(reference));
      return erringDemonstrator(own, {
        random,
        rate: mistakes * MISTAKES_PER_TURN,
        other: source("demonstrate", elsewhere, demonstrate),
        wrong: mistake && ((turn) => mistake(turn as never, drawn(reference))),
      });
    },
  };
}

function taskOf<S, D, T extends ToolSchemas>(
  definition: EnvironmentDefinition<S, D, T>,
  { environment, seed, split }: TaskReference,
): Task {
  const drawn = drawnTask(definition, { environment, seed, split });
  const { kind, pattern: template, values, task } = drawn;
  const { request } = task;
  const own = { environment, seed, split, kind, template, ...(values && { values }) };
  return { ...own, system: definition.prompt, request };
}

/** A tool on a state. */
type StateTool<S> = Omit<Tool, "run"> & {
  readonly run: (args: unknown, state: S) => Promise<unknown>;
};

function toolsOf<S, D, T extends ToolSchemas>({
  name,
  tools,
}: EnvironmentDefinition<S, D, T>): readonly StateTool<S>[] {
  const defined = Object.entries(tools) as [string, DefinedTool<S>][];
  return defined.map(([tool, { description, parameters, run, timeoutMs = CALL_TIMEOUT_MS }]) => ({
    definition: {
      name: tool,
      description,
      parameters: jsonSchemaOf(`environment "${name}": tools.${tool}.parameters`, parameters),
      source: "page",
    },
    timeoutMs,
    run: async (args, state) => run(await parsedArguments(parameters, args), state),
  }));
}

/** A tool without the type of its arguments. */
type DefinedTool<S> = {
  readonly description: string;
  readonly parameters: ArgumentSchema;
  readonly run: (args: unknown, state: S) => unknown;
  readonly timeoutMs?: number;
};

function createdEnvironment<S, D, T extends ToolSchemas>(
  definition: EnvironmentDefinition<S, D, T>,
  tools: readonly StateTool<S>[],
  reference: TaskReference,
): JudgedEnvironment {
  const { name, prompt: system, user, verify } = definition;
  const { task, state } = drawnTask(definition, reference);
  const { request, data, seed, split } = task;
  const run = createToolRunner({
    tools: tools.map((tool) => ({ ...tool, run: (args) => tool.run(args, state) })),
  });
  const environment = createTurnEnvironment({
    task: { environment: name, seed, split },
    begin: () => ({
      system,
      tools: tools.map((tool) => tool.definition),
      userMessage: request,
    }),
    run,
    reply: (text) => user?.({ text, state, data }) ?? null,
  });
  return {
    environment,
    judge: (text) =>
      boundary("verifier", async () => judgmentOf(name, await verify({ state, text, data, task }))),
  };
}

/** @throws WaggleError `REWARD_UNAVAILABLE` for what is no verdict. */
function judgmentOf(name: string, verdict: unknown): Judgment {
  const given = isObject(verdict) ? verdict : { success: verdict };
  const { success, reward, reasons = [], agreed } = given;
  if (typeof success !== "boolean") {
    throw noVerdict(
      name,
      `success ${shown(success)}; return true or false, or { success, reasons }`,
    );
  }
  const paid = reward ?? (success ? 1 : 0);
  if (typeof paid !== "number" || !(paid >= 0 && paid <= 1)) {
    throw noVerdict(name, `the reward ${shown(reward)}; it is a number from 0 to 1`);
  }
  if (agreed !== undefined && typeof agreed !== "boolean") {
    throw noVerdict(name, `agreed ${shown(agreed)}; it is true or false`);
  }
  const said = Array.isArray(reasons) ? reasons.map(String).join("; ").slice(0, 1000) : "";
  return {
    reward: paid,
    success,
    parts: { ...(said && { reasons: said }), ...(agreed !== undefined && { agreed }) },
  };
}

function noVerdict(name: string, what: string): WaggleError {
  return new WaggleError("REWARD_UNAVAILABLE", `verify of "${name}" gave ${what}`);
}
