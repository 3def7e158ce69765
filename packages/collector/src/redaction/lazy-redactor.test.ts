import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { createLazyRedactor } from "./lazy-redactor.ts";
import { mayHoldPersonalData } from "./may-hold-personal-data.ts";
import { createRedactor } from "./redactor.ts";
import type { DetectionRule } from "./rule.ts";

test("the rules are loaded with the first value that they could change", async () => {
  const load = vi.fn<() => Promise<{ readonly BUILT_IN_RULES: readonly DetectionRule[] }>>(
    () => import("./built-in-rules.ts"),
  );
  const redactor = createLazyRedactor({ rules: [{ type: "MUG", pattern: /mug/ }] }, load);
  await redactor.prepare("Do you have a mug?");
  expect(load).not.toHaveBeenCalled();
  expect(redactor.redact("Do you have a mug?")).toBe("Do you have a [MUG_1]?");
  await redactor.prepare({ list: ["ada@example.org"] });
  expect(load).toHaveBeenCalledTimes(1);
  expect(redactor.redactJson(["ada@example.org", "mug"])).toEqual(["[EMAIL_1]", "[MUG_1]"]);
});

test("a value that was not prepared is refused instead of passed", async () => {
  const redactor = createLazyRedactor({}, () => Promise.reject(new Error("offline")));
  expect(() => redactor.redact("mail ada@example.org")).toThrow(/not loaded/);
  await expect(redactor.prepare("mail ada@example.org")).rejects.toThrow("offline");
  expect(() => redactor.redactJson({ to: "ada@example.org" })).toThrow(/not loaded/);
});

test("with rules it replaces what a redactor with all rules replaces", async () => {
  const redactor = createLazyRedactor();
  await redactor.load();
  const text = "My name is Ada Lovelace, ada@example.org, +49 170 1234567.";
  expect(redactor.redact(text)).toBe(createRedactor().redact(text));
});

const plainWords = fc.constantFrom(
  ..."my name is ada lovelace Hi I am Best regards thanks password correct horse the i heiße anna me llamo ana sono pin tel deliver to via street ssn token , . ! ? Hello mr frau call an".split(
    " ",
  ),
  "correcthorsebatterystaple",
);

test("a text that needs no rules is changed by none", () => {
  expect(mayHoldPersonalData("Hello.")).toBe(false);
  expect(mayHoldPersonalData("Where is the cheapest mug?")).toBe(false);
  fc.assert(
    fc.property(fc.array(plainWords, { maxLength: 10 }), fc.constantFrom(" ", ""), (parts, gap) => {
      const text = parts.join(gap);
      const isChanged = createRedactor().redact(text) !== text;
      expect(isChanged && !mayHoldPersonalData(text)).toBe(false);
    }),
    { numRuns: 2000 },
  );
});
