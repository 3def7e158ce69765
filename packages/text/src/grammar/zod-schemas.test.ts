/** Tool arguments as people write them with zod: each has a grammar, and sampled arguments pass zod's own check. */
import { type JsonSchema, seededRandom } from "@waggle/protocol";
import { expect, test } from "vitest";
import { z } from "zod";
import { createTokenizer } from "../create-tokenizer.ts";
import type { TokenizerJson } from "../tokenizer-json.ts";
import { createGrammarCompiler } from "./compiler.ts";
import { sample, shortestBudget, tokenizerFiles } from "./grammar.fixture.ts";

const files = tokenizerFiles(['{"', '":', '", "', '"}', "00", "@", ".com"]);
const compiler = createGrammarCompiler(files);
const tokenizer = createTokenizer({
  tokenizerJson: JSON.parse(new TextDecoder().decode(files.get("tokenizer.json"))) as TokenizerJson,
});

/** Ten values sampled under the JSON Schema that zod gives for the input of a type. */
async function sampled(type: z.ZodType): Promise<unknown[]> {
  const schema = z.toJSONSchema(type, { io: "input" }) as JsonSchema;
  const grammar = await compiler.compile({ kind: "json-schema", schema });
  const random = seededRandom(7);
  const shortest = shortestBudget(grammar);
  return Array.from({ length: 10 }, () => {
    const budget = shortest + Math.floor(random() * 40);
    return JSON.parse(tokenizer.decode(sample(grammar, budget, random))) as unknown;
  });
}

const point = z.object({
  x: z.number(),
  get next() {
    return point.optional();
  },
});

test.each<[string, z.ZodType]>([
  ["email", z.email()],
  ["uuid", z.uuid()],
  ["iso.date", z.iso.date()],
  ["iso.time", z.iso.time()],
  ["iso.datetime", z.iso.datetime()],
  ["iso.duration", z.iso.duration()],
  ["ipv4", z.ipv4()],
  ["ipv6", z.ipv6()],
  ["url", z.url()],
  ["hostname", z.hostname()],
  ["nanoid", z.nanoid()],
  ["base64", z.base64()],
  ["e164", z.e164()],
  ["regex and length", z.string().regex(/^a+$/).max(3)],
  ["emoji-free text", z.string().regex(/^[a-z ]+$/)],
  ["startsWith", z.string().startsWith("id-")],
  ["lowercase", z.string().lowercase()],
  ["record", z.record(z.string(), z.number())],
  ["record of enum", z.partialRecord(z.enum(["a", "b"]), z.int())],
  ["record of pattern", z.record(z.string().regex(/^x-[a-z]+$/), z.int())],
  ["tuple", z.tuple([z.string(), z.int()])],
  ["nullable", z.int().min(1).max(9).nullable()],
  ["default", z.object({ page: z.int().min(1).default(1) })],
  ["literal union", z.literal(["red", "green"])],
  ["number steps", z.number().min(0).max(100).multipleOf(5)],
  ["strict object", z.strictObject({ a: z.string(), b: z.boolean().optional() })],
  ["recursive object", point],
  [
    "discriminated union",
    z.discriminatedUnion("kind", [
      z.object({ kind: z.literal("a"), n: z.int() }),
      z.object({ kind: z.literal("b"), s: z.string() }),
    ]),
  ],
  ["intersection", z.intersection(z.object({ a: z.int() }), z.object({ b: z.boolean() }))],
])("arguments sampled for zod's %s pass zod", async (_, type) => {
  for (const value of await sampled(type)) {
    expect({ value, error: type.safeParse(value).error?.message }).toEqual({
      value,
      error: undefined,
    });
  }
});

/** These have a grammar that allows more values than zod. */
test.each<[string, z.ZodType]>([
  ["two patterns", z.string().startsWith("a").endsWith("b")],
  ["multipleOf", z.number().multipleOf(0.01)],
  ["set of items", z.array(z.int()).meta({ uniqueItems: true })],
  ["loose record", z.looseRecord(z.string().regex(/^x/), z.int())],
  ["object with a rule", z.object({ a: z.int() }).refine(({ a }) => a > 5)],
])("zod's %s has a grammar", async (_, type) => {
  await expect(sampled(type)).resolves.toHaveLength(10);
});
