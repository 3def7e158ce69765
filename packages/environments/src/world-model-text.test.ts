import type { ToolResult } from "@waggle/protocol";
import { expect, test } from "vitest";
import { callText, resultText, saidResult, worldModelMessage } from "./world-model-text.ts";

test("a call is its name and its values", () => {
  expect(callText({ name: "look", arguments: { name: "ann", field: "boss" } })).toBe(
    "look ann boss",
  );
  expect(callText({ name: "set", arguments: { size: 3, tags: ["a"] } })).toBe('set 3 ["a"]');
});

test.each<ToolResult>([
  { callId: "c0", ok: true, value: "rome" },
  { callId: "c0", ok: true, value: "" },
  { callId: "c0", ok: false, error: { code: "TOOL_FAILED", message: "nothing found" } },
])("a result is read back as it was said: %j", (result) => {
  expect(saidResult("c0", resultText(result))).toEqual(result);
});

test("a result that is no text is said as JSON, and only the first message has the request", () => {
  expect(resultText({ callId: "c0", ok: true, value: { a: 1 } })).toBe('{"a":1}');
  expect(worldModelMessage("Who?", "look ann", true)).toBe("Who?\nlook ann");
  expect(worldModelMessage("Who?", "look ann", false)).toBe("look ann");
});
