import fc from "fast-check";
import { expect, test } from "vitest";
import { evaluateExpression } from "./expression.ts";

test.each(["", "1/0", "2**3", "alert(1)", "1e999", "(1", "1 2", "(".repeat(100), "1+".repeat(500)])(
  "refuses to calculate %s",
  (expression) => {
    expect(() => evaluateExpression(expression)).toThrow(/arithmetic such as/);
  },
);

test("arithmetic agrees with JavaScript", () => {
  const number = fc.integer({ min: 0, max: 999 }).map(String);
  const { expression } = fc.letrec<{ expression: string }>((tie) => ({
    expression: fc.oneof(
      { depthSize: "small" },
      number,
      fc
        .tuple(tie("expression"), fc.constantFrom("+", "-", "*"), tie("expression"))
        .map(([a, sign, b]) => `(${a}${sign}${b})`),
    ),
  }));
  fc.assert(
    fc.property(
      expression.filter((text) => text.length < 100),
      (text) => {
        // oxlint-disable-next-line typescript/no-implied-eval -- JavaScript is the reference
        const expected = Number(new Function(`return ${text}`)());
        expect(evaluateExpression(text)).toBe(Number(expected.toPrecision(10)) + 0);
      },
    ),
  );
});
