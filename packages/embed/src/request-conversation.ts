/** Creates the conversation for a host: over tokens for a policy, over text for a chat. */
import { createConversation, createToolEnvironment, guidedEnvironment } from "@waggle/agent";
import { calibrated } from "@waggle/evaluation";
import { FULL_SUPPORT } from "@waggle/protocol";
import type { Consent, Redactor, StopReason, Tool, Trajectory } from "@waggle/protocol";
import type { AgentEvent as LoopEvent } from "@waggle/agent";
import type { ConversationItem } from "./agent.ts";
import type { AgentHost } from "./agent-host.ts";
import { requestLimits } from "./agent-options.ts";
import type { AgentOptions } from "./agent-options.ts";

/** Sends requests to either kind of host. */
export interface RequestConversation {
  /** `trajectory` is `null` if the host exposes no tokens to record. */
  send(
    request: string,
    options: {
      readonly trajectoryId: string;
      readonly edgeSeed?: number | null;
      readonly signal: AbortSignal;
      readonly onEvent: (event: LoopEvent) => void;
    },
  ): Promise<{ readonly stopReason: StopReason; readonly trajectory: Trajectory | null }>;
  reset(): void;
  dispose(): void;
}

/** Options of `openConversation`. */
export type RequestConversationOptions = {
  readonly options: AgentOptions;
  readonly redactor: Redactor;
  readonly tools: () => readonly Tool[];
  readonly consent: () => Consent;
  readonly seed: number;
  /** The conversation from before the page was loaded again. Its newest part is read again if there is room. */
  readonly earlier?: readonly ConversationItem[];
  /** The sentence in place of answers that cannot be read. */
  readonly unreadable?: string;
};

/** Creates a conversation. A chat starts empty. */
export function openConversation(
  host: AgentHost,
  { options, redactor, tools, consent, seed, ...rest }: RequestConversationOptions,
): RequestConversation {
  const system = options.system ?? "";
  if (host.kind === "chat") {
    const { maxTurns, timeoutMs } = requestLimits(options, { contextLength: 8192 });
    const conversation = host.createConversation({
      system,
      tools,
      redactor,
      maxTurns,
      timeoutMs,
    });
    return {
      send: async (request, sendOptions) => ({
        ...(await conversation.send(request, sendOptions)),
        trajectory: null,
      }),
      reset: () => conversation.reset(),
      dispose: () => conversation.reset(),
    };
  }
  const { policy, chatFormat, client, calibration } = host;
  const { earlier = [], unreadable = "" } = rest;
  const conversation = createConversation({
    policy,
    chatFormat,
    client,
    redactor,
    consent,
    seed,
    limits: requestLimits(options, policy),
    sampling: options.sampling ?? FULL_SUPPORT,
    constrainToolCalls: options.constrainToolCalls ?? true,
    startsAlike: (from, to) => host.startsAlike(from, to),
    createEnvironment: (userMessage, version) => {
      const environment = createToolEnvironment({
        system,
        tools: tools(),
        userMessage,
        maxResultCharacters: maxResultCharacters(policy.contextLength),
        ...(calibration !== null && {
          probabilityOf: (confidence) => calibrated(calibration, confidence),
        }),
      });
      // A visitor's own request is never replayed, so the choice of cases may be random.
      return guidedEnvironment(environment, host.guide(version, crypto.randomUUID()));
    },
    ...(earlier.length > 0 && {
      restore: async (start) => {
        try {
          const { restoredContext } = await import("./restored-context.ts");
          await redactor.prepare?.(earlier);
          return restoredContext(earlier, { chatFormat, redactor, unreadable }, start);
        } catch {
          return null; // the code could not be loaded, or another release kept something else
        }
      },
    }),
  });
  return {
    send: async (request, sendOptions) => {
      // Models this small were never trained on more than one request.
      if (policy.contextLength < (options.rememberFrom ?? 2048)) conversation.reset();
      const trajectory = await conversation.send(request, sendOptions);
      return { stopReason: trajectory.stopReason, trajectory };
    },
    reset: () => conversation.reset(),
    dispose: () => conversation.dispose(),
  };
}

/** About half of the context, so that the policy can read a result and still answer; at most 16,384. */
function maxResultCharacters(contextLength: number): number {
  return Math.min(16_384, 2 * contextLength);
}
