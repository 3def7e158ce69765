/** Prompts turn by turn, with the chat templates and the own tokenizers of real models. */
import type { Counterpart } from "./counterpart.ts";
import { compareModels } from "./rendering/compare-models.ts";
import { MODELS, REFERENCE_VERSION } from "./rendering/models.ts";

const pairs = MODELS.filter(({ addedTokens }) => addedTokens !== undefined);

const counterpart: Counterpart = {
  name: `${pairs.length} pairs of chat template and tokenizer`,
  version: REFERENCE_VERSION,
  about: [
    `Models: ${pairs.map(({ name }) => name).join(", ")}.`,
    "A case is a conversation. It passes if every prompt that the model gets has the text that Jinja2 renders from the",
    "whole conversation so far, and the tokens of that text. Templates with a switch for thoughts are tried without and",
    "with them. A case is a deviation only if the check finds a longer conversation that the template renders with",
    "another beginning than the model got, while everything that was added last is the same; or if the template itself",
    "refuses the conversation. The tokenizers encode the texts that llama.cpp recorded from the original tokenizers alike.",
  ].join(" "),
  area: "Prompts",
  run: () => compareModels(pairs),
};

export default counterpart;
