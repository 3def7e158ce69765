/** Compares the tokens that a trainer makes of messages with the recorded ones. */
import { applyChatTemplate, type OwnTemplate } from "@waggle/text";
import type { ChatMessage } from "./chat-messages.ts";
import { isSameTokens } from "./recorded-path.ts";

/** Why messages do not give the recorded tokens. A stable reason, for counting. */
export type Difference =
  /** There are no messages, because the prompt cannot be separated from the template's text. */
  | "prompt-unreadable"
  /** The template raises an error, for example for two calls in one turn. */
  | "template-refuses"
  /** The last turn was cut, but a template ends every turn. */
  | "last-turn-cut"
  /** The template removes thoughts of earlier turns, also empty ones. */
  | "thoughts-removed"
  /** A text contains the name of a special token. */
  | "special-tokens-in-text"
  /** The text is the same, but the policy did not sample its usual tokens. */
  | "other-segmentation"
  | "other-text";

/** Messages with the settings of their rendering. */
type Rendered = {
  readonly prompt: readonly ChatMessage[];
  readonly completion: readonly ChatMessage[];
  readonly settings: {
    readonly tools?: readonly object[];
    readonly chat_template_kwargs: { readonly [name: string]: unknown };
  };
};

/**
 * `null` if the messages give the recorded tokens. Whitespace that a template writes after the last turn is not a
 * difference.
 *
 * @param isSplit - whether the trainer tokenizes the prompt alone too.
 */
export function differenceOf(
  { prompt, completion, settings }: Rendered,
  recorded: { readonly prompt: readonly number[]; readonly whole: readonly number[] },
  own: OwnTemplate,
  isSplit: boolean,
): Difference | null {
  const { chat_template, ...variables } = settings.chat_template_kwargs;
  const tokens = (messages: readonly ChatMessage[], addGenerationPrompt: boolean): number[] =>
    applyChatTemplate(own, {
      messages,
      tools: settings.tools,
      addGenerationPrompt,
      chatTemplate: chat_template as string | undefined,
      variables,
    });
  let whole: number[];
  let begin: readonly number[];
  try {
    whole = tokens([...prompt, ...completion], false);
    begin = isSplit ? tokens(prompt, true) : recorded.prompt;
  } catch {
    return "template-refuses";
  }
  const end = recorded.whole.length;
  const isWhole = isSameTokens(whole.slice(0, end), recorded.whole);
  const rest = own.tokenizer.decode(whole.slice(end));
  if (isWhole && rest.trim() === "" && isSameTokens(begin, recorded.prompt)) return null;
  if (isWhole && rest.trim() !== "") return "last-turn-cut";
  return reasonOf(own.tokenizer.decode(whole).trimEnd(), whole, recorded.whole, own);
}

const THOUGHT = /<think>[^]*?<\/think>\n*/g;

function reasonOf(
  text: string,
  rendered: readonly number[],
  recorded: readonly number[],
  { tokenizer }: OwnTemplate,
): Difference {
  const wanted = tokenizer.decode(recorded).trimEnd();
  if (text !== wanted) {
    const isThought = text.replace(THOUGHT, "") === wanted.replace(THOUGHT, "");
    return isThought ? "thoughts-removed" : "other-text";
  }
  const specials = (ids: readonly number[]): string =>
    String(ids.filter((id) => tokenizer.specialTokenId(tokenizer.decode([id])) === id));
  return specials(rendered) === specials(recorded)
    ? "other-segmentation"
    : "special-tokens-in-text";
}
