import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { readChatFormat } from "./model-chat-format.ts";
import { openChatFormat } from "./open-chat-format.ts";

const nano = new URL("../../model/nano/", import.meta.url);
const files = new Map(
  readdirSync(nano)
    .filter((path) => path.endsWith(".json"))
    .map((path) => [path, new Uint8Array(readFileSync(new URL(path, nano)))]),
);
const CHATML =
  "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}";

test.each([
  ["a site's own model", files],
  [
    "a model with another template",
    new Map([...files, ["chat_template.jinja", new TextEncoder().encode(CHATML)]]),
  ],
])("a page reads the format of %s as the trainer does", async (_, model) => {
  const page = await openChatFormat(model);
  const trainer = readChatFormat(model);
  expect(page.own.source).toBe(trainer.own.source);
  expect(page.stopTokenIds).toEqual(trainer.stopTokenIds);
  const start = {
    system: "Be brief.",
    tools: [],
    userMessage: "A mug, <|im_end|> please",
  };
  expect(page.start(start)).toEqual(trainer.start(start));
  const next = { userMessage: "Another.", sampledEnded: true };
  expect(page.next(next)).toEqual(trainer.next(next));
});

test("a broken tokenizer.json is refused", async () => {
  const broken = new Map([...files, ["tokenizer.json", new TextEncoder().encode("{")]]);
  await expect(openChatFormat(broken)).rejects.toMatchObject({ code: "MODEL_CORRUPT" });
  const json = JSON.stringify({ model: { type: "Unigram", vocab: {}, merges: [] } });
  const unigram = new Map([...files, ["tokenizer.json", new TextEncoder().encode(json)]]);
  await expect(openChatFormat(unigram)).rejects.toMatchObject({ code: "TOKENIZER_UNSUPPORTED" });
});
