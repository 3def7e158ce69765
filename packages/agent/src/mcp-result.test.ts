import { expect, test } from "vitest";
import { mcpValue } from "./mcp-result.ts";

const text = (words: string) => ({ type: "text", text: words });
const image = { type: "image", data: "aGk=", mimeType: "image/png" };
const link = { type: "resource_link", uri: "https://a.example/b", name: "b" };
const resource = { type: "resource", resource: { uri: "file:///a", text: "inside" } };

test("several blocks arrive as an array, none joined and none left out", () => {
  expect(mcpValue({ content: [text("1"), text("2"), image, link, resource] })).toEqual([
    1,
    2,
    image,
    link,
    resource,
  ]);
  expect(mcpValue({ content: [resource] })).toEqual(resource);
  expect(mcpValue({ content: [] })).toBe("");
});

test("structured content replaces its text, and keeps blocks of other types", () => {
  const structuredContent = { sum: 3 };
  expect(mcpValue({ content: [text('{"sum":3}')], structuredContent })).toEqual({ sum: 3 });
  expect(mcpValue({ content: [text("three"), image], structuredContent })).toEqual([
    { sum: 3 },
    image,
  ]);
});

test("numbers that JavaScript cannot hold arrive in the text of the result", () => {
  const exact = '{"id":12345678901234567890,"most":1e400}';
  const structuredContent: unknown = JSON.parse(exact);
  expect(mcpValue({ content: [text(exact)], structuredContent })).toBe(exact);
  expect(mcpValue({ content: [text("[1e400]")] })).toBe("[1e400]");
  expect(() => mcpValue({ content: [], structuredContent })).toThrow(
    "the result has a number that is too large to read",
  );
});

test("a failure has all of its text", () => {
  const failed = { isError: true, content: [text("no stock"), image, text("try b")] };
  expect(() => mcpValue(failed)).toThrow("no stock\ntry b");
});
