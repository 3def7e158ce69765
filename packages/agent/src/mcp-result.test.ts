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

test("structured content arrives with the texts and blocks that say something else", () => {
  const structuredContent = { sum: 3 };
  expect(mcpValue({ content: [text("three"), image], structuredContent })).toEqual([
    { sum: 3 },
    "three",
    image,
  ]);
  expect(mcpValue({ content: [text('{"sum":4}')], structuredContent })).toEqual([
    { sum: 3 },
    '{"sum":4}',
  ]);
});

test("a text that only repeats the structured content is left out", () => {
  const structuredContent = { sum: 3, of: [1, 2] };
  for (const same of ['{"sum":3,"of":[1,2]}', '{\n  "of": [1, 2],\n  "sum": 3\n}', " "]) {
    expect(mcpValue({ content: [text(same)], structuredContent })).toEqual(structuredContent);
  }
  expect(mcpValue({ content: [text('{"sum":3,"of":[2,1]}')], structuredContent })).toHaveLength(2);
  for (const [bare, result] of [
    ["Sunny", "Sunny"],
    ['"Sunny"', "Sunny"],
    ["[1]", [1]],
  ] as const) {
    expect(mcpValue({ content: [text(bare)], structuredContent: { result } })).toEqual({ result });
  }
});

test("a number with many digits does not let another text replace the structured content", () => {
  const structuredContent = { share: 0.1234567890123456 };
  expect(mcpValue({ content: [text('{"note":"rounded"}')], structuredContent })).toEqual([
    structuredContent,
    '{"note":"rounded"}',
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

test("structured content says that a number was rounded if its text does not have the number's digits", () => {
  const structuredContent = { id: 12_345_678_901_234_567_000 };
  const statement = "a number in this result has more digits than can be read, and was rounded";
  expect(mcpValue({ content: [], structuredContent })).toEqual([structuredContent, statement]);
  const found = text("id 12345678901234567890");
  expect(mcpValue({ content: [found, image], structuredContent })).toEqual([
    structuredContent,
    found.text,
    image,
    statement,
  ]);
  for (const exact of [1e21, 0.1 + 0.2, -9_007_199_254_740_991, 12_345_678_901_234_500_000]) {
    expect(mcpValue({ content: [], structuredContent: { exact } })).toEqual({ exact });
  }
  const fraction = '{"share":0.12345678901234567890123}';
  expect(
    mcpValue({ content: [text(fraction)], structuredContent: JSON.parse(fraction) as unknown }),
  ).toBe(fraction);
});

test("a failure has all of its text", () => {
  const failed = { isError: true, content: [text("no stock"), image, text("try b")] };
  expect(() => mcpValue(failed)).toThrow("no stock\ntry b");
});
