/** The models whose templates are compared, and the records of Python's Jinja2. */
import { readFileSync } from "node:fs";
import type { ToolDefinition } from "@waggle/protocol";
import { LLAMA_CPP_RELEASE, templateSource, vocabularyTemplate } from "./llama-cpp-files.ts";

/** A model's template and vocabulary. */
export type RealModel = {
  readonly name: string;
  /** Name in llama.cpp's `models/templates`. By default, the template is in the metadata of the vocabulary. */
  readonly template?: string;
  readonly vocabulary: string;
  /**
   * Key in `added-tokens.json`: the tokens that the model has in addition to those of the vocabulary's file. Absent if
   * the vocabulary is another model's.
   */
  readonly addedTokens?: string;
  readonly bos: string;
  readonly eos: string;
  /** The template writes no calls. The reference has them in the content, in this form. */
  readonly callsInContent?: "hermes" | "lfm";
  /** The model was trained without tools, and its template writes none. Compared without calls and results. */
  readonly hasNoTools?: boolean;
  /** Compared without thinking only. With it, `ChatFormat` refuses the template as not append-only. */
  readonly neverThinks?: boolean;
};

/** A message as templates read it. */
export type Message = {
  readonly role: string;
  readonly content: string;
  readonly tool_calls?: readonly { readonly function: { name: string; arguments: object } }[];
};

/** A conversation. */
export type Case = {
  readonly name: string;
  readonly system: string;
  readonly hasTools: boolean;
  readonly messages: readonly Message[];
  /** Whether the conversation ends with a generation prompt. */
  readonly generate: boolean;
};

type Tool = { readonly function: Omit<ToolDefinition, "source"> };

function read<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(name, import.meta.url), "utf8")) as T;
}

const reference = read<{
  readonly hashes: {
    readonly [model: string]: { readonly [name: string]: readonly string[] | string };
  };
  readonly jinja2: string;
  readonly llamaCpp: string;
}>("reference.json");

const suite = read<{ readonly tools: readonly Tool[]; readonly cases: readonly Case[] }>(
  "cases.json",
);

/** The tools of conversations with tools. */
export const TOOLS = suite.tools;

/** The conversations that a model is compared with. */
export function casesOf({ hasNoTools }: RealModel): readonly Case[] {
  if (!hasNoTools) return suite.cases;
  return suite.cases.filter(({ messages }) =>
    messages.every((one) => one.tool_calls === undefined),
  );
}

export const MODELS: readonly RealModel[] = read<RealModel[]>("models.json");

/** Ids of added tokens, by `RealModel.addedTokens`. */
export const ADDED_TOKENS = read<{ readonly [key: string]: { readonly [token: string]: number } }>(
  "added-tokens.json",
);

export const REFERENCE_VERSION: string = `Jinja2 ${reference.jinja2}, templates of llama.cpp ${reference.llamaCpp}`;

const sources = new Map<string, string>();

/** Source of a model's template. */
export function templateOf({ name, template, vocabulary }: RealModel): string {
  const known = sources.get(name);
  if (known !== undefined) return known;
  const source = template === undefined ? vocabularyTemplate(vocabulary) : templateSource(template);
  sources.set(name, source);
  return source;
}

/** Values of `enable_thinking` that a model is compared with. */
export function thinkingModes(model: RealModel): readonly boolean[] {
  const canThink = templateOf(model).includes("enable_thinking") && !model.neverThinks;
  return canThink ? [false, true] : [false];
}

/** A model's template with the tokens that the template itself does not contain. */
export function sourceOf(model: RealModel): string {
  return `{# ${model.bos} ${model.eos} #}${templateOf(model)}`;
}

/** Hashes of what Jinja2 rendered for a case, or the message with which the template refused it. */
export function recorded(modelName: string, caseName: string): readonly string[] | string {
  if (reference.llamaCpp !== LLAMA_CPP_RELEASE) {
    throw new Error(`reference.json is of llama.cpp ${reference.llamaCpp}; run reference.py again`);
  }
  return reference.hashes[modelName]?.[caseName] ?? [];
}
