import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { PageTool } from "@waggle/agent/tools";
import { Confirmations } from "./confirmations.ts";
import { labelOf, toTool } from "./page-tool.ts";

test("the type of a tool's arguments is object where it is left out", () => {
  const properties = { day: { type: "string" } };
  const written = { name: "move", description: "Move.", parameters: { properties }, run: () => 1 };
  const { definition } = toTool(written, new Confirmations(() => undefined));
  expect(definition.parameters).toEqual({ type: "object", properties });
});

test("a tool takes a library's schema, and run gets what the schema makes of the arguments", async () => {
  const parameters = z.object({ day: z.enum(["monday", "tuesday"]), hour: z.int().default(9) });
  const tool = toTool(
    { name: "move", description: "Move.", parameters, run: (args) => args },
    new Confirmations(() => undefined),
  );
  expect(tool.definition.parameters).toMatchObject({
    type: "object",
    properties: { day: { enum: ["monday", "tuesday"] } },
    required: ["day"],
  });
  const { signal } = new AbortController();
  expect(await tool.run({ day: "monday" }, signal)).toEqual({ day: "monday", hour: 9 });
  await expect(tool.run({ day: "sunday" }, signal)).rejects.toMatchObject({
    code: "INVALID_TOOL_ARGUMENTS",
  });
});

const MOVE = { en: "Moving", de: "Umbuchung läuft" };

test.each([
  [MOVE, "de", "Umbuchung läuft"],
  [MOVE, "ja", "Moving"],
  [MOVE, undefined, "Moving"],
  ["Moving", "de", "Moving"],
  [({ day }: { readonly day: string }) => ({ en: `To ${day}`, de: `Auf ${day}` }), "de", "Auf 3"],
  [() => undefined, "de", "move it"],
  [() => 7, "de", "move it"],
])("a label has the text of the visitor's language, or its first: %#", (label, language, text) => {
  const tools = [{ name: "move_it", label: label as NonNullable<PageTool["label"]> }];
  expect(labelOf(tools, [], "move_it", { day: "3" }, language)).toBe(text);
});

describe("confirm", () => {
  const broken = (): unknown => {
    throw new Error("no such table");
  };

  /** The question before a call; `null` if the tool may run unasked. The visitor allows every call. */
  async function questionBefore(
    confirm: unknown,
    guests: number,
    language?: string,
  ): Promise<string | null> {
    const asked: string[] = [];
    const confirmations: Confirmations = new Confirmations(() => {
      const { pending } = confirmations;
      if (pending === null) return;
      asked.push(pending.question);
      pending.answer(true);
    });
    const tool = toTool(
      {
        name: "book_table",
        description: "Book a table.",
        parameters: { type: "object" },
        label: (args) => `Booking for ${String(args["guests"])}`,
        confirm: confirm as NonNullable<PageTool["confirm"]>,
        run: () => 1,
      },
      confirmations,
      language,
    );
    expect(await tool.allows?.({ guests }, new AbortController().signal, null)).not.toBe(false);
    return asked[0] ?? null;
  }

  test("a function decides by the arguments whether and what the visitor is asked", async () => {
    const manyOnly = ({ guests }: { readonly guests: number }): boolean => guests > 8;
    expect(await questionBefore(manyOnly, 2)).toBeNull();
    expect(await questionBefore(manyOnly, 9)).toBe("Booking for 9");
    const question = ({ guests }: { readonly guests: number }): string | boolean =>
      guests > 8 && `Really ${guests}?`;
    expect(await questionBefore(question, 2)).toBeNull();
    expect(await questionBefore(question, 9)).toBe("Really 9?");
    expect(await questionBefore(true, 2)).toBe("Booking for 2");
    expect(await questionBefore(false, 2)).toBeNull();
    const inLanguages = () => ({ en: "Really?", de: "Wirklich?" });
    expect(await questionBefore(inLanguages, 9, "de")).toBe("Wirklich?");
    expect(await questionBefore(inLanguages, 9)).toBe("Really?");
  });

  const mistakes: readonly (readonly [string, () => unknown])[] = [
    ["throws", broken],
    ["returns nothing", () => undefined],
    ["returns an empty question", () => ""],
    ["returns an empty question in its only language", () => ({ en: " " })],
    ["returns an object without texts", () => ({})],
    ["returns a promise of false", () => Promise.resolve(false)],
  ];
  test.for(mistakes)("a function that %s asks with the label", async ([, confirm]) => {
    expect(await questionBefore(confirm, 9)).toBe("Booking for 9");
  });
});
