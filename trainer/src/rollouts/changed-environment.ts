/**
 * What a plan puts around an environment's environment: the policy meets the changed one, the environment's verifier
 * judges what was done in its own. The changes themselves are named by `packages/learning`.
 */
import type { EnvironmentSpec, JudgedEnvironment } from "@waggle/environments";
import {
  drawEnvironment,
  goesOn,
  REFUSED,
  type EnvironmentChange,
} from "@waggle/learning/rollouts";
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
import { seededRandom } from "./random.ts";
import type { WorldModels } from "./imagined-environment.ts";
import { imagined } from "./imagined-environment.ts";

/** The tool that an environment with documents offers. */
const SEARCH_TOOL = "search";

/** An environment in place of another. */
export type Around = (instance: JudgedEnvironment) => JudgedEnvironment;

export type ChangeOptions = {
  readonly spec: EnvironmentSpec;
  readonly task: TaskReference;
  /** Of the task: members of a group meet the same draw. */
  readonly taskSeed: number;
  /** Of the rollout. */
  readonly seed: number;
  /** Who answers in a tool's place, where a change asks for somebody. */
  readonly worldModels: WorldModels;
};

export function changedEnvironment(change: EnvironmentChange, options: ChangeOptions): Around {
  switch (change.kind) {
    case "explained":
      return explained;
    case "toolless":
      return toolless;
    case "searched":
      return searched;
    case "drawn":
      return drawn(
        drawEnvironment(change.ranges, seededRandom(options.taskSeed, 0xd2a)),
        options.seed,
      );
    case "simulated":
      return imagined(change, options.worldModels, options.task, options.seed);
    case "contract":
      return underContract(change.mostCalls);
    case "trials":
      return (instance) => trials(instance, change, () => options.spec.create(options.task));
  }
}

/** The same environment with another environment. */
function within(
  instance: JudgedEnvironment,
  change: Partial<Omit<Environment, "task">>,
): JudgedEnvironment {
  const { environment } = instance;
  return {
    ...instance,
    environment: {
      task: environment.task,
      observe: () => environment.observe(),
      step: (action, signal) => environment.step(action, signal),
      ...change,
    },
  };
}

/** The same environment with a sentence more at its beginning. */
export function told(sentence: string): Around {
  return (instance) =>
    within(instance, {
      async observe() {
        const first = await instance.environment.observe();
        return { ...first, system: `${first.system} ${sentence}`.trim() };
      },
    });
}

/** A failed rollout hears `guidance` once and goes on. */
export function retrying(guidance: string): Around {
  return (instance) => {
    let isTold = false;
    return within(instance, {
      async step(action, signal) {
        // A turn in words would end the task: it is judged before the environment hears it.
        if (isTold || action.toolCalls.length > 0 || instance.judge(action.text).success) {
          return instance.environment.step(action, signal);
        }
        isTold = true;
        return { toolResults: [], userMessage: guidance, terminated: false };
      },
    });
  };
}

/** Says after a failed call what each tool takes. */
const explained: Around = (instance) => {
  let usage = "";
  return within(instance, {
    async observe() {
      const first = await instance.environment.observe();
      usage = first.tools
        .map(
          ({ name, parameters }) =>
            `${name}(${Object.keys(parameters.properties ?? {}).join(", ")})`,
        )
        .join(", ");
      return first;
    },
    async step(action, signal) {
      const observation = await instance.environment.step(action, signal);
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

/** An environment with documents: its tools find them. */
export const searched: Around = (instance) =>
  within(instance, {
    async observe() {
      const first = await instance.environment.observe();
      if (first.tools.some(({ name }) => name === SEARCH_TOOL)) return first;
      throw new WaggleError(
        "INVALID_ARGUMENT",
        `a recipe with a corpus needs an environment whose documents are searched, got ${instance.environment.task?.environment ?? "none"}; choose --env library`,
      );
    },
  });

/** Offers no tool. */
const toolless: Around = (instance) =>
  within(instance, {
    observe: async () => ({ ...(await instance.environment.observe()), tools: [] }),
    async step(action, signal) {
      if (action.toolCalls.length === 0) return instance.environment.step(action, signal);
      return { toolResults: failures(action, "no tool here"), terminated: false };
    },
  });

/** Answers a call beyond the budget. */
export const NO_CALLS_LEFT = "no calls left";

/** A budget of calls and of turns, said at the beginning, and calls that fail for no reason. */
function drawn(
  { toolBudget, turnBudget, faultRate }: ReturnType<typeof drawEnvironment>,
  seed: number,
): Around {
  return (instance) => {
    const random = seededRandom(seed, 0xfa1);
    let calls = 0;
    let turns = 0;
    return within(told(`Calls: ${toolBudget}.`)(instance), {
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
            : await instance.environment.step(action, signal);
        return { ...observation, terminated: observation.terminated || turns >= turnBudget };
      },
    });
  };
}

/** What breaks the contract is refused before a tool sees it; the second refusal ends the rollout. */
function underContract(mostCalls: number): Around {
  return (instance) => {
    let tools: readonly ToolDefinition[] = [];
    let calls = 0;
    let refusals = 0;
    return within(instance, {
      async observe() {
        const first = await instance.environment.observe();
        ({ tools } = first);
        return first;
      },
      async step(action, signal) {
        const isKept =
          calls + action.toolCalls.length <= mostCalls &&
          action.toolCalls.every((call) => isAllowed(call, tools));
        if (isKept) {
          calls += action.toolCalls.length;
          return instance.environment.step(action, signal);
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
  first: JudgedEnvironment,
  { most, stopsAtSuccess }: Extract<EnvironmentChange, { kind: "trials" }>,
  begin: () => JudgedEnvironment,
): JudgedEnvironment {
  let instance = first;
  const rewards: number[] = [];
  /** What an ended rollout was worth, kept: it cannot be judged again. */
  let ended: ReturnType<JudgedEnvironment["judge"]> | null = null;
  return {
    environment: {
      task: first.environment.task,
      observe: () => first.environment.observe(),
      async step(action, signal) {
        const observation = await instance.environment.step(action, signal);
        if (!observation.terminated) return observation;
        const judgement = instance.judge(action.text);
        rewards.push(judgement.reward);
        if (!goesOn(rewards, most, stopsAtSuccess)) {
          ended = judgement;
          return observation;
        }
        instance = begin();
        const { userMessage } = await instance.environment.observe();
        const said = `${judgement.success ? "Right" : "Wrong"}. Again: ${userMessage}`;
        return { ...observation, userMessage: said, terminated: false };
      },
    },
    judge: (finalText) => {
      const judgement = ended ?? instance.judge(finalText);
      const { turnRewards: _, ...whole } = judgement;
      return { ...whole, parts: { ...judgement.parts, trials: rewards.length } };
    },
  };
}
