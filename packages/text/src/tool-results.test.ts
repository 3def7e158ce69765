/** Templates that leave out tool results: the model would answer as if a tool had returned nothing. */
import { expect, test } from "vitest";
import { trainByteLevelBpe } from "./bpe-trainer.ts";
import { createChatFormat } from "./create-chat-format.ts";
import { createTokenizer } from "./create-tokenizer.ts";

const specialTokens = ["<|system|>", "<|user|>", "<|assistant|>", "<|tool|>", "<|end|>"].map(
  (content) => ({ content, special: true }),
);
const tokenizer = createTokenizer({
  tokenizerJson: trainByteLevelBpe([], { vocabularySize: 300, specialTokens }),
});

/** As in Phi-3's template, which writes an end token when there is no generation prompt. */
const message = (role: string): string =>
  `message['role'] == '${role}' %}{{ '<|${role}|>\n' + message['content'] + '<|end|>\n' }}`;
const PHI = [
  `{% for message in messages %}{% if ${message("system")}{% elif ${message("user")}`,
  `{% elif ${message("assistant")}{% endif %}{% endfor %}`,
  "{% if add_generation_prompt %}{{ '<|assistant|>\n' }}{% endif %}",
].join("");

/** As in Gemma 4's template: results are written within the turn of their calls only. */
const GEMMA = PHI.replace(
  "{% endif %}{% endfor %}",
  `{% if message.tool_calls %}{% for m in messages %}{% if m.role == 'tool' %}{{ m.content }}{% endif %}{% endfor %}
  {% endif %}{% endif %}{% endfor %}`,
);

/** As Phi-3's, with the results as JSON. */
const FULL = PHI.replace(
  "{% endif %}{% endfor %}",
  "{% elif message.role == 'tool' %}{{ '<|tool|>' + (message.content | tojson) + '<|end|>\n' }}{% endif %}{% endfor %}",
);

const format = (chatTemplate: string) => createChatFormat({ tokenizer, chatTemplate });
const tools = [
  { name: "weather", description: "", parameters: { type: "object" }, source: "page" as const },
];
const asked = { system: "", userMessage: "Weather in Bern?" };
const result = (value: unknown) => ({ callId: "1", ok: true as const, value });
const noPlace: unknown = expect.objectContaining({
  code: "CAPABILITY_MISSING",
  message: expect.stringContaining("has no place for tool results") as string,
});

test.each([
  ["Phi-3", PHI],
  ["Gemma 4", GEMMA],
])("a template such as %s's is refused with tools, and before a result is lost", (_, template) => {
  const chat = format(template);
  expect(() => chat.start({ ...asked, tools })).toThrow(noPlace);
  const sampledEnded = true;
  expect(() => chat.next({ toolResults: [result("Sunny")], sampledEnded })).toThrow(noPlace);
  expect(() =>
    chat.next({ toolResults: [result("Sunny")], userMessage: "And?", sampledEnded }),
  ).toThrow(noPlace);
  expect(chat.start({ ...asked, tools: [] })).toHaveLength(1);
  expect(chat.next({ userMessage: "And?", sampledEnded })).toHaveLength(1);
});

test("a template that raises an error for a result says why, and other messages go on", () => {
  const raise = "{% elif message.role == 'tool' %}{{ raise_exception('roles must alternate') }}";
  const template = PHI.replace("{% endif %}{% endfor %}", `${raise}{% endif %}{% endfor %}`);
  const chat = format(template);
  expect(chat.start({ ...asked, tools })).toHaveLength(1);
  expect(() => chat.next({ toolResults: [result("Sunny")], sampledEnded: true })).toThrow(
    /no place for tool results after a turn \(.*roles must alternate.*\); leave out the tools/,
  );
  expect(chat.next({ userMessage: "And?", sampledEnded: true })).toHaveLength(1);
});

test("one of several results that is left out is noticed", () => {
  const firstOnly = FULL.replace("message.role == 'tool'", "$& and loop.previtem.role != 'tool'");
  const chat = format(firstOnly);
  expect(chat.start({ ...asked, tools })).toHaveLength(1);
  const [first, second] = [result("Sunny"), result("Rainy")];
  expect(chat.next({ toolResults: [first], sampledEnded: true })).toHaveLength(1);
  expect(() => chat.next({ toolResults: [first, second], sampledEnded: true })).toThrow(noPlace);
});

test.each([["Sunny"], ['"quoted" \\ text'], [""], ["  \n"], [{ degrees: 21 }], [null]])(
  "a template that writes results as JSON is not refused: %j",
  (value) => {
    const [segment] = format(FULL).next({ toolResults: [result(value)], sampledEnded: true });
    expect(tokenizer.decode(segment?.tokenIds ?? [])).toContain("<|tool|>");
  },
);
