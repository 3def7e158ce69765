import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { NANO_CHAT_TEMPLATE, TRAINING_TEMPLATE_FILE, trainingTemplate } from "./nano-template.ts";
import { Template } from "./template.ts";

const nanoFile = (name: string): string =>
  readFileSync(new URL(`../../model/nano/${name}`, import.meta.url), "utf8");

test("the nano model's folder has both templates, so its digest stays", () => {
  const config = JSON.parse(nanoFile("tokenizer_config.json")) as { chat_template: string };
  expect(config.chat_template).toBe(NANO_CHAT_TEMPLATE);
  expect(nanoFile(TRAINING_TEMPLATE_FILE)).toBe(trainingTemplate(NANO_CHAT_TEMPLATE));
  expect(trainingTemplate("{{ messages }}")).toBeNull();
});

test("the template for training renders the same text", () => {
  const call = { function: { name: "open", arguments: { id: "p1", deep: [1, { a: "b" }] } } };
  const tool = { function: { name: "open", parameters: { properties: { id: {} } } } };
  const messages = [
    { role: "system", content: " Be brief.\n" },
    { role: "user", content: "\n Open it " },
    { role: "assistant", content: "", tool_calls: [call, call] },
    { role: "tool", content: "1" },
    { role: "tool", content: "2" },
    { role: "assistant", content: "\n Done. \n" },
    { role: "system", content: "Go on.", tool_calls: [call] },
  ];
  const [own, marked] = [NANO_CHAT_TEMPLATE, trainingTemplate(NANO_CHAT_TEMPLATE) ?? ""];
  for (const [from, to] of [
    [0, 7],
    [1, 6],
    [1, 2],
    [0, 3],
  ] as const) {
    for (const tools of [[tool], null]) {
      const variables = {
        messages: messages.slice(from, to),
        tools,
        add_generation_prompt: to < 5,
      };
      expect(new Template(marked).render(variables)).toBe(new Template(own).render(variables));
    }
  }
});
