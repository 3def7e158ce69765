/**
 * A model's template renders conversations in one piece. Shows that a template cannot append: it renders a longer
 * conversation with another beginning than the prompt that the model got.
 */
import { Template } from "../../../packages/text/src/template.ts";
import { TOOLS, templateOf } from "./models.ts";
import type { Case, Message, RealModel } from "./models.ts";

/** A prompt and the turns after it, as texts. */
export type TurnTexts = {
  readonly start: string;
  readonly exchanges: readonly { readonly turn: string; readonly given: string }[];
};

/**
 * Renders every prompt of a conversation, and the conversation at its end.
 *
 * @param turnText - text of an assistant's message without the token that ends it, for templates that write no calls.
 * @throws if the template refuses a conversation.
 */
export function wholeRenderings(
  model: RealModel,
  one: Case,
  thinking: boolean,
  turnText: (message: Message) => string,
): string[] {
  const template = new Template(templateOf(model));
  const system: Message[] = one.system === "" ? [] : [{ role: "system", content: one.system }];
  const messages = one.messages.map((message) =>
    message.tool_calls && model.callsInContent !== undefined
      ? { role: message.role, content: turnText(message) }
      : message,
  );
  const render = (count: number, generate: boolean): string =>
    template.render({
      messages: [...system, ...messages.slice(0, count)],
      tools: one.hasTools ? TOOLS : null,
      add_generation_prompt: generate,
      bos_token: model.bos,
      eos_token: model.eos,
      enable_thinking: thinking,
    });
  const turns = messages.flatMap(({ role }, at) => (role === "assistant" ? [at] : []));
  const whole = render(messages.length, one.generate);
  const end = one.generate ? whole.length : whole.lastIndexOf(model.eos) + model.eos.length;
  return [...turns.map((at) => render(at, true)), whole.slice(0, end)];
}

/**
 * What the template changes in earlier messages; `null` if it only appends, or if the turns differ from its renderings
 * in anything else.
 */
export function rewriting(
  renderings: readonly string[],
  { start, exchanges }: TurnTexts,
): string | null {
  if (renderings[0] !== start) return null;
  const changes = new Set<string>();
  for (const [i, { turn, given }] of exchanges.entries()) {
    const prompt = renderings[i] as string;
    const later = renderings[i + 1] as string;
    if (later === prompt + turn + given) continue;
    if (later.startsWith(prompt + turn)) return null;
    const kept = [turn, turn.replace(THOUGHT, "")].some((text) => later.endsWith(text + given));
    if (!kept) return null;
    const changed = later.startsWith(prompt)
      ? "a turn when it has ended"
      : "a prompt when its turn follows";
    changes.add(`the template changes ${changed}`);
  }
  return changes.size === 0 ? null : [...changes].join("; ");
}

const THOUGHT = /<think>[^]*<\/think>\n*/;
