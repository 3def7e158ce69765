/**
 * Renders conversations turn by turn, as pages, server and trainer do, and compares them with what the model's own
 * template renders in one piece. Python's Jinja2 rendered that, and its hashes are in reference.json; see reference.py.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { ToolDefinition } from "@waggle/protocol";
import { createChatFormat } from "@waggle/text";
import type { ChatFormat, Tokenizer } from "@waggle/text";
import type { Deviation, Outcome } from "../counterpart.ts";
import { LLAMA_CPP_RELEASE, templateSource } from "./llama-cpp-files.ts";

/** A model's template and vocabulary. */
export type RealModel = {
  readonly name: string;
  readonly template: string;
  readonly vocabulary: string;
  readonly bos: string;
  readonly eos: string;
  /** The template writes no calls. The reference has them in the content, in this form. */
  readonly callsInContent?: "hermes" | "lfm";
};

type Message = {
  readonly role: string;
  readonly content: string;
  readonly tool_calls?: readonly { readonly function: { name: string; arguments: object } }[];
};

type Case = {
  readonly name: string;
  readonly system: string;
  readonly hasTools: boolean;
  readonly messages: readonly Message[];
  readonly generate: boolean;
};

type Tool = { readonly function: Omit<ToolDefinition, "source"> };

function read<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(name, import.meta.url), "utf8")) as T;
}

const { tools, cases } = read<{ tools: Tool[]; cases: Case[] }>("cases.json");
const { hashes, jinja2, llamaCpp } = read<{
  hashes: { [model: string]: { [name: string]: readonly string[] | string } };
  jinja2: string;
  llamaCpp: string;
}>("reference.json");

export const MODELS: readonly RealModel[] = read<RealModel[]>("models.json");
export const REFERENCE_VERSION: string = `Jinja2 ${jinja2}, templates of llama.cpp ${llamaCpp}`;

/** A model's template with the tokens that the template itself does not contain. */
export function sourceOf(model: RealModel): string {
  return `{# ${model.bos} ${model.eos} #}${templateSource(model.template)}`;
}

/** Compares all cases of a model. */
export function compareModel(model: RealModel, tokenizer: Tokenizer): Outcome {
  if (llamaCpp !== LLAMA_CPP_RELEASE) {
    throw new Error(`reference.json is of llama.cpp ${llamaCpp}; run reference.py again`);
  }
  const format = createChatFormat({
    tokenizer,
    chatTemplate: templateSource(model.template),
    tokenizerConfig: { bos_token: model.bos, eos_token: model.eos },
    templateVariables: { enable_thinking: false },
  });
  let passed = 0;
  const failed: string[] = [];
  const deviations: Deviation[] = [];
  for (const one of cases) {
    const name = `${model.name}: ${one.name}`;
    const reference = hashes[model.name]?.[one.name] ?? [];
    if (typeof reference === "string") {
      deviations.push({ case: name, reason: `the template refuses it (${reference})` });
      continue;
    }
    const tokenIds = turnByTurn(format, one);
    const text = tokenizer.decode(tokenIds);
    if (hashOf(text) === reference[0]) {
      if (String(tokenIds) === String(tokenizer.encodeTemplate(text))) passed += 1;
      else failed.push(`${name}: the whole text has other tokens`);
    } else if (hashOf(text.replace(EMPTY_THOUGHT, "")) === reference[1]) {
      const reason = "the template removes the empty thought of earlier turns";
      deviations.push({ case: name, reason });
    } else {
      failed.push(`${name}: the template renders other text than ${JSON.stringify(text)}`);
    }
  }
  return { passed, failed, deviations };
}

/** What templates remove from earlier turns. A renderer that only appends keeps it. */
const EMPTY_THOUGHT = /<think>\n*<\/think>\n*/g;

/** As in reference.py. */
function hashOf(text: string): string {
  return createHash("sha256").update(text.normalize("NFC")).digest("hex").slice(0, 16);
}

/** Tokens of the conversation, one turn after the other. */
function turnByTurn(format: ChatFormat, one: Case): number[] {
  const [first, ...rest] = one.messages;
  const tokenIds = format
    .start({
      system: one.system,
      tools: one.hasTools ? tools.map((tool) => ({ ...tool.function, source: "page" })) : [],
      userMessage: (first as Message).content,
    })
    .flatMap((segment) => segment.tokenIds);
  for (let at = 0; at < rest.length;) {
    const said = rest[at] as Message;
    tokenIds.push(
      ...format.encodeAssistant(
        said.content,
        said.tool_calls?.map((call) => call.function),
      ),
    );
    at += 1;
    const end = rest.findIndex((message, i) => i >= at && message.role === "assistant");
    const given = rest.slice(at, end === -1 ? undefined : end);
    at += given.length;
    if (given.length === 0) break;
    const user = given.find(({ role }) => role === "user");
    const results = given.filter(({ role }) => role === "tool");
    const next = format.next({
      sampledEnded: true,
      ...(user !== undefined && { userMessage: user.content }),
      ...(results.length > 0 && {
        toolResults: results.map(({ content }, i) => ({
          callId: `c${i}`,
          ok: true,
          value: content,
        })),
      }),
    });
    tokenIds.push(...next.flatMap((segment) => segment.tokenIds));
  }
  return tokenIds;
}
