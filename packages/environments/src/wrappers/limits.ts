/** Wrappers that restrict a policy: no tools, limited calls, or only calls that match a contract. */
import {
  isObject,
  type Observation,
  seededRandom,
  type ToolCall,
  type ToolDefinition,
} from "@waggle/protocol";
import type { JudgedEnvironment } from "../environment-spec.ts";
import { told } from "./hints.ts";
import { type EnvironmentWrapper, failedCalls, within } from "./wrapped-environment.ts";

/** Removes all tools. */
export const toolless: EnvironmentWrapper = (instance) =>
  within(instance, {
    observe: async () => ({ ...(await instance.environment.observe()), tools: [] }),
    async step(action, signal) {
      if (action.toolCalls.length === 0) return instance.environment.step(action, signal);
      return { toolResults: failedCalls(action, "no tool here"), terminated: false };
    },
  });

/** Result of a call beyond the budget. */
const NO_CALLS_LEFT = "no calls left";

/** Budgets and failures of `limited`. */
export type CallLimits = {
  readonly toolBudget: number;
  readonly turnBudget: number;
  /** Probability that a call fails at random, in [0, 1]. */
  readonly faultRate: number;
};

/** Limits calls and turns, states the call limit in the system message, and lets calls fail at random. */
export function limited(
  { toolBudget, turnBudget, faultRate }: CallLimits,
  seed: number,
): EnvironmentWrapper {
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
                toolResults: failedCalls(action, isSpent ? NO_CALLS_LEFT : "out of order"),
                terminated: false,
              }
            : await instance.environment.step(action, signal);
        return { ...observation, terminated: observation.terminated || turns >= turnBudget };
      },
    });
  };
}

/** Refuses calls that break the contract, with `refusal` as the result. The second refusal ends the rollout. */
export function underContract(maxCalls: number, refusal: string): EnvironmentWrapper {
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
          calls + action.toolCalls.length <= maxCalls &&
          action.toolCalls.every((call) => isAllowed(call, tools));
        if (isKept) {
          calls += action.toolCalls.length;
          return instance.environment.step(action, signal);
        }
        refusals += 1;
        return { toolResults: failedCalls(action, refusal), terminated: refusals > 1 };
      },
    });
  };
}

/** Whether the tool exists and the call has all required arguments and no unknown ones. */
function isAllowed(call: ToolCall, tools: readonly ToolDefinition[]): boolean {
  const tool = tools.find(({ name }) => name === call.name);
  if (tool === undefined) return false;
  const { properties, required } = tool.parameters;
  const known = Object.keys(isObject(properties) ? properties : {});
  const wanted = Array.isArray(required) ? required : [];
  const given = Object.keys(call.arguments);
  return given.every((key) => known.includes(key)) && wanted.every((key) => given.includes(key));
}

/** The environment for a limited number of turns. The next turn ends the task without an answer. */
export function silentAfter(instance: JudgedEnvironment, turns: number): JudgedEnvironment {
  let left = turns;
  return within(instance, {
    async step(action, signal) {
      left -= 1;
      if (left >= 0) return instance.environment.step(action, signal);
      return { toolResults: [], terminated: true };
    },
  });
}
