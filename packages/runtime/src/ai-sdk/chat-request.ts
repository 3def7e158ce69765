/** Converts an AI SDK call to a chat request, with a warning for every unsupported setting. */
import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  LanguageModelV4ToolResultOutput,
  SharedV4Warning,
} from "@ai-sdk/provider";
import { WaggleError } from "@waggle/protocol";
import type {
  ChatMessage,
  ChatRequest,
  ChatResponseFormat,
  ChatTool,
  ChatToolCall,
  ChatToolChoice,
} from "../chat/chat-types.ts";

/** @throws WaggleError `CAPABILITY_MISSING` for a prompt with files. */
export function toChatRequest(options: LanguageModelV4CallOptions): {
  request: ChatRequest;
  warnings: SharedV4Warning[];
} {
  const warnings: SharedV4Warning[] = [];
  const unsupported = (feature: string, details?: string): void => {
    warnings.push({ type: "unsupported", feature, ...(details !== undefined && { details }) });
  };
  if (options.presencePenalty) unsupported("presencePenalty");
  if (options.frequencyPenalty) unsupported("frequencyPenalty");
  const { reasoning } = options;
  if (reasoning !== undefined && reasoning !== "provider-default" && reasoning !== "none") {
    unsupported("reasoning", "the chat template decides whether the model thinks");
  }
  const tools: ChatTool[] = [];
  for (const tool of options.tools ?? []) {
    if (tool.type === "provider") unsupported(`provider-defined tool ${tool.id}`);
    else {
      const { name, description, inputSchema } = tool;
      tools.push({
        type: "function",
        function: {
          name,
          parameters: inputSchema as { [key: string]: unknown },
          ...(description !== undefined && { description }),
        },
      });
    }
  }
  const choice = toToolChoice(options.toolChoice);
  const format = toResponseFormat(options.responseFormat);
  const { maxOutputTokens, temperature, topP, topK, seed, stopSequences } = options;
  const request: ChatRequest = {
    messages: options.prompt.flatMap(toMessages),
    ...(tools.length > 0 && { tools, tool_choice: choice }),
    ...(format && { response_format: format }),
    ...(maxOutputTokens !== undefined && { max_completion_tokens: maxOutputTokens }),
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { top_p: topP }),
    ...(topK !== undefined && { top_k: topK }),
    ...(seed !== undefined && { seed }),
    ...(stopSequences && stopSequences.length > 0 && { stop: stopSequences }),
  };
  return { request, warnings };
}

function toToolChoice(choice: LanguageModelV4CallOptions["toolChoice"]): ChatToolChoice {
  if (choice === undefined) return "auto";
  if (choice.type !== "tool") return choice.type;
  return { type: "function", function: { name: choice.toolName } };
}

function toResponseFormat(
  format: LanguageModelV4CallOptions["responseFormat"],
): ChatResponseFormat | undefined {
  if (format?.type !== "json") return undefined;
  if (format.schema === undefined) return { type: "json_object" };
  const { schema, name = "response", description } = format;
  return {
    type: "json_schema",
    json_schema: {
      name,
      schema: schema as { [key: string]: unknown },
      ...(description !== undefined && { description }),
    },
  };
}

function toMessages(message: LanguageModelV4Message): ChatMessage[] {
  switch (message.role) {
    case "system":
      return [{ role: "system", content: message.content }];
    case "user":
      return [
        {
          role: "user",
          content: message.content
            .map((part) => {
              if (part.type === "text") return part.text;
              throw notText(part.type);
            })
            .join(""),
        },
      ];
    case "assistant": {
      let text = "";
      const calls: ChatToolCall[] = [];
      for (const part of message.content) {
        if (part.type === "text") text += part.text;
        else if (part.type === "tool-call") {
          calls.push({
            id: part.toolCallId,
            type: "function",
            function: { name: part.toolName, arguments: JSON.stringify(part.input) },
          });
        } else if (part.type !== "reasoning") throw notText(part.type);
      }
      return [{ role: "assistant", content: text, ...(calls.length > 0 && { tool_calls: calls }) }];
    }
    case "tool":
      return message.content.flatMap((part) =>
        part.type === "tool-result"
          ? [{ role: "tool" as const, tool_call_id: part.toolCallId, content: toText(part.output) }]
          : [],
      );
  }
}

function toText(output: LanguageModelV4ToolResultOutput): string {
  switch (output.type) {
    case "text":
      return output.value;
    case "json":
      return JSON.stringify(output.value);
    case "error-text":
    case "error-json":
      return JSON.stringify({ error: output.value });
    case "execution-denied":
      return JSON.stringify({ error: output.reason ?? "the user did not allow this call" });
    case "content":
      return output.value
        .map((part) => {
          if (part.type === "text") return part.text;
          throw notText(part.type);
        })
        .join("");
  }
}

function notText(type: string): WaggleError {
  return new WaggleError(
    "CAPABILITY_MISSING",
    `a prompt cannot have parts of type ${type}; leave them out`,
  );
}
