/**
 * The part of a turn that a visitor may see: text without thoughts, tool-call markup, special tokens and
 * JSON. It affects only the display, not what is recorded or called.
 */

/** The readable text of a turn. */
export type VisibleText = {
  /** Grows while the turn streams, except when a thought ends. */
  readonly text: string;
  /** True if more than tags was hidden, or if nothing readable is left. */
  readonly isUnreadable: boolean;
};

const THOUGHT_END = "</think>";

/** `going`: more text may follow. `ended`: the policy ended the turn. `cut`: a limit or an abort ended it. */
export type TurnState = "going" | "ended" | "cut";

/** Starts machine-readable text. The rest of the turn is hidden with it. */
const MARKUP = new RegExp(
  [
    // Tags of tool calls, thoughts and turns: `<tool_call>`, `</function>`, `<start_of_turn>`.
    String.raw`<\/?(?:tool[_>]|function[_=>]|parameter[_=>]|think>|(?:start|end)_|(?:escape|pad|[be]os|unk|s)>)`,
    // Special tokens: `<|im_end|>`.
    String.raw`<[|｜]|[|｜]>`,
    // Mistral: `[TOOL_CALLS]`. Llama and LFM: `[search(query="mug")]`.
    String.raw`\[\/?(?:TOOL_|ARGS\]|CALL_ID\]|INST\]|AVAILABLE_)|\[\s*[A-Za-z_]\w*\(`,
    // Gemma: `call:search{query:`.
    String.raw`\bcall:\w+\s*\{`,
    // JSON, whole or in fragments.
    String.raw`(?:\[\s*)?\{\s*["}]|"\w+"\s*:\s*["{[\d-]`,
  ].join("|"),
);

/** An end of the text that could still become markup or a redaction placeholder. */
const UNDECIDED =
  /(?:<[/|｜]?[a-z_]*|[|｜]|\[\s*[/A-Za-z_]?\w*|[[{][[{\s]*|"\w*"?\s*:?\s*|\bc(?:a(?:l(?:l(?::\w*\s*)?)?)?)?)$/;

/** The same at the end of a turn that the policy ended: an incomplete tag, marker or object. */
const HALF_MARKUP =
  /(?:<[/|｜]?[a-z_]*|\[\/?T(?:O(?:OL?[A-Z_]*)?)?|[[{][[{\s]*|"\w+"\s*:\s*|\bcall:\w+\s*)$/;

const ONLY_TAGS = /^(?:<[^<>]*>?|\s)*$/;

/**
 * @param sampled - all text of the turn so far. An undecided end is held back, unless the policy ended the turn there.
 */
export function visibleText(sampled: string, state: TurnState): VisibleText {
  const thoughtEnd = sampled.lastIndexOf(THOUGHT_END);
  const said = thoughtEnd === -1 ? sampled : sampled.slice(thoughtEnd + THOUGHT_END.length);
  const markup = MARKUP.exec(said);
  const found = markup ?? (state === "ended" ? HALF_MARKUP : UNDECIDED).exec(said);
  if (found === null) return { text: said.trim(), isUnreadable: false };
  const text = said.slice(0, found.index).trim();
  // The end of a cut text is missing anyway.
  if (markup === null && state === "cut") return { text, isUnreadable: text === "" };
  // A single tag after a sentence does not make the turn unreadable.
  return { text, isUnreadable: text === "" || !ONLY_TAGS.test(said.slice(found.index)) };
}
