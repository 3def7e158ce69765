import { expect, test } from "vitest";
import { Confirmations } from "./confirmations.ts";
import { toTool } from "./page-tool.ts";

test("the type of a tool's arguments is object where it is left out", () => {
  const properties = { day: { type: "string" } };
  const written = { name: "move", description: "Move.", parameters: { properties }, run: () => 1 };
  const { definition } = toTool(written, new Confirmations(() => undefined));
  expect(definition.parameters).toEqual({ type: "object", properties });
});
