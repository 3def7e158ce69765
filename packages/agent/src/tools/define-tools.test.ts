import { expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { createToolRunner } from "../tool-runner.ts";
import { defineEdgeTools, definePageTools } from "./define-tools.ts";

const { signal } = new AbortController();
const DAY = {
  type: "object",
  properties: { day: { enum: ["monday", "tuesday"] }, hour: { type: "integer" } },
  required: ["day"],
  additionalProperties: false,
} as const;

test("run gets arguments of the type that its JSON Schema has, in the page and at the edge", async () => {
  const [page] = definePageTools({
    move: {
      description: "Move.",
      parameters: DAY,
      run: (args) => {
        expectTypeOf(args.day).toEqualTypeOf<"monday" | "tuesday">();
        expectTypeOf(args.hour).toEqualTypeOf<number | undefined>();
        return `${args.day} ${args.hour ?? 9}`;
      },
    },
  });
  expect(page).toMatchObject({ name: "move", parameters: DAY });
  expect(await page?.run({ day: "monday" }, { signal })).toBe("monday 9");
  const [edge] = defineEdgeTools({
    move: {
      description: "Move.",
      parameters: DAY,
      run: ({ day }, context) => (context.signal === signal ? day.toUpperCase() : "no signal"),
    },
  });
  expect(edge?.definition).toMatchObject({ name: "move", source: "edge" });
  expect(await edge?.run({ day: "monday" }, signal)).toBe("MONDAY");
  // A test calls both kinds of tools in the same way.
  expect(await edge?.run({ day: "monday" }, { signal })).toBe("MONDAY");
});

test("the type of the arguments is object where it is left out", async () => {
  const { type: _, ...untyped } = DAY;
  const [page] = definePageTools({
    move: {
      description: "Move.",
      parameters: untyped,
      run: (args) => {
        expectTypeOf(args.day).toEqualTypeOf<"monday" | "tuesday">();
        return args.day;
      },
    },
  });
  expect(page?.parameters).toEqual(DAY);
  const [edge] = defineEdgeTools({
    ping: { description: "Ping.", parameters: {}, run: () => "pong" },
  });
  expect(edge?.definition.parameters).toEqual({ type: "object" });
});

test("a choice and a list of types in a JSON Schema give unions", () => {
  definePageTools({
    book: {
      description: "Book a room.",
      parameters: {
        type: "object",
        properties: {
          room: { anyOf: [{ type: "integer" }, { type: "null" }, { enum: ["any", "quiet"] }] },
          guest: { oneOf: [{ type: "object", properties: { name: { type: "string" } } }] },
          note: { type: ["string", "null"] },
          days: { type: ["array", "boolean"], items: { type: "integer" } },
        },
        required: ["room", "guest", "note", "days"],
      },
      run: (args) => {
        expectTypeOf(args.room).toEqualTypeOf<number | null | "any" | "quiet">();
        expectTypeOf(args.guest.name).toEqualTypeOf<string | undefined>();
        expectTypeOf(args.note).toEqualTypeOf<string | null>();
        expectTypeOf(args.days).toEqualTypeOf<readonly number[] | boolean>();
      },
    },
    pay: {
      description: "Pay.",
      parameters: {
        type: "object",
        anyOf: [
          { properties: { card: { type: "string" } }, required: ["card"] },
          { properties: { cash: { const: true } }, required: ["cash"] },
        ],
      },
      run: (args) =>
        "card" in args ? args.card.length : expectTypeOf(args.cash).toEqualTypeOf<true>(),
    },
  });
});

test("a local $ref gives the type of its definition, and any other unknown", () => {
  const [tool] = definePageTools({
    file: {
      description: "File a folder.",
      parameters: {
        type: "object",
        properties: {
          day: { $ref: "#/$defs/day" },
          days: { type: "array", items: { $ref: "#/$defs/day" } },
          room: { $ref: "#/definitions/room" },
          folder: { $ref: "#/$defs/folder" },
          absent: { $ref: "#/$defs/absent" },
          elsewhere: { $ref: "https://example.com/day.json" },
        },
        required: ["day", "days", "room", "folder", "absent", "elsewhere"],
        $defs: {
          day: { enum: ["monday", "tuesday"] },
          folder: {
            type: "object",
            properties: {
              day: { $ref: "#/$defs/day" },
              inside: { type: "array", items: { $ref: "#/$defs/folder" } },
            },
            required: ["day", "inside"],
          },
        },
        definitions: { room: { type: ["integer", "null"] } },
      },
      run: (args) => {
        expectTypeOf(args.day).toEqualTypeOf<"monday" | "tuesday">();
        expectTypeOf(args.days).toEqualTypeOf<readonly ("monday" | "tuesday")[]>();
        expectTypeOf(args.room).toEqualTypeOf<number | null>();
        expectTypeOf(args.folder.day).toEqualTypeOf<"monday" | "tuesday">();
        expectTypeOf(args.folder.inside).toEqualTypeOf<readonly unknown[]>();
        expectTypeOf(args.absent).toBeUnknown();
        expectTypeOf(args.elsewhere).toBeUnknown();
      },
    },
  });
  expect(tool?.name).toBe("file");
});

test("run gets what a library's schema makes of the arguments, with defaults", async () => {
  const parameters = z.strictObject({ day: z.string(), hour: z.int().default(9) });
  const [tool] = definePageTools({
    move: {
      description: "Move.",
      parameters,
      run: ({ day, hour }) => {
        expectTypeOf(hour).toBeNumber();
        return `${day} ${hour}`;
      },
    },
  });
  expect(tool?.parameters).toMatchObject({ type: "object", required: ["day"] });
  expect(await tool?.run({ day: "monday" }, { signal })).toBe("monday 9");
  await expect(tool?.run({ day: 7 }, { signal })).rejects.toMatchObject({
    code: "INVALID_TOOL_ARGUMENTS",
    message: expect.stringMatching(/^day: /),
  });
});

const WRONG = { description: "Move.", parameters: DAY, run: () => 1 };

test.each([
  [{ "a b": WRONG }, "definePageTools.a b has a name with other characters"],
  [{ move: { ...WRONG, description: " " } }, 'definePageTools.move.description is " "; write one'],
  [{ move: { ...WRONG, run: 7 } }, "definePageTools.move.run is 7; write run: (args, { signal })"],
  [{ move: { ...WRONG, timeoutMs: 0 } }, "definePageTools.move.timeoutMs is 0; write 1 to 120000"],
  [{ move: { ...WRONG, label: 7 } }, "definePageTools.move.label is 7; write a text, or one for"],
  [{ move: { ...WRONG, label: " " } }, 'definePageTools.move.label is " "; write a text, or one'],
  [{ move: { ...WRONG, label: { de: 7 } } }, "definePageTools.move.label is object; write a text"],
  [{ move: { ...WRONG, label: {} } }, "definePageTools.move.label is object; write a text, or"],
  [{ move: { ...WRONG, lable: "x" } }, "definePageTools.move has no field lable; the fields are"],
  [
    { move: { ...WRONG, parameters: { type: ["object", "null"] } } },
    'definePageTools.move.parameters has type ["object","null"]; arguments are always an object',
  ],
  [[], "definePageTools is an array; write an object with a tool under each name"],
])("a tool with a mistake is refused, and the error names it: %#", (tools, message) => {
  expect(() => definePageTools(tools as never)).toThrow(message);
});

test("an edge tool that throws, hangs or returns 10 MB costs that call only", async () => {
  const parameters = { type: "object", properties: {} } as const;
  const description = "A tool.";
  const tools = defineEdgeTools({
    throws: {
      description,
      parameters,
      run: () => {
        throw new Error("out of order");
      },
    },
    hangs: { description, parameters, timeoutMs: 20, run: () => new Promise(() => undefined) },
    large: { description, parameters, run: () => "x".repeat(10_000_000) },
    works: { description, parameters, run: () => "fine" },
  });
  const run = createToolRunner({ tools });
  const called = async (name: string) => {
    const result = await run({ id: "c0", name, arguments: {} }, signal);
    return result.ok ? result.value : result.error;
  };
  expect(await called("throws")).toEqual({ code: "TOOL_FAILED", message: "out of order" });
  expect(await called("hangs")).toMatchObject({ code: "TIMEOUT" });
  expect(await called("large")).toMatchObject({
    code: "TOOL_FAILED",
    message: expect.stringMatching(/longer than 16384 characters/),
  });
  expect(await called("works")).toBe("fine");
});
