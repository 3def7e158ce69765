/** Tools whose parameters are schemas of zod, valibot and ArkType: constrained, validated, and with types in `run`. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import type { JsonSchema, ToolResult } from "@waggle/protocol";
import { createTokenizer, type TokenizerJson } from "@waggle/text";
import { createGrammarCompiler } from "@waggle/text/grammar";
import { type } from "arktype";
import * as v from "valibot";
import { expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { createToolRunner } from "../tool-runner.ts";
import { defineEdgeTools, definePageTools } from "./define-tools.ts";
import type { PageTool } from "./page-tool.ts";

type Booking = {
  readonly day: "monday" | "tuesday";
  readonly hour: number;
  readonly guests: string[];
  readonly note?: string | null | undefined;
};

const zodBooking = z.strictObject({
  day: z.enum(["monday", "tuesday"]),
  hour: z.int().min(8).max(18).default(9),
  guests: z.array(z.email()),
  note: z.string().nullish(),
});
const valibotBooking = toStandardJsonSchema(
  v.strictObject({
    day: v.picklist(["monday", "tuesday"]),
    hour: v.optional(v.pipe(v.number(), v.integer(), v.minValue(8), v.maxValue(18)), 9),
    guests: v.array(v.pipe(v.string(), v.email())),
    note: v.nullish(v.string()),
  }),
);
const arkBooking = type({
  "+": "reject",
  day: "'monday' | 'tuesday'",
  hour: "8 <= number.integer <= 18 = 9",
  guests: "string.email[]",
  "note?": "string | null",
});

const description = "Book a room.";
const run = (booking: Booking): string => `${booking.day} ${booking.hour}`;
const TOOLS = {
  zod: definePageTools({
    book: {
      description,
      parameters: zodBooking,
      run: (args) => {
        expectTypeOf(args).toExtend<Booking>();
        expectTypeOf(args.day).toEqualTypeOf<"monday" | "tuesday">();
        return run(args);
      },
    },
  }),
  valibot: definePageTools({
    book: {
      description,
      parameters: valibotBooking,
      run: (args) => {
        expectTypeOf(args).toExtend<Booking>();
        expectTypeOf(args.day).toEqualTypeOf<"monday" | "tuesday">();
        return run(args);
      },
    },
  }),
  ArkType: definePageTools({
    book: {
      description,
      parameters: arkBooking,
      run: (args) => {
        expectTypeOf(args).toExtend<Booking>();
        expectTypeOf(args.day).toEqualTypeOf<"monday" | "tuesday">();
        return run(args);
      },
    },
  }),
};
const LIBRARIES = Object.entries(TOOLS);

const nanoFile = (name: string) =>
  readFileSync(join(import.meta.dirname, "../../../model/nano", name));
const FILES = ["tokenizer.json", "tokenizer_config.json"] as const;
const compiler = createGrammarCompiler(new Map(FILES.map((name) => [name, nanoFile(name)])));
const tokenizer = createTokenizer({
  tokenizerJson: JSON.parse(nanoFile("tokenizer.json").toString()) as TokenizerJson,
});

/** Whether a policy whose calls are constrained can write these arguments. */
async function canWrite(schema: JsonSchema, args: object): Promise<boolean> {
  const matcher = (await compiler.compile({ kind: "json-schema", schema })).createMatcher();
  for (const id of tokenizer.encode(JSON.stringify(args))) {
    const mask = matcher.nextMask(10_000);
    if (mask !== null && ((mask[id >> 5] ?? 0) & (1 << (id & 31))) === 0) return false;
    matcher.accept(id);
  }
  return true;
}

async function called([tool]: readonly PageTool<JsonSchema>[], args: object): Promise<ToolResult> {
  if (tool === undefined) throw new Error("there is one tool");
  const { name, parameters, run: runTool } = tool;
  const definition = { name, description, parameters, source: "page" } as const;
  const runner = createToolRunner({
    tools: [{ definition, run: async (given, signal) => runTool(given, { signal }) }],
  });
  return runner({ id: "c0", name, arguments: { ...args } }, new AbortController().signal);
}

const BOOKING = { day: "tuesday", guests: ["a@b.example"], hour: 10 };

test.each(LIBRARIES)("%s: calls are constrained", async (_, tools) => {
  const schema = tools[0]?.parameters ?? {};
  expect(schema).toMatchObject({ type: "object" });
  const required = schema["required"] as string[];
  expect(required.toSorted()).toEqual(["day", "guests"]);
  // A grammar writes required members first.
  const ordered = (booking: { readonly [name: string]: unknown }) =>
    Object.fromEntries([...required, "hour"].map((name) => [name, booking[name]]));
  expect(await canWrite(schema, ordered(BOOKING))).toBe(true);
  expect(await canWrite(schema, ordered({ ...BOOKING, day: "sunday" }))).toBe(false);
  expect(await canWrite(schema, ordered({ ...BOOKING, hour: 19 }))).toBe(false);
  expect(await canWrite(schema, ordered({ ...BOOKING, guests: [7] }))).toBe(false);
});

test.each(LIBRARIES)("%s: calls are validated, and defaults are filled in", async (_, tools) => {
  expect(await called(tools, BOOKING)).toMatchObject({ ok: true, value: "tuesday 10" });
  const { hour: _hour, ...early } = BOOKING;
  expect(await called(tools, { ...early, note: null })).toMatchObject({ value: "tuesday 9" });
  const wrong = [
    { ...BOOKING, day: "sunday" },
    { ...BOOKING, hour: 19 },
    { ...BOOKING, guests: ["a at b"] },
    { ...BOOKING, price: 1 },
    {},
  ];
  for (const args of wrong) {
    expect(await called(tools, args)).toMatchObject({
      ok: false,
      error: { code: "INVALID_TOOL_ARGUMENTS" },
    });
  }
});

test("a check that JSON Schema cannot express is made by the library", async () => {
  const schemas = {
    zod: z.object({ from: z.int(), to: z.int() }).refine(({ from, to }) => from < to, "too early"),
    valibot: toStandardJsonSchema(
      v.pipe(
        v.object({ from: v.number(), to: v.number() }),
        v.check(({ from, to }) => from < to, "too early"),
      ),
    ),
    ArkType: type({ from: "number", to: "number" }).narrow(
      ({ from, to }, context) => from < to || context.reject({ message: "too early" }),
    ),
  };
  for (const parameters of Object.values(schemas)) {
    const tools = definePageTools({ book: { description, parameters, run: () => "booked" } });
    expect(await called(tools, { from: 1, to: 2 })).toMatchObject({ value: "booked" });
    expect(await called(tools, { from: 2, to: 1 })).toMatchObject({
      error: { code: "INVALID_TOOL_ARGUMENTS", message: "too early" },
    });
  }
});

test("a schema that gives no JSON Schema is refused with what to write", () => {
  const bare = v.object({ day: v.string() });
  expect(() => definePageTools({ book: { description, parameters: bare, run: () => 1 } })).toThrow(
    "definePageTools.book.parameters is a schema of valibot that cannot be converted to JSON Schema; wrap it in toStandardJsonSchema of @valibot/to-json-schema",
  );
  for (const dated of [
    z.object({ on: z.date() }),
    toStandardJsonSchema(v.object({ on: v.date() })),
    type({ on: "Date" }),
    type({ on: "bigint" }),
  ]) {
    expect(() =>
      defineEdgeTools({ book: { description, parameters: dated, run: () => 1 } }),
    ).toThrow(
      /^defineEdgeTools\.book\.parameters cannot be converted to JSON Schema: .*; use types that JSON has$/s,
    );
  }
  // Without its flag, the grammar would forbid the text AB-1.
  const flagged = toStandardJsonSchema(v.object({ code: v.pipe(v.string(), v.regex(/^ab-1$/i)) }));
  expect(() =>
    definePageTools({ book: { description, parameters: flagged, run: () => 1 } }),
  ).toThrow(/RegExp flags are not supported by JSON Schema/);
  const word = type("string");
  expect(() => definePageTools({ book: { description, parameters: word, run: () => 1 } })).toThrow(
    'has type "string"; arguments are always an object',
  );
});
