/**
 * Reads a turn while it is sampled, in every format: separates text, thoughts and tool calls, and reports names and
 * arguments of calls as they grow. A parse error is an event and never thrown. How the text is split into pieces
 * affects only where deltas end.
 */
import type { JsonSchema } from "@waggle/protocol";
import type { Block } from "./block.ts";
import type { ToolCallFormatEntry } from "./format-entry.ts";
import { MAX_CALLS } from "./parsed-call.ts";
import type { ParsedAssistant, ParsedToolCall } from "./parsed-call.ts";

/** Events of a turn. Texts are never empty. */
export type AssistantEvent =
  | { readonly type: "text"; readonly text: string }
  /** Inside a leading `<think>`, including the tags. */
  | { readonly type: "thought"; readonly text: string }
  /** The prompt had opened a thought: all text before this event belongs to it. */
  | { readonly type: "was-thought" }
  /** A call as written, including markers. */
  | { readonly type: "call-text"; readonly text: string }
  | { readonly type: "call-start"; readonly index: number; readonly name: string }
  /** More of the arguments' JSON text. */
  | { readonly type: "call-arguments"; readonly index: number; readonly json: string }
  | { readonly type: "call-end"; readonly index: number; readonly call: ParsedToolCall }
  /** The turn has no valid calls. */
  | { readonly type: "call-error"; readonly problem: string };

/** Reads the text of one turn. */
export interface AssistantReader {
  /** Events that are certain now. Text that may begin a marker is held back. */
  push(text: string): AssistantEvent[];
  /** Events of the text held back. */
  end(): AssistantEvent[];
}

/** What the reader knows about tools. */
export type AssistantReaderOptions = {
  /** The available tools. Formats with untyped values need their schemas. */
  readonly tools?: readonly { readonly name: string; readonly parameters: JsonSchema }[];
};

const THINK_OPEN = "<think>";
const THINK_CLOSE = "</think>";

/** Creates a reader for one turn. */
export function createAssistantReader(
  format: ToolCallFormatEntry,
  options: AssistantReaderOptions = {},
): AssistantReader {
  return new TurnReader(format, options);
}

/** Parses a whole turn. */
export function parseAssistant(
  sampledText: string,
  format: ToolCallFormatEntry,
  options: AssistantReaderOptions = {},
): ParsedAssistant {
  const reader = createAssistantReader(format, options);
  let text = "";
  let block = "";
  let toolCalls: ParsedToolCall[] = [];
  let parseError: string | null = null;
  for (const event of [...reader.push(sampledText), ...reader.end()]) {
    if (event.type === "text") {
      if (parseError === null) block = "";
      text += event.text;
    } else if (event.type === "call-text") {
      if (parseError === null) block += event.text;
      else text += event.text;
    } else if (event.type === "call-end") toolCalls.push(event.call);
    else if (event.type === "call-error") {
      text += block;
      block = "";
      parseError ??= event.problem;
    } else if (event.type === "was-thought") {
      [text, block, toolCalls, parseError] = ["", "", [], null];
    }
  }
  return {
    text: text.trim(),
    toolCalls: parseError === null ? toolCalls : [],
    parseError: parseError?.slice(0, 300) ?? null,
  };
}

class TurnReader implements AssistantReader {
  readonly #entry: ToolCallFormatEntry;
  readonly #schemas: ReadonlyMap<string, JsonSchema>;
  #mode: "start" | "thought" | "text" | "block" = "start";
  #held = "";
  /** For the current block: how much was reported as text, and whether a marker began it. */
  #shown = 0;
  #isMarked = true;
  /** Number of calls before this block, and how much of each call's JSON was reported. */
  #finished = 0;
  #given: { json: number; isEnded: boolean }[] = [];

  constructor(format: ToolCallFormatEntry, { tools = [] }: AssistantReaderOptions) {
    this.#entry = format;
    this.#schemas = new Map(tools.map((tool) => [tool.name, tool.parameters]));
  }

  push(text: string): AssistantEvent[] {
    this.#held += text;
    return this.#read(false);
  }

  end(): AssistantEvent[] {
    return this.#read(true);
  }

  #read(isEnd: boolean): AssistantEvent[] {
    const events: AssistantEvent[] = [];
    for (let continues = true; continues;) {
      if (this.#mode === "start") continues = this.#readStart(isEnd);
      else if (this.#mode === "thought") continues = this.#readThought(events, isEnd);
      else if (this.#mode === "text") continues = this.#readText(events, isEnd);
      else continues = this.#readBlock(events, isEnd);
    }
    return events;
  }

  #readStart(isEnd: boolean): boolean {
    const begun = this.#held.trimStart();
    if (begun.startsWith(THINK_OPEN)) this.#mode = "thought";
    else if (THINK_OPEN.startsWith(begun) && !isEnd) return false;
    else if (this.#entry.beginsTurn?.test(this.#held)) this.#beginBlock(false);
    else this.#mode = "text";
    return true;
  }

  #readThought(events: AssistantEvent[], isEnd: boolean): boolean {
    const at = this.#held.indexOf(THINK_CLOSE);
    const keep = at !== -1 || isEnd ? 0 : beginningOf([THINK_CLOSE], this.#held);
    const length = at === -1 ? this.#held.length - keep : at + THINK_CLOSE.length;
    this.#take(events, "thought", length);
    if (at !== -1) this.#mode = "start";
    return at !== -1;
  }

  #readText(events: AssistantEvent[], isEnd: boolean): boolean {
    const { begin, strayEnd } = this.#entry;
    const markers = [begin, THINK_CLOSE, ...(strayEnd === null ? [] : [strayEnd])];
    const found = markers
      .map((marker) => ({ marker, at: this.#held.indexOf(marker) }))
      .filter(({ at }) => at !== -1)
      .sort((a, b) => a.at - b.at)[0];
    if (found === undefined) {
      const keep = isEnd ? 0 : beginningOf(markers, this.#held);
      this.#take(events, "text", this.#held.length - keep);
      return false;
    }
    if (found.marker === begin) {
      this.#take(events, "text", found.at);
      this.#beginBlock(true);
      return true;
    }
    this.#take(events, "text", found.at + found.marker.length);
    if (found.marker === THINK_CLOSE) {
      events.push({ type: "was-thought" });
      this.#mode = "start";
    } else events.push({ type: "call-error", problem: `${found.marker} without ${begin}` });
    return true;
  }

  #beginBlock(isMarked: boolean): void {
    this.#mode = "block";
    this.#isMarked = isMarked;
    this.#shown = 0;
    this.#given = [];
  }

  #readBlock(events: AssistantEvent[], isEnd: boolean): boolean {
    const skip = this.#isMarked || this.#startsWithMarker() ? this.#entry.begin.length : 0;
    const text = this.#held.slice(skip);
    const block = this.#entry.read({ text, isEnd, schemas: this.#schemas });
    const length = skip + block.length;
    if (!this.#isMarked && block.calls.length === 0) {
      // Without a marker, only a call with a name counts as a block; otherwise it is text.
      if (!block.hasEnded) return false;
      this.#take(events, "text", this.#held.length);
      this.#mode = "text";
      return false;
    }
    // The end of the text may begin another block.
    const keep = block.hasEnded ? 0 : beginningOf([this.#entry.begin], this.#held.slice(0, length));
    if (length - keep > this.#shown) {
      events.push({ type: "call-text", text: this.#held.slice(this.#shown, length - keep) });
      this.#shown = length - keep;
    }
    this.#giveCalls(events, block);
    if (!block.hasEnded) return false;
    const count = this.#given.filter(({ isEnded }) => isEnded).length;
    this.#finished += this.#given.length;
    const problem =
      block.problem ?? (this.#finished > MAX_CALLS ? `at most ${MAX_CALLS} calls a turn` : null);
    if (problem !== null) events.push({ type: "call-error", problem });
    else if (count === 0 && this.#given.length > 0) {
      events.push({ type: "call-error", problem: `${this.#entry.begin} without an end` });
    }
    this.#held = this.#held.slice(length);
    this.#mode = "text";
    return this.#held !== "";
  }

  #startsWithMarker(): boolean {
    return this.#held.startsWith(this.#entry.begin);
  }

  #giveCalls(events: AssistantEvent[], { calls }: Block): void {
    calls.forEach(({ name, json, call }, at) => {
      const index = this.#finished + at;
      let given = this.#given[at];
      if (given === undefined) {
        given = { json: 0, isEnded: false };
        this.#given.push(given);
        events.push({ type: "call-start", index, name });
      }
      if (json.length > given.json) {
        events.push({ type: "call-arguments", index, json: json.slice(given.json) });
        given.json = json.length;
      }
      if (call === null || given.isEnded) return;
      given.isEnded = true;
      events.push({ type: "call-end", index, call });
    });
  }

  #take(events: AssistantEvent[], type: "text" | "thought", length: number): void {
    if (length > 0) events.push({ type, text: this.#held.slice(0, length) });
    this.#held = this.#held.slice(length);
  }
}

/** Length of the longest end of `text` that could begin a marker. */
function beginningOf(markers: readonly string[], text: string): number {
  const longest = Math.max(...markers.map((marker) => marker.length)) - 1;
  for (let length = Math.min(longest, text.length); length > 0; length--) {
    const end = text.slice(-length);
    if (markers.some((marker) => marker.startsWith(end))) return length;
  }
  return 0;
}
