import { expect, test } from "vitest";
import { likelyCause } from "./likely-cause.ts";

const causeOf = (...texts: string[]) =>
  likelyCause(texts.map((text, i) => ({ file: `/site/${i}.ts`, text })));

test.each([
  ["total.toLocaleString()", "toLocaleString depends on the language and the time zone"],
  ["names.sort((a, b) => a.localeCompare(b))", "localeCompare depends on the language"],
  ["new Intl.NumberFormat()", "Intl.NumberFormat depends on the language"],
  ["crypto.randomUUID()", "crypto.randomUUID is not seeded"],
  ["Date.now() - start", "Date.now depends on the time"],
  ["date.getHours() > 12", "getHours may depend on the time zone"],
  ["process.env.HOME", "process is not the same in Node, Workers and pages"],
  ["Math.tanh(x)", "Math.tanh may differ in its last digits"],
])("the source %s is named", (text, words) => {
  expect(causeOf("const a = 1;", text)).toContain(`Likely cause: ${words}`);
});

test("at most two causes are named, and without one the places to look at", () => {
  expect(causeOf("names.toLocaleString(); Date.now(); Math.tanh(1)").match(/; or: /g)).toHaveLength(
    1,
  );
  const plain = "state.process.done = state.window[0]; Math.floor(2.5); Date.UTC(2026, 1)";
  expect(causeOf(plain)).toMatch(/^Look for .*the order of members/);
});
