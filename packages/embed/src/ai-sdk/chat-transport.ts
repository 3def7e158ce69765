/**
 * A transport for `useChat` of the AI SDK that asks an agent instead of a server. The agent remembers the conversation
 * itself, so only the last message is passed on, and a chat whose earlier messages were changed is refused.
 */
import { WaggleError } from "@waggle/protocol";
import type { ChatTransport, UIMessage, UIMessageChunk } from "ai";
import type { Agent, AgentRun } from "../agent.ts";
import { AnswerChunks } from "./answer-chunks.ts";

/**
 * Sends the messages of one chat to `agent`. At the first message, the agent forgets its earlier conversation. The
 * metadata of an answer is `AnswerMetadata`.
 */
export function createChatTransport(agent: Agent): ChatTransport<UIMessage> {
  let chat: string | null = null;
  /** The visitor's messages that arrived here, oldest first. */
  let arrived: readonly string[] = [];

  return {
    // `async` turns what is thrown into a rejection, which the chat shows as its error.
    async sendMessages({ trigger, messages, abortSignal, chatId }) {
      chat ??= chatId;
      if (chatId !== chat) {
        throw refusal(
          `this agent is in the chat ${chat}, and a message came from the chat ${chatId}; ` +
            "create an agent and a transport for each chat",
        );
      }
      const asked = messages.filter(({ role }) => role === "user");
      const last = asked.at(-1);
      if (last === undefined || last !== messages.at(-1)) {
        throw refusal("the last message must be the visitor's; send a message with the role user");
      }
      const isRetry = trigger === "regenerate-message";
      const now = asked.map(({ id, parts }) => JSON.stringify([id, parts]));
      if (!areEqual(isRetry ? now : now.slice(0, -1), arrived)) {
        throw refusal(
          isRetry
            ? "only the last answer can be repeated, because the agent remembers the others"
            : "the earlier messages are not those that the agent remembers; do not edit, add or remove " +
                "messages; to start again, call agent.clear() and create a new chat with a new transport",
        );
      }
      // The agent keeps its conversation over a reload. The model must not read what the new chat does not show.
      if (arrived.length === 0) agent.clear();
      arrived = now;
      const text = textOf(last);
      const cancel = new AbortController();
      const signal = AbortSignal.any([cancel.signal, ...(abortSignal ? [abortSignal] : [])]);
      const run = isRetry ? agent.retry({ signal }) : agent.send(text, { signal });
      if (run === null) throw refusal("the agent has no request to repeat; send a message first");
      const chunks = chunksOf(run);
      return new ReadableStream<UIMessageChunk>({
        async pull(controller) {
          const { done, value } = await chunks.next();
          if (done === true) controller.close();
          else controller.enqueue(value);
        },
        cancel: () => cancel.abort(),
      });
    },
    // The agent runs in the page, so an answer ends with the page.
    reconnectToStream: () => Promise.resolve(null),
  };
}

/** Ends with a chunk `finish`, or `error` if the agent could not process the request. */
async function* chunksOf(run: AgentRun): AsyncGenerator<UIMessageChunk, undefined> {
  const chunks = new AnswerChunks();
  try {
    yield { type: "start" };
    for await (const event of run) yield* chunks.take(event);
    // Models that record no trajectory send no `trajectory-end`.
    yield* chunks.end((await run.finished).stopReason);
  } catch (error) {
    yield { type: "error", errorText: error instanceof Error ? error.message : String(error) };
  }
}

function textOf({ parts }: UIMessage): string {
  const texts = parts.map((part) => {
    if (part.type === "text") return part.text;
    throw refusal(`the agent reads only text, and the message has a part of type ${part.type}`);
  });
  return texts.join("\n");
}

function areEqual(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((one, index) => one === right[index]);
}

function refusal(message: string): WaggleError {
  return new WaggleError("INVALID_ARGUMENT", message);
}
