import { expect, test } from "vitest";
import { z } from "zod";
import { Confirmations } from "./confirmations.ts";
import { toTool } from "./page-tool.ts";

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
