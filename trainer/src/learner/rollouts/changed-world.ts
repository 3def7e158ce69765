/**
 * What a plan puts around a family's world: the policy meets the changed one, the family's verifier
 * judges what was done in its own. The changes themselves are named by `packages/learning`.
 */
import type { TaskFamily, TaskWorld } from "@waggle/environments";
import { drawWorld, goesOn, REFUSED, type WorldChange } from "@waggle/learning/rollouts";
import {
  type Action,
  type Environment,
  type Observation,
  type TaskReference,
  type ToolCall,
  type ToolDefinition,
  type ToolResult,
  WaggleError,
} from "@waggle/protocol";
import { seededRandom } from "../../random.ts";
import type { WorldModels } from "./imagined-world.ts";
import { imagined } from "./imagined-world.ts";

/** The tool that an environment with documents offers. */
const SEARCH_TOOL = "search";

/** A world in place of another. */
export type Around = (world: TaskWorld) => TaskWorld;

export type ChangeOptions = {
  readonly family: TaskFamily;
  readonly task: TaskReference;
  /** Of the task: members of a group meet the same draw. */
  readonly taskSeed: number;
  /** Of the rollout. */
  readonly seed: number;
  /** Who answers in a tool's place, where a change asks for somebody. */
  readonly worldModels: WorldModels;
};

export function changedWorld(change: WorldChange, options: ChangeOptions): Around {
  switch (change.kind) {
    case "explained":
      return explained;
    case "toolless":
      return toolless;
    case "searched":
      return searched;
    case "drawn":
      return drawn(drawWorld(change.ranges, seededRandom(options.taskSeed, 0xd2a)), options.seed);
    case "simulated":
      return imagined(change, options.worldModels, options.task, options.seed);
    case "contract":
      return underContract(change.mostCalls);
    case "trials":
      return (world) => trials(world, change, () => options.family.world(options.task));
  }
}

/** The same world with another environment. */
function within(world: TaskWorld, change: Partial<Omit<Environment, "task">>): TaskWorld {
  const { environment } = world;
  return {
    ...world,
    environment: {
      task: environment.task,
      observe: () => environment.observe(),
      step: (action, signal) => environment.step(action, signal),
      ...change,
    },
  };
}

/** The same world with a sentence more at its beginning. */
export function told(sentence: string): Around {
  return (world) =>
    within(world, {
      async observe() {
        const first = await world.environment.observe();
        return { ...first, system: `${first.system} ${sentence}`.trim() };
      },
    });
}

/** A failed rollout hears `guidance` once and goes on. */
export function retrying(guidance: string): Around {
  return (world) => {
    let isTold = false;
    return within(world, {
      async step(action, signal) {
        // A turn in words would end the task: it is judged before the environment hears it.
        if (isTold || action.toolCalls.length > 0 || world.judge(action.text).success) {
          return world.environment.step(action, signal);
        }
        isTold = true;
        return { toolResults: [], userMessage: guidance, terminated: false };
      },
    });
  };
}

/** Says after a failed call what each tool takes. */
const explained: Around = (world) => {
  let usage = "";
  return within(world, {
    async observe() {
      const first = await world.environment.observe();
      usage = first.tools
        .map(
          ({ name, parameters }) =>
            `${name}(${Object.keys(parameters.properties ?? {}).join(", ")})`,
        )
        .join(", ");
      return first;
    },
    async step(action, signal) {
      const observation = await world.environment.step(action, signal);
      return {
        ...observation,
        toolResults: observation.toolResults.map((result) =>
          result.ok
            ? result
            : {
                ...result,
                error: { ...result.error, message: `${result.error.message}; try ${usage}` },
              },
        ),
      };
    },
  });
};

/** A world with documents: its tools find them. */
export const searched: Around = (world) =>
  within(world, {
    async observe() {
      const first = await world.environment.observe();
      if (first.tools.some(({ name }) => name === SEARCH_TOOL)) return first;
      throw new WaggleError(
        "INVALID_ARGUMENT",
        `a recipe with a corpus needs an environment whose documents are searched, got ${world.environment.task?.environment ?? "none"}; choose --env library`,
      );
    },
  });

/** Offers no tool. */
const toolless: Around = (world) =>
  within(world, {
    observe: async () => ({ ...(await world.environment.observe()), tools: [] }),
    async step(action, signal) {
      if (action.toolCalls.length === 0) return world.environment.step(action, signal);
      return { toolResults: failures(action, "no tool here"), terminated: false };
    },
  });

/** Answers a call beyond the budget. */
export const NO_CALLS_LEFT = "no calls left";

/** A budget of calls and of turns, said at the beginning, and calls that fail for no reason. */
function drawn(
  { toolBudget, turnBudget, faultRate }: ReturnType<typeof drawWorld>,
  seed: number,
): Around {
  return (world) => {
    const random = seededRandom(seed, 0xfa1);
    let calls = 0;
    let turns = 0;
    return within(told(`Calls: ${toolBudget}.`)(world), {
      async step(action, signal) {
        turns += 1;
        const asked = action.toolCalls.length;
        const isSpent = asked > 0 && calls + asked > toolBudget;
        const isFaulty = asked > 0 && random() < faultRate;
        if (!isSpent) calls += asked;
        const observation: Observation =
          isSpent || isFaulty
            ? {
                toolResults: failures(action, isSpent ? NO_CALLS_LEFT : "out of order"),
                terminated: false,
              }
            : await world.environment.step(action, signal);
        return { ...observation, terminated: observation.terminated || turns >= turnBudget };
      },
    });
  };
}

/** What breaks the contract is refused before a tool sees it; the second refusal ends the rollout. */
function underContract(mostCalls: number): Around {
  return (world) => {
    let tools: readonly ToolDefinition[] = [];
    let calls = 0;
    let refusals = 0;
    return within(world, {
      async observe() {
        const first = await world.environment.observe();
        ({ tools } = first);
        return first;
      },
      async step(action, signal) {
        const isKept =
          calls + action.toolCalls.length <= mostCalls &&
          action.toolCalls.every((call) => isAllowed(call, tools));
        if (isKept) {
          calls += action.toolCalls.length;
          return world.environment.step(action, signal);
        }
        refusals += 1;
        return { toolResults: failures(action, REFUSED), terminated: refusals > 1 };
      },
    });
  };
}

/** A known tool, with all the arguments that it must have and no others. */
function isAllowed(call: ToolCall, tools: readonly ToolDefinition[]): boolean {
  const tool = tools.find(({ name }) => name === call.name);
  if (tool === undefined) return false;
  const { properties, required } = tool.parameters;
  const known = Object.keys(typeof properties === "object" ? (properties ?? {}) : {});
  const wanted = Array.isArray(required) ? required : [];
  const given = Object.keys(call.arguments);
  return given.every((key) => known.includes(key)) && wanted.every((key) => given.includes(key));
}

function failures({ toolCalls }: Action, message: string): ToolResult[] {
  return toolCalls.map(({ id }) => ({
    callId: id,
    ok: false,
    error: { code: "TOOL_FAILED", message },
  }));
}

/**
 * Where a rollout ends, the policy hears what it was worth and begins the same task anew, in the same
 * context. The last rollout is the one that is judged.
 */
function trials(
  first: TaskWorld,
  { most, stopsAtSuccess }: Extract<WorldChange, { kind: "trials" }>,
  begin: () => TaskWorld,
): TaskWorld {
  let world = first;
  const rewards: number[] = [];
  /** What an ended rollout was worth, kept: it cannot be judged again. */
  let ended: ReturnType<TaskWorld["judge"]> | null = null;
  return {
    environment: {
      task: first.environment.task,
      observe: () => first.environment.observe(),
      async step(action, signal) {
        const observation = await world.environment.step(action, signal);
        if (!observation.terminated) return observation;
        const judgement = world.judge(action.text);
        rewards.push(judgement.reward);
        if (!goesOn(rewards, most, stopsAtSuccess)) {
          ended = judgement;
          return observation;
        }
        world = begin();
        const { userMessage } = await world.environment.observe();
        const said = `${judgement.success ? "Right" : "Wrong"}. Again: ${userMessage}`;
        return { ...observation, userMessage: said, terminated: false };
      },
    },
    judge: (finalText) => {
      const judgement = ended ?? world.judge(finalText);
      const { turnRewards: _, ...whole } = judgement;
      return { ...whole, parts: { ...judgement.parts, trials: rewards.length } };
    },
  };
}
