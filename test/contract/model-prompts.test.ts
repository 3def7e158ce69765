/** Prompts turn by turn are what the chat templates of real models render, as Python's Jinja2 recorded it. */
import type { ToolDefinition } from "@waggle/protocol";
import { createChatFormat } from "@waggle/text";
import { expect, test } from "vitest";
import { isLong } from "../fixtures/long.ts";
import rendering from "../interop/rendering.interop.ts";
import { compareModel } from "../interop/rendering/compare.ts";
import { templateSource } from "../interop/rendering/llama-cpp-files.ts";
import { casesOf, MODELS, sourceOf, thinkingModes } from "../interop/rendering/models.ts";
import { byteTokenizer } from "../interop/rendering/tokenizers.ts";
import { rewriting } from "../interop/rendering/whole-renderings.ts";

const SAMPLE = ["Qwen2.5-7B-Instruct", "Llama-3.2-3B-Instruct"];

test.each(MODELS.filter(({ name }) => isLong() || SAMPLE.includes(name)))(
  "prompts of $name have the text of its template",
  (model) => {
    const { passed, failed, deviations } = compareModel(model, byteTokenizer(sourceOf(model)));
    expect(failed).toEqual([]);
    expect(passed).toBeGreaterThan(0);
    const cases = casesOf(model).length * thinkingModes(model).length;
    expect(passed + deviations.length).toBe(cases);
  },
);

test("a difference is a deviation only if the template renders another beginning and the same end", () => {
  const exchange = { turn: "<think>Hm.</think>Yes.", given: "Next?" };
  const reason = (...renderings: string[]) =>
    rewriting(renderings, { start: "Q:<think></think>", exchanges: [exchange] });
  const whole = `Q:<think></think>${exchange.turn}Next?`;
  expect(reason("Q:<think></think>", `Q:${exchange.turn}Next?`)).toMatch(/a prompt/);
  expect(reason("Q:<think></think>", "Q:Yes.Next?")).toMatch(/a prompt/);
  expect(reason("Q:<think></think>", "Q:<think></think>Yes.Next?")).toMatch(/a turn/);
  expect(reason("Q:<think></think>", whole)).toBeNull();
  expect(reason("Q:<think></think>", `${whole} `)).toBeNull();
  expect(reason("Q:<think></think>", "Q:No.Next?")).toBeNull();
  expect(reason("Q:", "Q:Yes.Next?")).toBeNull();
});

test.runIf(isLong())(
  "at least 11 pairs of template and tokenizer: prompts have the tokens of the whole text, unless the template cannot append",
  async () => {
    const pairs = MODELS.filter(({ addedTokens }) => addedTokens !== undefined);
    expect(pairs.length).toBeGreaterThanOrEqual(11);
    const { passed, failed, deviations } = await rendering.run();
    expect(failed).toEqual([]);
    expect(passed).toBe(263);
    const reasons = Map.groupBy(deviations, ({ reason }) => reason);
    expect([...reasons].map(([reason, cases]) => [reason, cases.length])).toEqual([
      ["the template changes a prompt when its turn follows", 85],
      ["the template changes a turn when it has ended", 4],
      ["the template refuses it (This model only supports single tool-calls at once!)", 3],
      [
        "the template refuses it (Conversation roles must alternate user/assistant/user/assistant/...)",
        14,
      ],
    ]);
  },
  600_000,
);

const CITIES: ToolDefinition = {
  name: "weather",
  description: "The weather of cities.",
  parameters: {
    type: "object",
    properties: { cities: { type: "array", items: { type: "string" }, description: "names" } },
  },
  source: "page",
};

test.each([
  ["ByteDance-Seed-OSS", "Object keys must be strings: got IntegerValue"],
  ["tencent-Hy3", "Cannot call something that is not a function: got UndefinedValue"],
  [
    "NousResearch-Hermes-3-Llama-3.1-8B-tool_use",
    "Cannot access property with non-string: got UndefinedValue",
  ],
  ["openbmb-MiniCPM5-1B", "Unknown ArrayValue filter: min"],
  ["Kimi-K2-Instruct", "Cannot call something that is not a function: got UndefinedValue"],
  ["unsloth-Apriel-1.5", "Unknown ObjectValue filter: string"],
])("the template %s is refused before the first prompt with tools: %s", (name, construct) => {
  const chatTemplate = templateSource(name);
  const tokenizer = byteTokenizer(`<|im_end|>${chatTemplate}`);
  const begin = () =>
    createChatFormat({
      tokenizer,
      chatTemplate,
      tokenizerConfig: { eos_token: "<|im_end|>" },
    }).start({ system: "", tools: [CITIES], userMessage: "And in Rome?" });
  expect(begin).toThrow(
    expect.objectContaining({
      code: "TEMPLATE_UNSUPPORTED",
      message: expect.stringContaining(`(${construct})`) as unknown,
    }),
  );
});

test("the template google-gemma-4-31B-it, which writes a result only beside its call, does not lose one", () => {
  const chatTemplate = templateSource("google-gemma-4-31B-it");
  const format = createChatFormat({
    tokenizer: byteTokenizer(`<turn|>${chatTemplate}`),
    chatTemplate,
    tokenizerConfig: { eos_token: "<turn|>" },
  });
  const toolResults = [{ callId: "1", ok: true, value: "Sunny" }] as const;
  expect(() => format.next({ toolResults, sampledEnded: true })).toThrow(
    expect.objectContaining({
      code: "CAPABILITY_MISSING",
      message: expect.stringContaining("has no place for tool results after a turn") as unknown,
    }),
  );
});

test("the template microsoft-Phi-3.5-mini-instruct, which has no place for results, is refused at once", () => {
  const chatTemplate = templateSource("microsoft-Phi-3.5-mini-instruct");
  const tokenizer = byteTokenizer(`<|endoftext|>${chatTemplate}`);
  const tokenizerConfig = { eos_token: "<|endoftext|>" };
  expect(() => createChatFormat({ tokenizer, chatTemplate, tokenizerConfig })).toThrow(
    expect.objectContaining({ code: "TEMPLATE_NOT_APPEND_ONLY" }),
  );
  // Without the text that it appends to a conversation that has ended, it can answer, but not use tools.
  const appended = "{% else %}{{ eos_token }}";
  const mended = chatTemplate.replace(appended, "");
  expect(mended).not.toBe(chatTemplate);
  const format = createChatFormat({ tokenizer, chatTemplate: mended, tokenizerConfig });
  expect(() => format.start({ system: "", tools: [CITIES], userMessage: "Rome?" })).toThrow(
    "has no place for tool results",
  );
});
