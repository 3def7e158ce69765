/** The renderer of nano models writes what Jinja writes. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { nanoTemplate } from "./nano-renderer.ts";
import { DESCRIBED_TOOLS_TEMPLATE, NANO_CHAT_TEMPLATE, trainingTemplate } from "./nano-template.ts";
import { Template } from "./template.ts";
import { toTemplateTool } from "./template-message.ts";

const text = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 6 }),
  fc.constantFrom("", " \n", "{{ x }}", "{% if %}", '\uE0000"\uE001', "<|im_end|>", "user"),
);
const message = fc.record({
  role: fc.constantFrom("system", "user", "assistant", "tool"),
  content: text,
});
const name = fc.oneof(text, fc.constantFrom("1", "enum", "constructor", "__proto__"));
const schema = fc.oneof(
  fc.constant(true),
  fc.record(
    {
      type: fc.constantFrom("string", "number"),
      enum: fc.array(
        fc.oneof(text, fc.integer(), fc.double({ noNaN: true }), fc.boolean(), fc.constant(null)),
        {
          maxLength: 3,
        },
      ),
    },
    { requiredKeys: ["type"] },
  ),
);
const tool = fc
  .record({
    name,
    description: text,
    properties: fc.option(fc.dictionary(name, schema, { maxKeys: 3 }), { nil: undefined }),
    required: fc.option(fc.array(name, { maxLength: 3 }), { nil: undefined }),
  })
  .map(({ name: named, description, properties, required }) =>
    toTemplateTool(
      {
        name: named,
        description,
        source: "page",
        parameters: {
          type: "object",
          ...(properties && { properties }),
          ...(required && { required: [...required, ...Object.keys(properties ?? {}).slice(1)] }),
        },
      },
      (each) => each,
    ),
  );

test.each([
  ["names of tools", NANO_CHAT_TEMPLATE],
  ["described tools", DESCRIBED_TOOLS_TEMPLATE],
])("%s: what Jinja writes, for any conversation", (_, source) => {
  const own = nanoTemplate(source);
  const jinja = new Template(source);
  if (own === null) throw new Error("not read");
  fc.assert(
    fc.property(
      fc.array(message, { minLength: 1, maxLength: 6 }),
      fc.option(fc.array(tool, { maxLength: 3 })),
      fc.boolean(),
      (messages, tools, add_generation_prompt) => {
        const variables = {
          messages,
          tools,
          add_generation_prompt,
          bos_token: "",
          enable_thinking: false,
        };
        expect(own.render(variables)).toBe(jinja.render(variables));
      },
    ),
    { numRuns: 400 },
  );
});

test("other templates are left to Jinja", () => {
  expect(nanoTemplate(`${NANO_CHAT_TEMPLATE} `)).toBeNull();
  expect(nanoTemplate(trainingTemplate(NANO_CHAT_TEMPLATE) ?? "")).toBeNull();
});
