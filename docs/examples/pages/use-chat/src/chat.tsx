/** The messages of a chat, and a field for the next one. */
import { useChat } from "@ai-sdk/react";
import type { Agent } from "@waggle/embed";
import { type AnswerMetadata, createChatTransport } from "@waggle/embed/ai-sdk";
import type { UIMessage } from "ai";
import { type FormEvent, useState } from "react";
import { Part } from "./part.tsx";

/** Rendered once there is an agent, because a chat keeps the transport that it began with. */
export function Chat({ agent }: { agent: Agent }) {
  const [transport] = useState(() => createChatTransport(agent));
  const { messages, sendMessage, regenerate, stop, status, error } = useChat<
    UIMessage<AnswerMetadata>
  >({ transport });
  const [text, setText] = useState("");
  const isBusy = status === "submitted" || status === "streaming";

  function submit(event: FormEvent): void {
    event.preventDefault();
    if (isBusy || text.trim() === "") return;
    void sendMessage({ text });
    setText("");
  }

  return (
    <>
      <div className="messages">
        <div role="log" aria-label="Messages">
          {messages.map(({ id, role, parts }) => (
            <article key={id} className={role} aria-label={role === "user" ? "You" : "Assistant"}>
              {parts.map((part, index) => (
                <Part key={`${id}-${index}`} part={part} />
              ))}
            </article>
          ))}
          {status === "submitted" && <p role="status">Thinking…</p>}
          {error && <p role="alert">{error.message}</p>}
        </div>
      </div>
      <form onSubmit={submit}>
        <input
          aria-label="Message"
          placeholder="Add the City Jacket to my cart."
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        {isBusy ? (
          <button type="button" onClick={() => void stop()}>
            Stop
          </button>
        ) : (
          <button type="submit">Send</button>
        )}
        <button
          type="button"
          disabled={isBusy || messages.length === 0}
          onClick={() => void regenerate()}
        >
          Try again
        </button>
      </form>
    </>
  );
}
