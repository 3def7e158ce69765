/**
 * What a visitor may see of a turn: its text without thoughts, tool-call markup, special tokens and JSON.
 * It decides what is shown, not what is recorded or called.
 */

export type VisibleText = {
  /** Grows as the turn streams, unless a thought turns out to have ended. */
  readonly text: string;
  /** True where more than tags was left out, or nothing is left to read. */
  readonly isUnreadable: boolean;
};

const THOUGHT_END = "</think>";

/** Starts something that was written for a machine. The rest of the turn is hidden with it. */
const MARKUP = new RegExp(
  [
    // Tags of tool calls, thoughts and turns: `<tool_call>`, `</function>`, `<start_of_turn>`.
    String.raw`<\/?(?:tool[_>]|function[_=>]|parameter[_=>]|think>|(?:start|end)_|(?:escape|pad|[be]os|unk|s)>)`,
    // Special tokens: `<|im_end|>`.
    String.raw`<[|｜]|[|｜]>`,
    // Mistral: `[TOOL_CALLS]`. Llama and LFM: `[search(query="mug")]`.
    String.raw`\[\/?(?:TOOL_|ARGS\]|CALL_ID\]|INST\]|AVAILABLE_)|\[\s*[A-Za-z_]\w*\(`,
    // JSON, whole or in fragments.
    String.raw`(?:\[\s*)?\{\s*["}]|"\w+"\s*:\s*["{[\d-]`,
  ].join("|"),
);

/** The end of a text that more text could turn into markup, or into a placeholder of the redactor. */
const UNDECIDED = /(?:<[/|｜]?[a-z_]*|[|｜]|\[\s*[/A-Za-z_]?\w*|[[{][[{\s]*|"\w*"?\s*:?\s*)$/;

/** The same where no more text comes: half of a tag, of a marker or of an object. */
const HALF_MARKUP = /(?:<[/|｜]?[a-z_]*|\[TOOL[A-Z_]*|[[{][[{\s]*|"\w+"\s*:\s*)$/;

const ONLY_TAGS = /^(?:<[^<>]*>?|\s)*$/;

/**
 * @param sampled all text of the turn so far.
 * @param isEnd true when the turn is over; until then an undecided end is held back.
 */
export function visibleText(sampled: string, isEnd: boolean): VisibleText {
  const thoughtEnd = sampled.lastIndexOf(THOUGHT_END);
  const said = thoughtEnd === -1 ? sampled : sampled.slice(thoughtEnd + THOUGHT_END.length);
  const found = MARKUP.exec(said) ?? (isEnd ? HALF_MARKUP : UNDECIDED).exec(said);
  if (found === null) return { text: said.trim(), isUnreadable: false };
  const text = said.slice(0, found.index).trim();
  // After a sentence a tag alone takes nothing away from it.
  return { text, isUnreadable: text === "" || !ONLY_TAGS.test(said.slice(found.index)) };
}
