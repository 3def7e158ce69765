/** Shared by the tests of this package: a byte-level chat format and scripted rollouts. */
import { Trajectory } from "@waggle/protocol";
import type { Consent, Environment, Observation, ToolDefinition } from "@waggle/protocol";
import { ByteTokenizer, ScriptedPolicy } from "@waggle/testing";
import type { ScriptedPolicyOptions } from "@waggle/testing";
import { createChatFormat, nanoTokenizerConfig } from "@waggle/text";
import type { AgentEvent } from "./agent-event.ts";
import { rollOut } from "./roll-out.ts";
import type { RollOutOptions } from "./roll-out-options.ts";

export const tokenizer: ByteTokenizer = new ByteTokenizer();
export const chatFormat = createChatFormat({
  tokenizer,
  tokenizerConfig: nanoTokenizerConfig(4096),
});

export const consent: Consent = {
  version: "1",
  scopes: ["collect", "train"],
  grantedAt: "2026-11-20T00:00:00.000Z",
};

export const fixed = {
  chatFormat,
  client: { build: "0", backend: "scripted", device: "none", crossOriginIsolated: false },
  limits: { maxTurns: 8, maxTokensPerTurn: 2000, timeoutMs: 0 },
  seed: 7,
} as const;

export type Call = { readonly name: string; readonly arguments: object };

/** Tokens of a complete turn. */
export function say(text: string, ...calls: Call[]): number[] {
  return chatFormat.encodeAssistant(text, calls);
}

/** Tokens of a turn with this exact text, parsed as template text, plus the stop token. */
export function sayRaw(text: string): number[] {
  return [...tokenizer.encodeTemplate(text), chatFormat.stopTokenIds[0]!];
}

export const echo: ToolDefinition = {
  name: "echo",
  description: "Gives back.",
  parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  source: "page",
};

/** An environment with the given `step`. */
export function environmentOf(
  step: Environment["step"],
  first: { userMessage?: string; tools?: readonly ToolDefinition[] } = {},
): Environment {
  return {
    task: { environment: "test", seed: 1, split: "train" },
    observe: () =>
      Promise.resolve({ system: "s", tools: [echo], userMessage: "Please.", ...first }),
    step,
  };
}

/** Answers every call with its arguments and ends the task after a turn without calls. */
export const echoing: Environment["step"] = ({ toolCalls }) =>
  Promise.resolve<Observation>({
    toolResults: toolCalls.map((call) => ({ callId: call.id, ok: true, value: call.arguments })),
    terminated: toolCalls.length === 0,
  });

export type Run = {
  readonly trajectory: Trajectory;
  readonly policy: ScriptedPolicy;
  readonly events: readonly AgentEvent[];
};

/** Runs a scripted rollout and validates the trajectory. */
export async function run(
  script: ScriptedPolicyOptions,
  environment: Environment,
  options: Partial<RollOutOptions> = {},
): Promise<Run> {
  const policy = new ScriptedPolicy(script);
  const events: AgentEvent[] = [];
  const trajectory = await rollOut({
    policy,
    environment,
    ...fixed,
    consent,
    onEvent: (event) => events.push(event),
    ...options,
  });
  Trajectory.parse(trajectory);
  return { trajectory, policy, events };
}

/** All tokens of a trajectory in order. */
export function tokensOf(trajectory: Trajectory): number[] {
  return trajectory.segments.flatMap((segment) => segment.tokenIds);
}
