/**
 * A conversation with a text-only chat that can call the page's tools. Each turn is a JSON object that
 * either answers or calls a tool, which any model with structured output can write. It replaces
 * `@waggle/agent`'s conversation for models that expose no tokens, so it records no trajectory.
 */
import { createToolEnvironment } from "@waggle/agent";
import type { AgentEvent as LoopEvent } from "@waggle/agent";
import { isObject } from "@waggle/protocol";
import type { Redactor, StopReason, Tool, ToolCall, ToolResult } from "@waggle/protocol";
import type { Chat, ChatMessage } from "@waggle/runtime/chat";

/** Options of `createChatConversation`. */
export type ChatConversationOptions = {
  readonly chat: Chat;
  readonly system: string;
  /** Called at every request. */
  readonly tools: () => readonly Tool[];
  readonly redactor: Redactor;
  readonly maxTurns: number;
  /** Limit for one request; 0 = none. */
  readonly timeoutMs: number;
};

/** Requests to a chat, with the history between them. */
export interface ChatConversation {
  /** Sends one request. Runs turns until the chat answers without a tool call. */
  send(
    userText: string,
    options: { readonly signal: AbortSignal; readonly onEvent: (event: LoopEvent) => void },
  ): Promise<{ readonly stopReason: StopReason }>;
  /** Forgets the history. */
  reset(): void;
}

type Turn = { readonly say: string } | { readonly tool: string; readonly arguments: Json };
type Json = { readonly [key: string]: unknown };

/** Creates an empty conversation. */
export function createChatConversation(options: ChatConversationOptions): ChatConversation {
  const { chat, redactor } = options;
  let past: ChatMessage[] = [];

  return {
    async send(userText, { signal, onEvent }) {
      await redactor.prepare?.(userText);
      const request = redactor.redact(userText);
      const tools = options.tools();
      const environment = createToolEnvironment({
        system: options.system,
        tools,
        userMessage: request,
      });
      const messages: ChatMessage[] = [
        { role: "system", content: instructions(options.system, tools) },
        ...past,
        { role: "user", content: request },
      ];
      const { timeoutMs } = options;
      const ending =
        timeoutMs === 0 ? signal : AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
      const ended = (): StopReason => (signal.aborted ? "aborted" : "timeout");
      for (let turn = 0; turn < options.maxTurns; turn++) {
        onEvent({ type: "turn-start", turn });
        let text: string;
        try {
          text = await answerOf(chat, messages, tools, ending);
        } catch (error) {
          if (ending.aborted) return { stopReason: ended() };
          throw error;
        }
        messages.push({ role: "assistant", content: text });
        const parsed = readTurn(text);
        const answer = "say" in parsed ? parsed.say : "";
        if (answer !== "") onEvent({ type: "token-delta", turn, text: answer, part: "text" });
        const stopReason = "stop-token";
        if ("say" in parsed) {
          onEvent({ type: "turn-end", turn, text: answer, parseError: null, stopReason });
          past = messages.slice(1);
          return { stopReason: "completed" };
        }
        const call: ToolCall = { id: `c${turn}`, name: parsed.tool, arguments: parsed.arguments };
        onEvent({ type: "tool-call", turn, call });
        // Tools of the page get the value behind a placeholder. Tools of the edge get the placeholder.
        const isInPage = tools.some(
          ({ definition: { name, source } }) => name === call.name && source === "page",
        );
        const run = isInPage
          ? { ...call, arguments: redactor.restore(call.arguments) as Json }
          : call;
        const { toolResults } = await environment.step({ text: "", toolCalls: [run] }, ending);
        await redactor.prepare?.(toolResults);
        for (const given of toolResults) {
          const result = redactor.redactJson(given) as ToolResult;
          const shown = JSON.stringify(result.ok ? result.value : { error: result.error });
          messages.push({ role: "user", content: `Result of ${call.name}: ${shown}` });
          onEvent({ type: "tool-result", turn, call, result });
        }
        onEvent({ type: "turn-end", turn, text: "", parseError: null, stopReason });
        if (ending.aborted) return { stopReason: ended() };
      }
      return { stopReason: "max-turns" };
    },
    reset: () => {
      past = [];
    },
  };
}

function instructions(system: string, tools: readonly Tool[]): string {
  const listed = tools.map(({ definition: { name, description, parameters } }) =>
    JSON.stringify({ name, description, parameters }),
  );
  const rule =
    'Answer with one JSON object: {"say": text} for the visitor, or {"tool": name, "arguments": {…}} to use a tool and see its result.';
  return [system, rule, "Tools:", ...listed].filter((line) => line !== "").join("\n");
}

async function answerOf(
  chat: Chat,
  messages: readonly ChatMessage[],
  tools: readonly Tool[],
  signal: AbortSignal,
): Promise<string> {
  const { choices } = await chat.completions.create(
    {
      messages: [...messages],
      response_format: {
        type: "json_schema",
        json_schema: { name: "turn", schema: turnSchema(tools) },
      },
    },
    { signal },
  );
  return choices[0]?.message.content ?? "";
}

function turnSchema(tools: readonly Tool[]): { [key: string]: unknown } {
  const say = {
    type: "object",
    properties: { say: { type: "string" } },
    required: ["say"],
    additionalProperties: false,
  };
  const calls = tools.map(({ definition: { name, parameters } }) => ({
    type: "object",
    properties: { tool: { const: name }, arguments: parameters },
    required: ["tool", "arguments"],
    additionalProperties: false,
  }));
  return { anyOf: [say, ...calls] };
}

/** Parses a turn. Text that is not such a JSON object is taken as the answer. */
function readTurn(text: string): Turn {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) {
      if ("say" in value && typeof value.say === "string") return { say: value.say };
      if ("tool" in value && typeof value.tool === "string") {
        const args = "arguments" in value ? value.arguments : {};
        return {
          tool: value.tool,
          arguments: isObject(args) ? (args as Json) : {},
        };
      }
    }
  } catch {
    // Plain text.
  }
  return { say: text };
}
