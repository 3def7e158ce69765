/** Whether the tokenizer and the chat template of a model can hold a conversation with tools. */
import type { DecoderConfig } from "@waggle/model";
import { type ToolDefinition, WaggleError } from "@waggle/protocol";
import { type ChatFormat, createTokenizer, readChatFormat, type TokenizerJson } from "@waggle/text";

export type ChatCheck = {
  /** How the model writes tool calls. */
  readonly toolCallFormat: string;
  /** Whether the template writes the site's tools and their results. */
  readonly showsTools: boolean;
};

const PROBE: ToolDefinition = {
  name: "find_probe",
  description: "Finds a probe.",
  parameters: { type: "object", properties: { query: { type: "string" } }, required: ["query"] },
  source: "page",
};

/**
 * @param files - as `readTextFiles` returns them.
 * @throws WaggleError `MODEL_CORRUPT`, `MODEL_UNSUPPORTED`, `TOKENIZER_UNSUPPORTED`, `TEMPLATE_UNSUPPORTED` or
 *   `TEMPLATE_NOT_APPEND_ONLY`.
 */
export function checkChat(
  files: ReadonlyMap<string, Uint8Array>,
  config: DecoderConfig,
): ChatCheck {
  if (!files.has("tokenizer.json")) {
    throw new WaggleError(
      "MODEL_CORRUPT",
      'the model has no tokenizer.json; write one with AutoTokenizer.from_pretrained("…").save_pretrained("…") of Transformers, or choose a model that has it',
    );
  }
  const format = formatOf(files);
  requireVocabulary(files, config);
  return { toolCallFormat: format.toolCallFormat, showsTools: showsTool(format) };
}

function formatOf(files: ReadonlyMap<string, Uint8Array>): ChatFormat {
  try {
    return readChatFormat(files);
  } catch (error) {
    if (WaggleError.is(error, "INVALID_ARGUMENT")) {
      throw new WaggleError(
        "MODEL_UNSUPPORTED",
        "the model has no chat template, so it was not trained for conversations; choose its instruct variant, or add chat_template.jinja",
        { cause: error },
      );
    }
    if (WaggleError.is(error)) throw error;
    requireTokenizer(files);
    throw unreadable(error);
  }
}

/** @throws WaggleError `MODEL_CORRUPT` if it is the tokenizer that cannot be read. */
function requireTokenizer(files: ReadonlyMap<string, Uint8Array>): void {
  try {
    createTokenizer({ tokenizerJson: tokenizerJson(files) });
  } catch (cause) {
    throw new WaggleError(
      "MODEL_CORRUPT",
      `tokenizer.json cannot be read (${reasonOf(cause)}); download the file again`,
      { cause },
    );
  }
}

/** The ids are whole numbers, and the logits have a row for every token. */
function requireVocabulary(
  files: ReadonlyMap<string, Uint8Array>,
  { vocabularySize }: DecoderConfig,
): void {
  const { model, added_tokens } = tokenizerJson(files);
  const ids = [...Object.values(model.vocab ?? {}), ...(added_tokens ?? []).map(({ id }) => id)];
  const wrong = ids.findIndex((id) => !Number.isInteger(id) || id < 0);
  if (wrong !== -1) {
    throw new WaggleError(
      "MODEL_CORRUPT",
      `tokenizer.json has the token id ${(JSON.stringify(ids[wrong]) ?? "nothing").slice(0, 100)}, which is no whole number; download the file again`,
    );
  }
  const largest = ids.reduce((most, id) => Math.max(most, id), -1);
  if (largest < vocabularySize) return;
  throw new WaggleError(
    "MODEL_CORRUPT",
    `tokenizer.json has token ${largest}, but config.json says that the vocabulary has ${vocabularySize}; use the tokenizer of this model`,
  );
}

/** Whether the prompts have the tool and its result. Renders a request with a tool and the turn after its result. */
function showsTool(format: ChatFormat): boolean {
  try {
    const prompt = format.start({ system: "You help.", tools: [PROBE], userMessage: "Find it." });
    format.next({
      toolResults: [{ callId: "1", ok: true, value: "found" }],
      sampledEnded: true,
    });
    const text = prompt.map(({ tokenIds }) => format.decodeAssistant(tokenIds)).join("");
    return text.includes(PROBE.name);
  } catch (error) {
    if (WaggleError.is(error, "CAPABILITY_MISSING")) return false;
    if (WaggleError.is(error)) throw error;
    throw unreadable(error);
  }
}

function unreadable(cause: unknown): WaggleError {
  return new WaggleError(
    "MODEL_UNSUPPORTED",
    `the chat template cannot write a conversation with a system prompt and tools (${reasonOf(cause)}); choose another model, or write a chat_template.jinja for it`,
    { cause },
  );
}

function reasonOf(error: unknown): string {
  return (
    (error instanceof Error ? error.message : String(error)).split("\n", 1)[0]?.slice(0, 200) ?? ""
  );
}

function tokenizerJson(files: ReadonlyMap<string, Uint8Array>): TokenizerJson {
  return JSON.parse(new TextDecoder().decode(files.get("tokenizer.json"))) as TokenizerJson;
}
