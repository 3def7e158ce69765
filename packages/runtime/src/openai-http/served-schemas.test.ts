/** Schemas that people write with zod, sent to the nano model's server by OpenAI's client. */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseDecoderConfig, readModelWeights } from "@waggle/model";
import OpenAI from "openai";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { localServer } from "../../../../test/fixtures/local-server.ts";
import { ODD_DEFINITIONS, ODD_SCHEMAS } from "../../../../test/fixtures/odd-schemas.ts";
import { createChat } from "../chat/policy-chat.ts";
import { createNodePolicy } from "../node/node-policy.ts";
import { createChatHandler } from "./chat-handler.ts";

const FOLDER = fileURLToPath(new URL("../../../model/nano/", import.meta.url));

let client: OpenAI;
let close: () => Promise<void>;
beforeAll(async () => {
  const files = new Map(
    readdirSync(FOLDER).map((name) => [name, new Uint8Array(readFileSync(`${FOLDER}${name}`))]),
  );
  const policy = await createNodePolicy({
    config: parseDecoderConfig(JSON.parse(new TextDecoder().decode(files.get("config.json")))),
    weights: await readModelWeights(files),
    baseModel: "a".repeat(64),
    tokenizerFiles: files,
  });
  const server = await localServer(createChatHandler(createChat({ policy, modelFiles: files })));
  client = new OpenAI({ baseURL: `${server.origin}/v1`, apiKey: "none", maxRetries: 0 });
  close = async () => {
    server.close();
    await policy.dispose();
  };
});
afterAll(() => close());

const asked = {
  model: "nano",
  messages: [{ role: "user" as const, content: "hi" }],
  max_completion_tokens: 80,
  seed: 1,
};

/** The grammar enforces each of these wholly. */
const enforced = {
  email: z.email(),
  uuid: z.uuid(),
  date: z.iso.date(),
  datetime: z.iso.datetime(),
  ipv4: z.ipv4(),
  record: z.record(z.string(), z.number()),
  "regex and length": z.string().regex(/^a+$/).max(3),
  steps: z.number().min(0).max(100).multipleOf(5),
};

/** The grammar allows more values than these schemas, so an answer may violate them. */
const loose = {
  "two patterns": z.string().startsWith("a").endsWith("b"),
  multipleOf: z.number().multipleOf(0.01),
  uniqueItems: z.array(z.int()).meta({ uniqueItems: true }),
  minProperties: z.record(z.string(), z.int()).meta({ minProperties: 2 }),
  "bounds of draft 4": z.int().meta({ minimum: 3, exclusiveMinimum: true }),
};

test.each(Object.entries({ ...enforced, ...loose }))(
  "%s: a tool and an answer",
  async (name, type) => {
    const schema = z.toJSONSchema(z.strictObject({ value: type }), { io: "input" });
    const tools = [{ type: "function" as const, function: { name: "save", parameters: schema } }];
    const answer = await client.chat.completions.create({
      ...asked,
      response_format: { type: "json_schema", json_schema: { name: "answer", schema } },
    });
    const called = await client.chat.completions.create({
      ...asked,
      tools,
      tool_choice: "required",
    });
    const call = called.choices[0]?.message.tool_calls?.[0];
    const texts = [
      answer.choices[0]?.message.content,
      call?.type === "function" && call.function.arguments,
    ];
    for (const text of texts) {
      const object = JSON.parse(String(text)) as { value: unknown };
      expect(object).toHaveProperty("value");
      const problem = name in enforced ? type.safeParse(object.value).error?.message : undefined;
      expect(problem).toBeUndefined();
    }
  },
);

test("tools with all of these schemas can be offered together", async () => {
  const tools = Object.values({ ...enforced, ...loose }).map((type, index) => ({
    type: "function" as const,
    function: {
      name: `tool_${index}`,
      parameters: z.toJSONSchema(z.strictObject({ value: type }), { io: "input" }),
    },
  }));
  const answer = await client.chat.completions.create({
    ...asked,
    max_completion_tokens: 5,
    tools,
    tool_choice: "auto",
  });
  expect(answer.choices).toHaveLength(1);
});

const toolOf = (name: string, value: unknown) => ({
  type: "function" as const,
  function: {
    name,
    parameters: {
      type: "object",
      properties: { value },
      required: ["value"],
      $defs: ODD_DEFINITIONS,
    },
  },
});
const NO_VALUE = { type: "string", enum: [1] };

test.each(ODD_SCHEMAS)("a tool with an odd schema can be offered: %j", async (schema) => {
  const answer = await client.chat.completions.create({
    ...asked,
    max_completion_tokens: 1,
    tools: [toolOf("odd", schema)],
    tool_choice: "auto",
  });
  expect(answer.choices).toHaveLength(1);
});

test("a tool without valid arguments is never called, and the others are", async () => {
  const tools = [toolOf("broken", NO_VALUE), toolOf("fine", { type: "integer" })];
  const answer = await client.chat.completions.create({
    ...asked,
    n: 8,
    tools,
    tool_choice: "required",
  });
  const called = answer.choices.flatMap(({ message }) => message.tool_calls ?? []);
  expect(called.map((call) => call.type === "function" && call.function.name)).toEqual(
    Array.from({ length: 8 }, () => "fine"),
  );
  const offered = await client.chat.completions.create({
    ...asked,
    max_completion_tokens: 5,
    tools: tools.slice(0, 1),
    tool_choice: "auto",
  });
  expect(offered.choices[0]?.message.tool_calls ?? []).toEqual([]);
});

test("a schema without a value is refused by tool and place where an answer needs it", async () => {
  const called = client.chat.completions.create({
    ...asked,
    tools: [toolOf("broken", NO_VALUE)],
    tool_choice: "required",
  });
  await expect(called).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining(
      'tool "broken": the schema at /properties/value lists no value of its type',
    ) as string,
  });
  const formatted = client.chat.completions.create({
    ...asked,
    response_format: { type: "json_schema", json_schema: { name: "answer", schema: NO_VALUE } },
  });
  await expect(formatted).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining("the schema at the root lists no value of its type") as string,
  });
});

test("json_object is an object", async () => {
  const answer = await client.chat.completions.create({
    ...asked,
    response_format: { type: "json_object" },
  });
  expect(JSON.parse(answer.choices[0]?.message.content ?? "")).toBeTypeOf("object");
  expect(answer.choices[0]?.message.content).toMatch(/^\{/);
});
