/**
 * Compares the prompts of conversations that are rendered turn by turn with what the model's own template renders in one
 * piece. Python's Jinja2 rendered that, and its hashes are in reference.json; see reference.py.
 */
import { createHash } from "node:crypto";
import { createChatFormat } from "@waggle/text";
import type { ChatFormat, Tokenizer } from "@waggle/text";
import type { Deviation, Outcome } from "../counterpart.ts";
import { casesOf, recorded, templateOf, thinkingModes } from "./models.ts";
import type { Case, RealModel } from "./models.ts";
import { encodeTurn, turnByTurn } from "./turns.ts";
import { rewriting, wholeRenderings } from "./whole-renderings.ts";
import type { TurnTexts } from "./whole-renderings.ts";

/** Compares all cases of a model, without thinking and, if the template has a switch for it, with thinking. */
export function compareModel(model: RealModel, tokenizer: Tokenizer): Outcome {
  const passed: string[] = [];
  const failed: string[] = [];
  const deviations: Deviation[] = [];
  for (const thinking of thinkingModes(model)) {
    const variant = model.name + (thinking ? " with thoughts" : "");
    const format = createChatFormat({
      tokenizer,
      chatTemplate: templateOf(model),
      tokenizerConfig: { bos_token: model.bos, eos_token: model.eos },
      templateVariables: { enable_thinking: thinking },
    });
    for (const one of casesOf(model)) {
      const name = `${variant}: ${one.name}`;
      const reference = recorded(variant, one.name);
      const whole = (): string[] =>
        wholeRenderings(model, one, thinking, (message) =>
          tokenizer.decode(encodeTurn(format, message).slice(0, -1)),
        );
      if (typeof reference === "string") {
        if (messageOf(whole).includes(reference)) {
          deviations.push({ case: name, reason: `the template refuses it (${reference})` });
        } else failed.push(`${name}: only Jinja2 refuses it (${reference})`);
        continue;
      }
      const result = compareCase(format, tokenizer, one, reference, whole);
      if (result === "equal") passed.push(name);
      else if (result.reason === undefined) failed.push(`${name}: ${result.failure}`);
      else deviations.push({ case: name, reason: result.reason });
    }
  }
  return { passed: passed.length, failed, deviations };
}

type Difference =
  | { readonly reason: string }
  | { readonly reason?: never; readonly failure: string };

function compareCase(
  format: ChatFormat,
  tokenizer: Tokenizer,
  one: Case,
  reference: readonly string[],
  whole: () => string[],
): Difference | "equal" {
  const turns = turnByTurn(format, one);
  const texts: TurnTexts = {
    start: textOf(tokenizer, turns.start),
    exchanges: turns.exchanges.map(({ turn, given }) => ({
      turn: textOf(tokenizer, turn),
      given: textOf(tokenizer, given),
    })),
  };
  let prompt = texts.start;
  const prompts = [prompt, ...texts.exchanges.map(({ turn, given }) => (prompt += turn + given))];
  if (String(prompts.map(hashOf)) === String(reference)) {
    const tokenIds = [
      ...turns.start,
      ...turns.exchanges.flatMap((one) => [...one.turn, ...one.given]),
    ];
    const isSame =
      String(tokenIds) === String(tokenizer.encodeTemplate(tokenizer.decode(tokenIds)));
    return isSame ? "equal" : { failure: "the whole text has other tokens" };
  }
  const renderings = whole().map((text) => text.normalize("NFC"));
  if (String(renderings.map(hashOf)) !== String(reference)) {
    return { failure: "Jinja2 and @huggingface/jinja render it differently" };
  }
  const reason = rewriting(renderings, texts);
  if (reason !== null) return { reason };
  return {
    failure: `the template renders ${JSON.stringify(renderings)}, not ${JSON.stringify(prompts)}`,
  };
}

function textOf(tokenizer: Tokenizer, tokenIds: readonly number[]): string {
  return tokenizer.decode(tokenIds).normalize("NFC");
}

function messageOf(render: () => unknown): string {
  try {
    render();
  } catch (error) {
    return String(error);
  }
  return "";
}

/** As in reference.py. */
function hashOf(text: string): string {
  return createHash("sha256").update(text.normalize("NFC")).digest("hex").slice(0, 12);
}
