/** The events of one request as chunks of the AI SDK's UI message stream. */
import type { StopReason } from "@waggle/protocol";
import type { UIMessageChunk } from "ai";
import type { AgentEvent } from "../agent.ts";

/** Metadata of an answer's message. `trajectoryId` is what `agent.feedback` takes. */
export type AnswerMetadata = {
  readonly trajectoryId: string;
  readonly policyVersion: number;
  readonly stopReason: StopReason;
};

type AnswerChunk = UIMessageChunk<AnswerMetadata>;

const FINISH_REASONS: Readonly<
  Record<StopReason, NonNullable<Extract<AnswerChunk, { type: "finish" }>["finishReason"]>>
> = {
  completed: "stop",
  "max-turns": "length",
  "max-tokens": "length",
  "context-overflow": "length",
  "parse-error": "error",
  "tool-error": "error",
  "guard-stopped": "other",
  aborted: "other",
  timeout: "other",
};

/** Converts events in their order. Creates one text part for each stretch of text. */
export class AnswerChunks {
  #texts = 0;
  #isInText = false;
  #isEnded = false;

  /** Chunks of the next event. */
  take(event: AgentEvent): readonly AnswerChunk[] {
    switch (event.type) {
      case "turn-start":
        return [...this.#endText(), { type: "start-step" }];
      case "text-delta":
        return [...this.#beginText(), { type: "text-delta", id: this.#textId, delta: event.text }];
      case "tool-call": {
        const { id, name, label, arguments: input } = event.activity;
        const call = { toolCallId: id, toolName: name, title: label, input, dynamic: true };
        return [...this.#endText(), { type: "tool-input-available", ...call }];
      }
      case "tool-result": {
        const { id: toolCallId, result } = event.activity;
        if (result === null) return [];
        if (result.ok) {
          const { value: output } = result;
          return [{ type: "tool-output-available", toolCallId, output, dynamic: true }];
        }
        const errorText = `${result.error.code}: ${result.error.message}`;
        return [{ type: "tool-output-error", toolCallId, errorText, dynamic: true }];
      }
      case "turn-end":
        return [...this.#endText(), { type: "finish-step" }];
      case "trajectory-end": {
        const { trajectoryId, policyVersion, stopReason } = event;
        return this.end(stopReason, { trajectoryId, policyVersion, stopReason });
      }
    }
  }

  /** The last chunks. Later calls return none. */
  end(stopReason: StopReason, messageMetadata?: AnswerMetadata): readonly AnswerChunk[] {
    if (this.#isEnded) return [];
    this.#isEnded = true;
    const finishReason = FINISH_REASONS[stopReason];
    return [
      ...this.#endText(),
      { type: "finish", finishReason, ...(messageMetadata ? { messageMetadata } : {}) },
    ];
  }

  get #textId(): string {
    return `text-${this.#texts}`;
  }

  #beginText(): AnswerChunk[] {
    if (this.#isInText) return [];
    this.#isInText = true;
    this.#texts++;
    return [{ type: "text-start", id: this.#textId }];
  }

  #endText(): AnswerChunk[] {
    if (!this.#isInText) return [];
    this.#isInText = false;
    return [{ type: "text-end", id: this.#textId }];
  }
}
