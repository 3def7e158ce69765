/**
 * A task among tools that look alike: every tool has a twin of nearly the same name which does nothing.
 *
 * Source: DiaFORGE (near-duplicate tools of an enterprise). Differs from it: the twins are made by rule,
 * not chosen from a catalogue of APIs.
 */
import type { Environment, ToolCall, ToolResult } from "@waggle/protocol";
import type { EnvironmentSpec } from "../environment-spec.ts";

/** Added to a tool's name. */
export const TWIN = "_draft";

export function nearDuplicates(spec: EnvironmentSpec): EnvironmentSpec {
  return {
    ...spec,
    create: (reference) => {
      const instance = spec.create(reference);
      return { ...instance, environment: withTwins(instance.environment) };
    },
    demonstrator: async (reference, random, mistakes) => {
      const act = await spec.demonstrator(reference, random, mistakes);
      return (observation) => {
        const { text, calls } = act(observation);
        const errs = random() < mistakes / 3;
        return {
          text,
          calls: errs ? calls.map((call) => ({ ...call, name: `${call.name}${TWIN}` })) : calls,
        };
      };
    },
  };
}

function withTwins(environment: Environment): Environment {
  return {
    task: environment.task,
    async observe() {
      const first = await environment.observe();
      const tools = first.tools.flatMap((tool) => [
        tool,
        { ...tool, name: `${tool.name}${TWIN}`, description: `Draft of ${tool.name}.` },
      ]);
      return { ...first, tools };
    },
    async step(action, signal) {
      const own = action.toolCalls.filter((call) => !isTwin(call));
      if (own.length === 0 && action.toolCalls.length > 0) {
        return { toolResults: action.toolCalls.map(drafted), terminated: false };
      }
      const observation = await environment.step({ ...action, toolCalls: own }, signal);
      const left = [...observation.toolResults];
      const toolResults = action.toolCalls.map((call) =>
        isTwin(call) ? drafted(call) : (left.shift() ?? drafted(call)),
      );
      return { ...observation, toolResults };
    },
  };
}

function isTwin({ name }: ToolCall): boolean {
  return name.endsWith(TWIN);
}

function drafted({ id }: ToolCall): ToolResult {
  return { callId: id, ok: true, value: "draft" };
}
