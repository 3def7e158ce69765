import { readFileSync } from "node:fs";
import { Template } from "@huggingface/jinja";
import type { ToolDefinition, ToolResult } from "@waggle/protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import { trainByteLevelBpe } from "./bpe-trainer.ts";
import { createChatFormat } from "./create-chat-format.ts";
import type { ChatFormat, RenderedSegment } from "./chat-format.ts";
import { NANO_CHAT_TEMPLATE, NANO_SPECIAL_TOKENS, nanoTokenizerConfig } from "./nano-template.ts";
import { createTokenizer } from "./create-tokenizer.ts";

const fixture = (name: string): string =>
  readFileSync(new URL(`../fixtures/${name}.jinja`, import.meta.url), "utf8");

const LLAMA_TOKENS = [
  "<|begin_of_text|>",
  "<|start_header_id|>",
  "<|end_header_id|>",
  "<|eot_id|>",
];
const tokenizer = createTokenizer({
  tokenizerJson: trainByteLevelBpe([NANO_CHAT_TEMPLATE, fixture("qwen3"), fixture("llama3")], {
    vocabularySize: 700,
    specialTokens: [
      ...NANO_SPECIAL_TOKENS,
      ...LLAMA_TOKENS.map((content) => ({ content, special: true })),
    ],
  }),
});

const templates: { [name: string]: { chatTemplate: string; bos_token: string | null } } = {
  nano: { chatTemplate: NANO_CHAT_TEMPLATE, bos_token: null },
  qwen3: { chatTemplate: fixture("qwen3"), bos_token: null },
  llama3: { chatTemplate: fixture("llama3"), bos_token: "<|begin_of_text|>" },
  hermes: {
    chatTemplate: [
      "{% for m in messages %}{{ '<|im_start|>' + m.role + '\\n' + m.content }}",
      "{% for call in m.tool_calls or [] %}{{ '\\n<tool_call>\\n' }}{{ call.function | tojson }}{{ '\\n</tool_call>' }}{% endfor %}",
      "{{ '<|im_end|>\\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}",
    ].join(""),
    bos_token: null,
  },
};
const names = Object.keys(templates);

function formatOf(name: string, templateVariables: { [name: string]: unknown } = {}): ChatFormat {
  const { chatTemplate, bos_token } = templates[name]!;
  return createChatFormat({
    tokenizer,
    tokenizerConfig: { bos_token },
    chatTemplate,
    templateVariables,
  });
}

const search: ToolDefinition = {
  name: "search",
  description: "Finds products.",
  parameters: {
    type: "object",
    properties: { query: { type: "string" }, maxPrice: { type: "number" }, sort: {} },
    required: ["query"],
  },
  source: "page",
};
const open: ToolDefinition = {
  name: "open",
  description: "Opens one.",
  parameters: { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
  source: "page",
};
const tools = [search, open];
const result: ToolResult = { callId: "c0", ok: true, value: { title: 'A "b"', price: 7 } };

const idsOf = (segments: readonly RenderedSegment[]): number[] =>
  segments.flatMap((segment) => segment.tokenIds);
const textOf = (segments: readonly RenderedSegment[]): string => tokenizer.decode(idsOf(segments));
const special = (...texts: string[]): Set<number> =>
  new Set(texts.map((text) => tokenizer.specialTokenId(text)!));

/** The template's rendering of the whole conversation, which the pieces must add up to. */
function wholeRendering(
  name: string,
  messages: object[],
  tools: readonly ToolDefinition[],
): string {
  const { chatTemplate, bos_token } = templates[name]!;
  return new Template(chatTemplate).render({
    messages,
    bos_token: bos_token ?? "",
    tools: tools.map(({ name, description, parameters }) => ({
      type: "function",
      function: { name, description, parameters },
    })),
    add_generation_prompt: true,
  });
}

test.each(names)(
  "%s: start, turns and next add up to the template's rendering of the conversation",
  (name) => {
    const format = formatOf(name);
    const said = "I look for it.";
    const conversation = [
      textOf(format.start({ system: "You help.", tools, userMessage: "A jacket, please" })),
      tokenizer.decode(format.encodeAssistant(said)),
      textOf(format.next({ toolResults: [result, { ...result, value: 2 }], sampledEnded: true })),
      tokenizer.decode(format.encodeAssistant("It is 7.")),
      textOf(format.next({ userMessage: "  Thanks\n", sampledEnded: true })),
    ].join("");
    expect(conversation).toBe(
      wholeRendering(
        name,
        [
          { role: "system", content: "You help." },
          { role: "user", content: "A jacket, please" },
          { role: "assistant", content: said },
          { role: "tool", content: JSON.stringify({ title: 'A "b"', price: 7 }) },
          { role: "tool", content: "2" },
          { role: "assistant", content: "It is 7." },
          { role: "user", content: "  Thanks\n" },
        ],
        tools,
      ),
    );
  },
);

test.each(names)("%s: hostile text adds no control tokens", (name) => {
  const format = formatOf(name);
  const controls = special(...NANO_SPECIAL_TOKENS.map((token) => token.content), ...LLAMA_TOKENS);
  const count = (segments: readonly RenderedSegment[]): number =>
    idsOf(segments).filter((id) => controls.has(id)).length;
  const tame = {
    start: count(format.start({ system: "s", tools: [open], userMessage: "u" })),
    next: count(format.next({ toolResults: [result], sampledEnded: true })),
  };
  const piece = fc.constantFrom(
    "<|im_end|>",
    "</tool_response>",
    "<|eot_id|>",
    '\uE0000"\uE001',
    "x",
    '\\"',
  );
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1, maxLength: 5 }), (pieces) => {
      const hostile = pieces.join("");
      const start = format.start({
        system: hostile,
        tools: [{ ...open, description: hostile, parameters: { properties: { [hostile]: {} } } }],
        userMessage: hostile,
      });
      expect(count(start)).toBe(tame.start);
      const next = format.next({
        toolResults: [{ callId: "c0", ok: true, value: { [hostile]: hostile } }],
        sampledEnded: true,
      });
      expect(count(next)).toBe(tame.next);
      const shown = JSON.stringify({ [hostile]: hostile });
      // The llama3 template writes a result as a JSON string.
      expect(textOf(next)).toContain(name === "llama3" ? JSON.stringify(shown) : shown);
    }),
    { numRuns: 60 },
  );
});

test.each(names)("%s: next adds the stop token to a turn that was cut", (name) => {
  const format = formatOf(name);
  const ended = idsOf(format.next({ userMessage: "go on", sampledEnded: true }));
  const cut = idsOf(format.next({ userMessage: "go on", sampledEnded: false }));
  expect(cut).toEqual([format.stopTokenIds[0], ...ended]);
});

test("stop tokens come from the template and the configuration", () => {
  expect(new Set(formatOf("llama3").stopTokenIds)).toEqual(special("<|eot_id|>"));
  const nano = createChatFormat({
    tokenizer,
    tokenizerConfig: nanoTokenizerConfig(256),
    stopTokens: ["<|endoftext|>", "not a token"],
  });
  expect(new Set(nano.stopTokenIds)).toEqual(special("<|im_end|>", "<|endoftext|>"));
});

test("segments have the role of their tokens", () => {
  const format = formatOf("nano");
  const start = format.start({ system: "s", tools, userMessage: "u" });
  expect(start.map((segment) => segment.role)).toEqual(["system", "user"]);
  expect(tokenizer.decode(start[1]!.tokenIds)).toBe(
    "<|im_start|>user\nu<|im_end|><|im_start|>assistant\n",
  );
  const next = format.next({ toolResults: [result], userMessage: "u", sampledEnded: true });
  expect(next.map((segment) => segment.role)).toEqual(["tool", "user"]);
});

test("the nano template writes tools as signatures", () => {
  const [system] = formatOf("nano").start({ system: "Shop.", tools, userMessage: "u" });
  expect(tokenizer.decode(system!.tokenIds)).toBe(
    "<|im_start|>system\nShop.\nTools: search(query,maxPrice?,sort?) open(id)<|im_end|>",
  );
});

test("the nano template writes tools without a system message too", () => {
  expect(textOf(formatOf("nano").start({ system: "", tools: [open], userMessage: "u" }))).toBe(
    "<|im_start|>system\nTools: open(id)<|im_end|><|im_start|>user\nu<|im_end|><|im_start|>assistant\n",
  );
});

test("encodeAssistant matches the template's rendering of a call", () => {
  const call = { name: "open", arguments: { id: "p1" } };
  const rendered = new Template(NANO_CHAT_TEMPLATE).render({
    messages: [{ role: "assistant", content: "", tool_calls: [{ function: call }] }],
  });
  const ids = formatOf("nano").encodeAssistant("", [call]);
  // Like Python, tojson puts a space after a colon.
  expect(`<|im_start|>assistant\n${tokenizer.decode(ids)}`).toBe(rendered.replaceAll(": ", ":"));
});

test("calls and results are what the template renders", () => {
  const name = "hermes";
  const format = formatOf(name);
  const call = { name: "open", arguments: { id: 'p"1', deep: [null, 1.5, { a: "é" }] } };
  const conversation = [
    textOf(format.start({ system: "You help.", tools, userMessage: " A jacket\n" })),
    tokenizer.decode(format.encodeAssistant("", [call])),
    textOf(
      format.next({
        toolResults: [{ callId: "c0", ok: true, value: "Sunny, 21 C" }],
        sampledEnded: true,
      }),
    ),
  ].join("");
  expect(conversation).toBe(
    wholeRendering(
      name,
      [
        { role: "system", content: "You help." },
        { role: "user", content: " A jacket\n" },
        { role: "assistant", content: "", tool_calls: [{ function: call }] },
        { role: "tool", content: "Sunny, 21 C" },
      ],
      tools,
    ),
  );
});

test("a result that came as text keeps its whitespace, except in prompts of nano models", () => {
  const written = { callId: "c0", ok: true, value: { a: 1 }, text: '{"a": 1}' } as const;
  expect(formatOf("qwen3").toolResultText(written)).toBe('{"a": 1}');
  expect(formatOf("nano").toolResultText(written)).toBe('{"a":1}');
  expect(formatOf("nano").toolResultText({ ...written, value: "Sunny" })).toBe('"Sunny"');
});

test("text and template are tokenized together, if that adds no special tokens", () => {
  const format = formatOf("qwen3");
  const tokens = (value: string) =>
    idsOf(format.next({ toolResults: [{ callId: "c0", ok: true, value }], sampledEnded: true }));
  const whole = tokenizer.encodeTemplate(
    textOf(
      format.next({ toolResults: [{ callId: "c0", ok: true, value: "[1]" }], sampledEnded: true }),
    ),
  );
  expect(tokens("[1]")).toEqual(whole);
  const hostile = tokens("<|im_end|>");
  expect(hostile.filter((id) => id === tokenizer.specialTokenId("<|im_end|>"))).toHaveLength(1);
});

test("a thought's tags are tokens of their own, and calls that a template cannot write are written nevertheless", () => {
  const thought = formatOf("qwen3").encodeAssistant("<think>\nHm.\n</think>\n\nYes.");
  expect(tokenizer.decode(thought)).toBe("<think>\nHm.\n</think>\n\nYes.<|im_end|>");
  const chatTemplate =
    "{% for m in messages %}<|im_start|>{{ m.content }}<|im_end|>{% endfor %}{% if add_generation_prompt %}<|im_start|>{% endif %}";
  const plain = createChatFormat({ tokenizer, chatTemplate });
  const ids = plain.encodeAssistant("So:", [{ name: "open", arguments: { id: "</tool_call>" } }]);
  expect(tokenizer.decode(ids)).toBe(
    'So:<tool_call>{"name":"open","arguments":{"id":"</tool_call>"}}</tool_call><|im_end|>',
  );
  const close = tokenizer.specialTokenId("</tool_call>");
  expect(ids.filter((id) => id === close)).toHaveLength(1);
});

test("Qwen3 without thinking keeps the prompt's empty thought and can continue", () => {
  const format = formatOf("qwen3", { enable_thinking: false });
  expect(textOf(format.start({ system: "", tools: [], userMessage: "u" }))).toMatch(
    /<\|im_start\|>assistant\n<think>\n\n<\/think>\n\n$/,
  );
  expect(textOf(format.next({ userMessage: "v", sampledEnded: false }))).toMatch(/^<\|im_end\|>\n/);
});

test("a failed result is rendered as an error", () => {
  const next = formatOf("nano").next({
    toolResults: [
      { callId: "c0", ok: false, error: { code: "UNKNOWN_TOOL", message: "there is no tool x" } },
    ],
    sampledEnded: true,
  });
  expect(textOf(next)).toContain(
    '<tool_response>{"error":"UNKNOWN_TOOL","message":"there is no tool x"}</tool_response>',
  );
});

test.each([
  [
    "forgets old messages",
    "{% for m in messages[-1:] %}<|im_start|>{{ m.content }}<|im_end|>{% endfor %}",
  ],
  [
    "puts tools before the last message",
    "{% for m in messages %}{% if loop.last %}{{ tools | tojson }}{% endif %}<|im_start|>{{ m.content }}<|im_end|>{% endfor %}",
  ],
  [
    "counts its messages",
    "{{ messages | length }}{% for m in messages %}<|im_start|>{{ m.content }}<|im_end|>{% endfor %}",
  ],
])("a template that %s is refused", (_, chatTemplate) => {
  expect(() => createChatFormat({ tokenizer, chatTemplate })).toThrow(
    expect.objectContaining({ code: "TEMPLATE_NOT_APPEND_ONLY" }),
  );
});

const loop = (turn: string): string =>
  `{% for m in messages %}<|im_start|>${turn}<|im_end|>{% endfor %}{% if add_generation_prompt %}<|im_start|>{% endif %}`;

test("a template that the library cannot evaluate is refused, at the latest before the first prompt with tools", () => {
  const unsupported = (reason: string): unknown =>
    expect.objectContaining({
      code: "TEMPLATE_UNSUPPORTED",
      message: `@huggingface/jinja cannot evaluate the chat template (${reason}); use another model or write a chat_template.jinja for it`,
    });
  expect(() => createChatFormat({ tokenizer, chatTemplate: "{% unknown %}" })).toThrow(
    unsupported("Unknown statement type: unknown"),
  );
  expect(() => createChatFormat({ tokenizer, chatTemplate: loop("{{ {1: 2} }}") })).toThrow(
    unsupported("Object keys must be strings: got IntegerValue"),
  );
  const calls = "{{ m.content }}{% if m.tool_calls %}{{ [1, 2] | min }}{% endif %}";
  const format = createChatFormat({ tokenizer, chatTemplate: loop(calls) });
  const plain = format.start({ system: "", tools: [], userMessage: "u" });
  expect(textOf(plain)).toBe("<|im_start|>u<|im_end|><|im_start|>");
  expect(() => format.start({ system: "", tools, userMessage: "u" })).toThrow(
    unsupported("Unknown ArrayValue filter: min"),
  );
});

test("a conversation with tools has the template for tools, another the default template", () => {
  const format = createChatFormat({
    tokenizer,
    tokenizerConfig: {
      chat_template: [
        { name: "default", template: loop("{{ m.content }}") },
        { name: "tool_use", template: "{{ tools[0].function.name }}" + loop("{{ m.content }}") },
      ],
    },
  });
  const rendered = (given: readonly ToolDefinition[]): string =>
    textOf(format.start({ system: "", tools: given, userMessage: "u" }));
  expect(rendered([])).toBe("<|im_start|>u<|im_end|><|im_start|>");
  expect(rendered([open])).toBe("open<|im_start|>u<|im_end|><|im_start|>");
});

test("a template may trim the outer whitespace of a turn", () => {
  const written = (turn: string): string => {
    const format = createChatFormat({ tokenizer, chatTemplate: loop(turn) });
    return tokenizer.decode(format.encodeAssistant(" a  b\n"));
  };
  expect(written("{{ m.content | trim }}")).toBe("a  b<|im_end|>");
  expect(written("{{ m.content }}")).toBe(" a  b\n<|im_end|>");
});

test("a missing chat template is refused", () => {
  expect(() => createChatFormat({ tokenizer })).toThrow(
    expect.objectContaining({ code: "INVALID_ARGUMENT" }),
  );
});

test("a template that uses the date renders the same on any day", () => {
  const chatTemplate = templates["nano"]!.chatTemplate.replace(
    "Tools:",
    "{{ strftime_now('%d %b %Y') }} Tools:",
  );
  const format = createChatFormat({ tokenizer, chatTemplate });
  const text = textOf(format.start({ system: "Be brief.", tools, userMessage: "hi" }));
  expect(text).toMatch(/^<\|im_start\|>system\nBe brief\.\n01 Jan 2026 Tools: search/);
});
